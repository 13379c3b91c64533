// PostgreSQL through `pg`.
import { plain } from '../harness/answers.mjs';
import { CONNECTIONS, MILLISECONDS } from '../harness/requests.mjs';
import { lacksPostgres, startPostgres } from '../servers/postgres.mjs';

async function connected(pg, port) {
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'bench', database: 'postgres', max: CONNECTIONS });
  // Idle connections are notified when the server ends.
  pool.on('error', () => undefined);
  for (let tries = 0; ; tries++) {
    try {
      await pool.query('SELECT 1');
      return pool;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const TYPES = { number: 'int', string: 'text', boolean: 'boolean' };

async function open(dataset, rows) {
  const { default: pg } = await import('pg');
  const server = await startPostgres();
  const pool = await connected(pg, server.port);
  const record = (_table, id) => id;
  const load = async (table, all) => {
    const names = ['id', ...dataset.tables[table].columns].map((name) => `"${name}"`);
    await pool.query(`INSERT INTO ${table} SELECT ${names} FROM json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(all),
    ]);
  };
  for (const [name, { columns, rows: made }] of Object.entries(dataset.tables)) {
    const all = made(rows, record);
    const typed = columns.map((column) => `"${column}" ${TYPES[typeof all[0]?.[column]] ?? 'text'}`);
    await pool.query(`CREATE TABLE ${name} (${['id int PRIMARY KEY', ...typed]})`);
    await load(name, all);
  }
  return {
    record,
    load,
    clear: (table) => pool.query(`TRUNCATE ${table}`),
    /** A prepared statement. */
    request: (text) => async () => (await pool.query({ name: text.slice(0, 60), text })).rows,
    /** As `requests` does it, over connections of the pool. */
    flood: async (operation) => {
      const before = server.processor();
      const began = performance.now();
      let answered = 0;
      const chain = async () => {
        while (performance.now() - began < MILLISECONDS) {
          await operation();
          answered++;
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, chain));
      const seconds = (performance.now() - began) / 1e3;
      return { rate: answered / seconds, processor: ((server.processor() - before) * 1e3) / answered };
    },
    processor: async () => server.processor(),
    answer: plain,
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const POSTGRES = [
  {
    name: 'postgres',
    title: 'PostgreSQL',
    speaks: 'postgres',
    keeps: 'a crash of the machine: fsync before the answer',
    needs: ['pg'],
    lacks: lacksPostgres,
    open,
  },
];
