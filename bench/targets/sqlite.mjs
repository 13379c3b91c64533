// SQLite in memory, through prepared statements.
import { plain } from '../harness/answers.mjs';

/** SQLite has no booleans. */
const bindable = (row) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'boolean' ? Number(value) : value]),
  );
const quoted = (name) => `"${name}"`;

async function open(dataset, rows) {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(':memory:');
  const insertion = (table, returning = '') => {
    const names = ['id', ...dataset.tables[table].columns];
    const values = names.map((name) => `$${name}`);
    return db.prepare(`INSERT INTO ${table} (${names.map(quoted)}) VALUES (${values}) ${returning}`);
  };
  const load = (table, all) => {
    const insert = insertion(table);
    db.transaction(() => {
      for (const row of all) insert.run(bindable(row));
    })();
  };
  const record = (_table, id) => id;
  for (const [name, { columns, indexes = [], rows: made }] of Object.entries(dataset.tables)) {
    db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${columns.map(quoted)})`);
    for (const field of indexes) db.exec(`CREATE INDEX ${name}_${field} ON ${name} (${quoted(field)})`);
    load(name, made(rows, record));
  }
  return {
    db,
    record,
    load,
    insertion,
    bindable,
    clear: (table) => db.exec(`DELETE FROM ${table}`),
    statement: (text, variables) => {
      const statement = db.prepare(text);
      return (n) => statement.all(variables(n));
    },
    answer: plain,
    close: () => db.close(),
  };
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const SQLITE = [
  { name: 'sqlite', title: 'SQLite', speaks: 'sql', keeps: 'nothing', needs: ['better-sqlite3'], open },
];
