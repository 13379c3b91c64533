// How long searches for nearest neighbours take, beside a plain loop, the graphs of `hnswlib-node` and `usearch`, the
// scan of `sqlite-vec`, and the peer, all in this process. What isn't installed is left out. Needs a build (`npm run build`).
//
//     node bench/vectors.mjs [--disk] [--only NAME] [rows=20000] [dimension=128] [searches=50]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Graph } from '../dist/vectors/hnsw/graph.js';
import { readOptions } from '../scripts/options.mjs';
import { seededRandom } from './data/seeded-random.mjs';
import { spread } from './data/vectors.mjs';
import { openVectorTable } from './harness/vector-table.mjs';

const HELP = `
Usage: node bench/vectors.mjs [--disk] [--only NAME] [rows=20000] [dimension=128] [searches=50]

How long searches for the 10 nearest of many vectors take, by processor time, beside other programs, and what memory each takes. Needs a
build (npm run build).

  --disk        keeps the records in a temporary folder rather than in memory
  --only NAME   measures this alone (may be given again): tessera, hnswlib-node, usearch, sqlite-vec, peer
`;
const { positionals, values: options } = readOptions(HELP, {
  allowPositionals: true,
  options: { disk: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
});
const [ROWS = 20_000, DIMENSION = 128, SEARCHES = 50] = positionals.map(Number);
const K = 10;
/** Rows that one statement creates. */
const AT_ONCE = 500;
/** Numbers of vectors that one statement indexes. */
const MOST_AT_ONCE = 2 ** 24;
/** Searches before those that are measured: by then V8 has compiled what they run. The peer needs few of them, and so do long ones. */
const WARM_UPS = Math.max(5, Math.min(300, Math.round((300 * 20_000 * 128) / (ROWS * DIMENSION))));
/** One of a hundred rows is of each part, one of ten of these of each tenth of it. */
const PARTS = 100;
const TENTHS = 10;

// Evenly spread in a cube, so that all are about as far from each other: the hard case.
const random = seededRandom(1);
const vectors = spread(ROWS, DIMENSION, random);
const queries = spread(SEARCHES, DIMENSION, random);

const partOf = (at) => at % PARTS;
const isIn = (at) => partOf(at) === 7;
/** Which share of the rows meets a condition. */
const SHARES = [
  ['50 %', 'part < 50', (at) => partOf(at) < 50],
  ['10 %', 'part < 10', (at) => partOf(at) < 10],
  ['1 %', 'part = 7', isIn],
  ['0.1 %', 'tenth = 7', (at) => at % (PARTS * TENTHS) === 7],
];

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
  const folder = options.disk ? mkdtempSync(join(tmpdir(), 'tessera-vectors-')) : undefined;
  const { ask, close, linked, search, write } = await openVectorTable(folder ?? 'memory');
  await ask('DEFINE TABLE t');
  await ask('DEFINE INDEX part ON t FIELDS part; DEFINE INDEX tenth ON t FIELDS tenth');
  await write([...vectors.entries()], (at) => ({ part: partOf(at), tenth: at % (PARTS * TENTHS) }));
  const began = cpu();
  // More than a transaction may write is indexed step by step.
  const concurrently = ROWS * DIMENSION > MOST_AT_ONCE ? ' CONCURRENTLY' : '';
  await ask(`DEFINE INDEX hnsw ON t FIELDS v HNSW DIMENSION ${DIMENSION}${concurrently}`);
  const isReady = async () => (await ask('INFO FOR INDEX hnsw ON t')).building.status === 'ready';
  while (concurrently !== '' && !(await isReady())) await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(`DEFINE INDEX … HNSW${concurrently}: ${(cpu() - began).toFixed(0)} ms`);
  const timed = async (what, text, from) => {
    const times = [];
    for (const [at, v] of queries.entries()) {
      const start = cpu();
      await ask(text, { at: from + at, v });
      times.push(cpu() - start);
    }
    console.log(`${what}: ${median(times).toFixed(3)} ms`);
  };
  return {
    close: async () => {
      await close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
    search,
    linked: async () => {
      await linked();
      console.log(`linked: ${(cpu() - began).toFixed(0)} ms since`);
    },
    insert: async () => {
      await timed('insert of one, without an index', create('extra'), 0);
      await timed('insert of one', create('t'), ROWS);
      await ask('DELETE t WHERE id >= type::record("t", $rows)', { rows: ROWS });
    },
  };
}

const create = (table) => `CREATE ONLY type::record("${table}", $at) SET v = $v RETURN NONE`;

function usearchGraph({ default: usearch }) {
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

function hnswlibGraph({ default: { HierarchicalNSW } }) {
  const index = new HierarchicalNSW('l2', DIMENSION);
  index.initIndex(ROWS, 12, 150, 100);
  const began = cpu();
  for (const [at, v] of vectors.entries()) index.addPoint(v, at);
  console.log(`hnswlib-node, build: ${(cpu() - began).toFixed(0)} ms`);
  return (query, ef) => {
    index.setEf(ef);
    return index.searchKnn(query, K).neighbors;
  };
}

async function sqliteScan({ load }) {
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(':memory:');
  load(database);
  database.exec(`CREATE VIRTUAL TABLE t USING vec0(v float[${DIMENSION}])`);
  const insert = database.prepare('INSERT INTO t (rowid, v) VALUES (?, ?)');
  database.transaction(() => {
    for (const [at, v] of vectors.entries()) insert.run(BigInt(at), Buffer.from(Float32Array.from(v).buffer));
  })();
  const select = database.prepare('SELECT rowid FROM t WHERE v MATCH ? AND k = ?').pluck();
  return (query) => select.all(Buffer.from(Float32Array.from(query).buffer), K).map(Number);
}

async function peer({ createNodeEngines }) {
  const { RecordId: PeerId, Surreal } = await import('surrealdb');
  const client = new Surreal({ engines: createNodeEngines() });
  await client.connect('mem://');
  await client.use({ namespace: 'bench', database: 'bench' });
  await client.query(`DEFINE TABLE t; DEFINE INDEX part ON t FIELDS part;
    DEFINE INDEX hnsw ON t FIELDS v HNSW DIMENSION ${DIMENSION}`);
  const began = cpu();
  for (let from = 0; from < ROWS; from += AT_ONCE) {
    const some = vectors.slice(from, from + AT_ONCE);
    const rows = some.map((v, at) => ({ id: new PeerId('t', from + at), v, part: (from + at) % PARTS }));
    await client.query('INSERT INTO t $rows RETURN NONE', { rows });
  }
  console.log(`peer, build with the rows: ${(cpu() - began).toFixed(0)} ms`);
  const times = [];
  for (const [at, v] of queries.entries()) {
    const start = cpu();
    await client.query('CREATE ONLY $id SET v = $v RETURN NONE', { id: new PeerId('t', ROWS + at), v });
    times.push(cpu() - start);
    await client.query('DELETE $id', { id: new PeerId('t', ROWS + at) });
  }
  console.log(`peer, insert of one: ${median(times).toFixed(3)} ms`);
  return {
    close: () => client.close(),
    search: (where) => async (query) => {
      const [ids] = await client.query(`SELECT VALUE id FROM t WHERE ${where}`, { query });
      return ids.map(({ id }) => id);
    },
  };
}

/** What a package makes; `undefined` where it isn't installed, or lacks what it was to be compiled to. */
async function installed(name, make) {
  try {
    return await make(await import(name));
  } catch (error) {
    const [reason] = String(error.message).split('\n');
    console.log(`${name}: left out (${reason})`);
    return undefined;
  }
}

/** MiB of the process, its garbage collected where `--expose-gc` allows that. */
function memory() {
  globalThis.gc?.();
  return (process.memoryUsage().rss / 2 ** 20).toFixed(0);
}

/** Milliseconds of processor time. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

async function measure(name, search, isIn, points = queries, warmUps = WARM_UPS) {
  for (let at = 0; at < warmUps; at++) await search(points[at % points.length]);
  const times = [];
  const answers = [];
  for (const query of points) {
    const began = cpu();
    answers.push(await search(query));
    times.push(cpu() - began);
  }
  // Afterwards, since a plain loop goes through all that the processor's caches hold.
  let hits = 0;
  let wanted = 0;
  for (const [at, found] of answers.entries()) {
    const exact = new Set(plainLoop(points[at], isIn));
    wanted += exact.size;
    hits += found.filter((each) => exact.has(each)).length;
  }
  const time = median(times);
  const row = ((time * 1_000) / ROWS).toFixed(3);
  console.log(`${name}: ${time.toFixed(2)} ms, ${row} µs a row, recall ${(hits / wanted).toFixed(4)}`);
}

async function measureTessera() {
  const here = await tessera();
  await measure('<|10,100|>, the first', here.search(`v <|${K},100|> $query`), undefined, queries.slice(0, 1), 0);
  await here.linked();
  // In the graph, beside the records and what the index keeps of each in the store.
  const graph = Graph.sizeOf({ dimension: DIMENSION, m0: 24 }, ROWS);
  console.log(`in the graph: ${(graph / ROWS).toFixed(0)} bytes a vector`);
  console.log(`the process when all are linked: ${memory()} MiB`);
  await here.insert();
  await measure('a plain loop with a sort', plainLoop, undefined, queries, 3);
  await measure('<|10,EUCLIDEAN|>', here.search(`v <|${K},EUCLIDEAN|> $query`));
  await measure('<|10,100|>', here.search(`v <|${K},100|> $query`));
  await measure('<|10,40|>', here.search(`v <|${K},40|> $query`));
  await measure('<|10,EUCLIDEAN|> of 1 %', here.search(`v <|${K},EUCLIDEAN|> $query AND part = 7`), isIn);
  for (const [share, condition, isOf] of SHARES) {
    await measure(`<|10,100|> of ${share}`, here.search(`v <|${K},100|> $query AND ${condition}`), isOf);
  }
  console.log(`the process after the searches: ${memory()} MiB`);
  await here.close();
  console.log(`the process when it is closed: ${memory()} MiB`);
}

console.log(`${ROWS} vectors of ${DIMENSION}, ${K} nearest, median processor time of ${SEARCHES} searches\n`);
console.log(`the process with the vectors as arrays: ${memory()} MiB`);
const isWanted = (name) => options.only?.includes(name) !== false;
if (isWanted('tessera')) await measureTessera();
for (const [name, make, efs] of [
  // The larger ones find about as much as is found here.
  ['hnswlib-node', hnswlibGraph, [100, 400, 800, 1600]],
  ['usearch', usearchGraph, [100]],
  ['sqlite-vec', sqliteScan, [100]],
]) {
  const search = isWanted(name) ? await installed(name, make) : undefined;
  if (search === undefined) continue;
  console.log(`the process with ${name}: ${memory()} MiB`);
  for (const ef of efs) await measure(`${name}, ef ${ef}`, (query) => search(query, ef));
}
const there = isWanted('peer') ? await installed('@surrealdb/node', peer) : undefined;
if (there !== undefined) {
  const few = queries.slice(0, 5);
  await measure('peer <|10,100|>', there.search(`v <|${K},100|> $query`), undefined, few, few.length);
  await measure('peer <|10,100|> of 1 %', there.search(`v <|${K},100|> $query AND part = 7`), isIn, few, few.length);
  await there.close();
}
// The peer's engine would keep the process.
process.exit();
