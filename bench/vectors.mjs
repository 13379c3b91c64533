// How long searches for nearest neighbours take, beside a plain loop and the HNSW index of `usearch`, all in this
// process. Needs a build (`npm run build`).
//
//     node bench/vectors.mjs [rows=20000] [dimension=128] [searches=50]
import usearch from 'usearch';
import { openDatabase } from '../dist/session/database/database.js';
import { openEngine } from '../dist/storage/engines/open.js';
import { objectFrom, RecordId } from '../dist/value/value.js';
import { readOptions } from '../scripts/options.mjs';

const HELP = `
Usage: node bench/vectors.mjs [rows=20000] [dimension=128] [searches=50]

How long searches for the 10 nearest of many vectors take, by processor time, beside other programs. Needs a build (npm run build).
`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [ROWS = 20_000, DIMENSION = 128, SEARCHES = 50] = positionals.map(Number);
const K = 10;
/** Rows that one statement creates. */
const AT_ONCE = 500;
/** One of a hundred rows is of each part. */
const PARTS = 100;

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// Evenly spread in a cube, so that all are about as far from each other: the hard case.
const random = seededRandom(1);
const vector = () => Array.from({ length: DIMENSION }, random);
const vectors = Array.from({ length: ROWS }, vector);
const queries = Array.from({ length: SEARCHES }, vector);

const distance = (a, b) => {
  let sum = 0;
  for (let at = 0; at < DIMENSION; at++) sum += (a[at] - b[at]) ** 2;
  return sum;
};

function plainLoop(query, isIn = () => true) {
  const found = [];
  for (let at = 0; at < ROWS; at++) if (isIn(at)) found.push([distance(vectors[at], query), at]);
  return found
    .sort(([a], [b]) => a - b)
    .slice(0, K)
    .map(([, at]) => at);
}

async function tessera() {
  const database = await openDatabase(await openEngine('memory'), {});
  const session = database.ownerSession();
  await session.use('bench', 'bench');
  const ask = async (text, variables) => {
    const [{ outcome }] = await session.query(text, variables);
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  };
  await ask('DEFINE TABLE t');
  await ask('DEFINE INDEX part ON t FIELDS part');
  for (let from = 0; from < ROWS; from += AT_ONCE) {
    const rows = vectors
      .slice(from, from + AT_ONCE)
      .map((v, at) => objectFrom(Object.entries({ id: new RecordId('t', from + at), v, part: (from + at) % PARTS })));
    await ask('INSERT INTO t $rows RETURN NONE', { rows });
  }
  const began = cpu();
  await ask(`DEFINE INDEX hnsw ON t FIELDS v HNSW DIMENSION ${DIMENSION}`);
  console.log(`DEFINE INDEX … HNSW: ${(cpu() - began).toFixed(0)} ms`);
  const search = (where) => async (query) =>
    (await ask(`SELECT VALUE id FROM t WHERE ${where}`, { query })).map(({ key }) => key);
  return { close: () => database.close(), search };
}

function graph() {
  const index = new usearch.Index({
    metric: usearch.MetricKind.L2sq,
    dimensions: DIMENSION,
    connectivity: 12,
    expansion_add: 150,
    expansion_search: 100,
  });
  const began = cpu();
  for (const [at, v] of vectors.entries()) index.add(BigInt(at), Float32Array.from(v));
  console.log(`usearch, build: ${(cpu() - began).toFixed(0)} ms`);
  return (query) => Array.from(index.search(Float32Array.from(query), K, 1).keys, Number);
}

/** Milliseconds of processor time. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

async function measure(name, search, isIn) {
  const times = [];
  let hits = 0;
  let wanted = 0;
  for (const query of queries) await search(query);
  for (const query of queries) {
    const began = cpu();
    const found = await search(query);
    times.push(cpu() - began);
    const exact = new Set(plainLoop(query, isIn));
    wanted += exact.size;
    hits += found.filter((at) => exact.has(at)).length;
  }
  const time = median(times);
  const row = ((time * 1_000) / ROWS).toFixed(3);
  console.log(`${name}: ${time.toFixed(2)} ms, ${row} µs a row, recall ${(hits / wanted).toFixed(4)}`);
}

console.log(`${ROWS} vectors of ${DIMENSION}, ${K} nearest, median processor time of ${SEARCHES} searches\n`);
const here = await tessera();
await measure('a plain loop with a sort', plainLoop);
await measure('<|10,EUCLIDEAN|>', here.search(`v <|${K},EUCLIDEAN|> $query`));
await measure('<|10,100|>', here.search(`v <|${K},100|> $query`));
const isIn = (at) => at % PARTS === 7;
await measure('<|10,EUCLIDEAN|> of 1 %', here.search(`v <|${K},EUCLIDEAN|> $query AND part = 7`), isIn);
await measure('<|10,100|> of 1 %', here.search(`v <|${K},100|> $query AND part = 7`), isIn);
await here.close();
await measure('usearch, ef 100', graph());
