// What a page far down a table costs: START with and without the rule that passes over rows by their keys. Needs a build.
//
//     node bench/offset.mjs [--rows 1000000]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../scripts/options.mjs';

const { values } = readOptions(
  `Prints what a page near the end of a table costs, with and without the rule offset-pushdown. Needs a build (npm run build).

  node bench/offset.mjs

      --rows N   records of the table (1000000)
  -h, --help     prints this`,
  { options: { rows: { type: 'string', default: '1000000' } } },
);
const ROWS = Number(values.rows);
const AT_ONCE = 10_000;
const TEXTS = ['', 'ORDER BY id DESC '].map((order) => `SELECT * FROM t ${order}LIMIT 100 START ${ROWS - 1_000}`);

const build = new URL('../dist/', import.meta.url);
const { openDatabase } = await import(new URL('session/database/database.js', build).href);
const { openEngine } = await import(new URL('storage/open/open.js', build).href);
const { rulesWithout } = await import(new URL('plan/rewrite.js', build).href);

async function run(session, text) {
  for (const { outcome } of await session.query(text)) if (!outcome.ok) throw outcome.error;
}

/** Milliseconds of processor time for one of `count`, after one that isn't counted. */
async function cost(session, text, count) {
  await run(session, text);
  const began = process.cpuUsage();
  for (let index = 0; index < count; index++) await run(session, text);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e3 / count;
}

/** Milliseconds of processor time of the page, in each order. */
async function measure(store, off, count) {
  const database = await openDatabase(await openEngine(store), { tuning: { rules: rulesWithout(off) } });
  const session = database.ownerSession();
  await session.use('bench', 'bench');
  for (let first = 0; first < ROWS; first += AT_ONCE) {
    const rows = `(<array> ${first}..${first + AT_ONCE}).map(|$n| { id: $n, n: $n, name: 'a name' })`;
    await run(session, `INSERT INTO t ${rows} RETURN NONE`);
  }
  const costs = [];
  for (const text of TEXTS) costs.push(await cost(session, text, count));
  await database.close();
  return costs;
}

for (const kind of ['memory', 'folder']) {
  const costs = [];
  for (const [off, count] of [
    [['offset-pushdown'], 2],
    [[], 10],
  ]) {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-offset-'));
    costs.push(await measure(kind === 'memory' ? kind : folder, off, count));
    rmSync(folder, { recursive: true, force: true });
  }
  for (const [at, text] of TEXTS.entries()) {
    const [without, withRule] = costs.map((of) => of[at].toFixed(1).padStart(8));
    console.log(`${kind.padEnd(8)}${text.padEnd(60)}${without} ms without, ${withRule} ms with the rule`);
  }
}
