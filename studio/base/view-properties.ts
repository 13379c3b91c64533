/** The properties of each view. */
import type { Connection } from '../connection/connection.js';

export interface ViewProperties {
  /** As whom, and in which namespace and database, the view asks. */
  readonly connection: Connection;
  /** The parts of the address after the name of the view. */
  readonly path: readonly string[];
}
