// The official client of SurrealDB, with whatever engines are given to it.
import { openSurrealql } from './surrealql.mjs';

/**
 * @param {import('surrealdb').Engines} engines
 * @param {string} address
 * @param {import('../harness/contract.mjs').Dataset} dataset
 * @param {number} rows
 */
export async function openClient(engines, address, dataset, rows) {
  const { RecordId, Surreal } = await import('surrealdb');
  const db = new Surreal({ engines });
  await db.connect(address);
  await db.use({ namespace: 'bench', database: 'bench' });
  const query = (text, variables) => db.query(text, variables);
  const opened = await openSurrealql({ query, record: (table, id) => new RecordId(table, id) }, dataset, rows);
  return { ...opened, client: db, close: () => db.close() };
}
