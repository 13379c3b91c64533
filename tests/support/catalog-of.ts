import type { DatabaseCatalog } from '../../src/catalog/definitions/database-catalog.js';
import type { Session } from '../../src/session/contract.js';

/** The definitions of the database that a session has selected. */
export async function catalogOf(session: Session): Promise<DatabaseCatalog | undefined> {
  const definitions = await session.catalogSnapshot();
  definitions.release();
  return definitions.catalog;
}
