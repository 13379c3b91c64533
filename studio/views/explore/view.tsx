/** Explore */
import type { ViewProperties } from '../../frame/view-properties.js';

export function View({ connection }: ViewProperties) {
  return <h1>Explore {connection.session.database}</h1>;
}
