// Whether a server that does the same all day keeps its size: the file, and the heap after a collection. For two minutes, by hand:
//
//   npm run build && node --expose-gc bench/soak/size.mjs
//   SECONDS=30 FOLDER=soak node --expose-gc bench/soak/size.mjs
//
// First the same few thousand records are changed, deleted and made again, with asynchronous events, an index and a change feed; then come thousands of texts and definitions, each another, and all that they made is removed. What is printed
// should level off: the file after the first third, the heap within the bounds of docs/operating/operations.md ("Size of the file and of the heap").
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { open } from '../../dist/embedded/index.js';

const SECONDS = Number(process.env.SECONDS ?? 120);
const RECORDS = 2_000;
/** Records that one transaction changes. */
const BATCH = 20;
const TEXTS = Number(process.env.TEXTS ?? 5_000);
const folder = process.env.FOLDER ?? (await mkdtemp(join(tmpdir(), 'tessera-soak-')));
const db = await open(folder);
await db.use('soak', 'soak');

async function run(text) {
  for (const { outcome } of await db.run(text)) if (!outcome.ok) throw outcome.error;
}

async function report(label) {
  globalThis.gc?.();
  await wait(50);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const { size } = await stat(join(folder, 'data.mdb'));
  const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(1).padStart(7);
  console.log(
    `${label.padEnd(24)} file ${mebibytes(size)} MiB   heap ${mebibytes(heapUsed)} MiB   rss ${mebibytes(rss)} MiB`,
  );
}

await run(`
  DEFINE TABLE item CHANGEFEED 10s; DEFINE TABLE log; DEFINE INDEX n ON item FIELDS n;
  DEFINE EVENT changed ON item ASYNC THEN { UPSERT type::record('log', $value.id.id() % 100) SET at = time::now(), n = $value.n };
  FOR $n IN 0..${RECORDS} { CREATE type::record('item', $n) SET n = $n, text = rand::string(200) }`);
await report('begun');

let changes = 0;
const end = Date.now() + SECONDS * 1_000;
let next = Date.now();
while (Date.now() < end) {
  const from = (changes * BATCH) % RECORDS;
  changes++;
  await run(`FOR $id IN ${from}..${from + BATCH} {
    DELETE type::record('item', $id); CREATE type::record('item', $id) SET n = rand::int(0, 1000000), text = rand::string(200) }`);
  if (changes % 50 === 0) await run('SELECT count() FROM item GROUP ALL; SELECT * FROM item WHERE n > 500000 LIMIT 10');
  if (Date.now() >= next) {
    await report(`${changes * BATCH} changes`);
    next = Date.now() + (SECONDS * 1_000) / 8;
  }
}
await report(`${changes * BATCH} changes`);

for (let at = 0; at < TEXTS; at++) {
  await run(`DEFINE TABLE t${at}; DEFINE FIELD f${at} ON t${at} TYPE int DEFAULT ${at}; DEFINE FUNCTION fn::f${at}($a: int) { RETURN $a + ${at} };
    CREATE t${at}:1 SET f${at} = fn::f${at}(1); SELECT * FROM t${at} WHERE f${at} = ${at}`);
  await run(`REMOVE TABLE t${at}; REMOVE FUNCTION fn::f${at}`);
  if ((at + 1) % (TEXTS / 5) === 0) await report(`${at + 1} definitions`);
}
await run('REMOVE TABLE item; REMOVE TABLE log');
await report('all removed');
await run('REMOVE DATABASE soak');
await report('database removed');
await db.close();
await report('closed');
if (process.env.FOLDER === undefined) await rm(folder, { recursive: true });
