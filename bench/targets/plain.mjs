// Loops over objects in maps: the floor under every database that is written in JavaScript.
import { plain } from '../harness/answers.mjs';

async function open(dataset, rows) {
  const record = (_table, id) => id;
  const mapOf = (all) => new Map(all.map((row) => [row.id, row]));
  const tables = Object.fromEntries(
    Object.entries(dataset.tables).map(([name, table]) => [name, mapOf(table.rows(rows, record))]),
  );
  return {
    tables,
    record,
    load: (table, all) => {
      for (const row of all) tables[table].set(row.id, row);
    },
    clear: (table) => tables[table].clear(),
    answer: plain,
    close: () => undefined,
  };
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const PLAIN = [{ name: 'plain', title: 'plain loop', speaks: 'plain', keeps: 'nothing', open }];
