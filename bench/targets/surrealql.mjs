// What all targets have in common that speak SurrealQL, through whatever interface: datasets as statements.

import { batches } from '../data/batches.mjs';
import { plain } from '../harness/answers.mjs';

/** Definitions of a dataset. */
export function definitionsOf({ tables, surrealql = '' }) {
  const lines = Object.entries(tables).flatMap(([name, { indexes = [], relates }]) => [
    `DEFINE TABLE IF NOT EXISTS ${name}${relates ? ` TYPE RELATION FROM ${relates} TO ${relates}` : ''} SCHEMALESS`,
    ...indexes.map((field) => `DEFINE INDEX ${name}_${field} ON ${name} FIELDS ${field}`),
  ]);
  return [...lines, surrealql].join(';\n');
}

/**
 * @param {object} connection
 * @param {(text: string, variables?: object) => PromiseLike<unknown[]>} connection.query
 * @param {(table: string, id: number) => unknown} connection.record
 * @param {import('../harness/contract.mjs').Dataset} dataset
 * @param {number} rows
 */
export async function openSurrealql({ query, record, ...rest }, dataset, rows) {
  const load = async (table, all) => {
    const what = dataset.tables[table].relates ? 'INSERT RELATION INTO' : 'INSERT INTO';
    for (const batch of batches(all)) await query(`${what} ${table} $batch RETURN NONE`, { batch });
  };
  await query(definitionsOf(dataset));
  for (const [name, table] of Object.entries(dataset.tables)) await load(name, table.rows(rows, record));
  return {
    ...rest,
    query,
    record,
    load,
    clear: (table) => query(`DELETE ${table}`),
    statement: (text, variables) => (n) => query(text, variables(n)),
    // One result for each statement; the last one counts.
    answer: (results) => plain(results.at(-1)),
  };
}
