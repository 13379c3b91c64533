// The official client of SurrealDB, with whatever engines are given to it.
import { openSurrealql } from './surrealql.mjs';

const PLACE = { namespace: 'bench', database: 'bench' };

/**
 * @param {import('surrealdb').Engines} engines
 * @param {string} address
 * @param {import('../harness/contract.mjs').Dataset} dataset
 * @param {number} rows
 */
export async function openClient(engines, address, dataset, rows) {
  const { RecordId, Surreal, Table } = await import('surrealdb');
  const db = new Surreal({ engines });
  await db.connect(address);
  await db.use(PLACE);
  const query = (text, variables) => db.query(text, variables);
  const opened = await openSurrealql({ query, record: (table, id) => new RecordId(table, id) }, dataset, rows);
  return {
    ...opened,
    client: db,
    live: async (table, hear) => (await db.live(new Table(table))).subscribe(({ value }) => hear(value)),
    signIn: async (access, variables) => (await db.signin({ ...PLACE, access, variables })).access,
    authenticate: (token) => db.authenticate(token),
    close: () => db.close(),
  };
}
