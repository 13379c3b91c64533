// What texts cost that come once: with another literal each time beside the same text again, scripts in fresh databases, long ones, and what they
// leave in memory. Needs a build.
//
//     node bench/once.mjs [--dist FOLDER]
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readOptions } from '../scripts/options.mjs';

const { values } = readOptions(
  `Prints what texts cost that come once, in memory and in process. Needs a build (npm run build).

  node bench/once.mjs

      --dist FOLDER   another build, such as that of another revision
  -h, --help          prints this`,
  { options: { dist: { type: 'string', default: new URL('../dist', import.meta.url).pathname } } },
);

const build = pathToFileURL(`${values.dist}/`);
const { openDatabase } = await import(new URL('session/database/database.js', build).href);
const { openEngine } = await import(new URL('storage/open/open.js', build).href);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const ROUNDS = 7;
const REPETITIONS = 10_000;
const ROWS = 1_000;
const SCRIPTS = 2_000;
const TEXTS = 200_000;

const median = (figures) => figures.sort((one, other) => one - other)[figures.length >> 1];
const show = (what, figure, unit) => console.log(`${what.padEnd(64)}${figure.toFixed(2).padStart(10)} ${unit}`);

async function run(session, text) {
  for (const { outcome } of await session.query(text)) if (!outcome.ok) throw outcome.error;
}

/** Microseconds for one of `count`. */
async function each(count, work) {
  const began = performance.now();
  for (let index = 0; index < count; index++) await work();
  return ((performance.now() - began) * 1e3) / count;
}

const database = await openDatabase(await openEngine('memory'));
const session = database.ownerSession();
await session.use('bench', 'bench');
await run(session, 'DEFINE TABLE p; DEFINE FIELD n ON p TYPE int; DEFINE INDEX n ON p FIELDS n');
for (let id = 0; id < ROWS; id++) await run(session, `CREATE p:${id} SET n = ${id}`);

let next = ROWS;
const texts = [
  { same: 'SELECT * FROM p:17', other: () => `SELECT * FROM p:${next++}` },
  { same: 'SELECT * FROM p WHERE n = 17', other: () => `SELECT * FROM p WHERE n = ${next++}` },
  { same: 'CREATE c SET n = 17', other: () => `CREATE c:${next++} SET n = ${next}`, after: 'DELETE c RETURN NONE' },
  { same: 'RETURN 17', other: () => `RETURN ${next++}` },
];
for (const { same, other, after } of texts) {
  const [again, changed] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    again.push(await each(REPETITIONS, () => run(session, same)));
    changed.push(await each(REPETITIONS, () => run(session, other())));
    if (after !== undefined) await run(session, after);
  }
  show(`${same}, the same text again`, median(again), 'µs');
  show(`${same}, with another literal each time`, median(changed), 'µs');
}

/** One table with three fields, ten records and five queries, with names and literals of its own. */
const script = (table, n) => `DEFINE TABLE ${table} SCHEMAFULL;
DEFINE FIELD name ON ${table} TYPE string;
DEFINE FIELD age ON ${table} TYPE int ASSERT $value >= 0;
DEFINE FIELD city ON ${table} TYPE option<string> DEFAULT 'Oslo';
${Array.from({ length: 10 }, (_, i) => `CREATE ${table}:${n + i} SET name = 'Ada ${n + i}', age = ${20 + i + n}, city = 'Turin ${n}';`).join('\n')}
SELECT * FROM ${table}:${n};
SELECT * FROM ${table} WHERE age > ${25 + n};
SELECT name, age FROM ${table} WHERE city = 'Turin ${n}' ORDER BY age DESC LIMIT 3;
SELECT count() FROM ${table} GROUP ALL;
SELECT city, math::mean(age) AS mean FROM ${table} GROUP BY city;`;

for (const [what, tableOf] of [
  ['the same names, other literals', () => 'person'],
  ['names of its own', (n) => `person${n}`],
]) {
  const figures = [];
  for (let n = 0; n < SCRIPTS; n++) {
    const fresh = database.ownerSession();
    await fresh.use('bench', `${tableOf(n)}_${n}`);
    const text = script(tableOf(n), n);
    const began = performance.now();
    await run(fresh, text);
    if (n >= SCRIPTS / 2) figures.push((performance.now() - began) * 1e3);
    fresh.close();
  }
  show(`script in a fresh database: ${what}`, median(figures), 'µs');
}

/** 1,000 statements in branches that are never taken: they are read, and nothing else. */
const branch = (from) => `IF false {
${Array.from({ length: 50 }, (_, at) => from + at)
  .map(
    (
      n,
    ) => `LET $adults = SELECT name, age FROM person WHERE age >= ${n} AND city IN ['Turin', 'Oslo'] ORDER BY name LIMIT 10;
  CREATE person:${n} SET name = 'Ada', tags = ['a', 'b'], made = time::now(), address = { city: 'Turin', code: ${n} };
  UPDATE person SET score += math::max([1, 2, $score]) WHERE id = person:${n} RETURN AFTER;
  RELATE person:${n}->knows->person:${n + 1} SET since = d'2024-01-01T00:00:00Z';`,
  )
  .join('\n')}
};`;
const long = `${[0, 50, 100, 150, 200].map(branch).join('\n')} RETURN `;
const figures = [];
for (let round = 0; round < 60; round++) figures.push(await each(1, () => run(session, long + round)));
show('script of 1,000 statements that are only read', median(figures.slice(20)) / 1e3, 'ms');

/** MiB of the heap in use. */
function heap() {
  collect();
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const padding = 'y'.repeat(2 ** 20);
const once = [
  ['200,000 texts of one shape', TEXTS, (n) => `SELECT * FROM p:x${n} WHERE n = ${n}`],
  ['200,000 texts of shapes of their own', TEXTS, (n) => `SELECT a${n} FROM p:x${n} WHERE n = ${n}`],
  ['200,000 texts with literals that stay', TEXTS, (n) => `SELECT * FROM p:x${n} LIMIT ${n}`],
  ['100 texts of 1 MiB', 100, (n) => `RETURN string::len('${padding}${n}')`],
];
let before = heap();
for (const [what, count, text] of once) {
  for (let n = 0; n < count; n++) await run(session, text(n));
  const now = heap();
  show(`heap grown by ${what}`, now - before, 'MiB');
  before = now;
}
await database.close();
