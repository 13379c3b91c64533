// How many of the ten nearest neighbours an HNSW graph by itself finds, without a store and without the rest of a statement: the recall of
// `<|10,ef|>` where there are more vectors than are all measured, and how long both take. Needs a build (`npm run build`).
//
//     node bench/graph-recall.mjs [--ef 40 --ef 100 --ef 200] [--set NAME] [vectors=10000] [numbers=16]
import { readOptions } from '../scripts/options.mjs';
import { seededRandom } from './data/seeded-random.mjs';
import { clustered, spread } from './data/vectors.mjs';

const HELP = `How many of the ten nearest neighbours an HNSW graph by itself finds, and how long that takes (processor time), beside
measuring all vectors by their codes, and beside hnswlib-node where it is installed. Needs a build.

  node bench/graph-recall.mjs [--ef EF] [--set NAME] [VECTORS] [NUMBERS]

VECTORS is how many there are (10000), NUMBERS how many each has (16).

      --ef EF      how many are looked at (may be given again); 40, 100 and 200 by default
      --set NAME   this set alone (may be given again): spread, within, beyond
  -h, --help       prints this`;
const { positionals, values: options } = readOptions(HELP, {
  allowPositionals: true,
  options: { ef: { type: 'string', multiple: true }, set: { type: 'string', multiple: true } },
});
const [count, dimension] = [10_000, 16].map((standard, at) => Number(positionals[at] ?? standard));
const efs = (options.ef ?? [40, 100, 200]).map(Number);

const load = (name) => import(new URL(`../dist/${name}.js`, import.meta.url));
const { encodeKey } = await load('value/codecs/key-codec');
const { parseMetric } = await load('vectors/metric');
const { Graph } = await load('vectors/hnsw/graph');
const { searchEntries } = await load('vectors/hnsw/descend');
const { link, place } = await load('vectors/hnsw/insert');
const { LayerSearch } = await load('vectors/hnsw/layer-search');
const { scanWhole } = await load('vectors/hnsw/whole-scan');
const { HierarchicalNSW } = await import('hnswlib-node').then(
  (library) => library.default,
  () => ({}),
);

const SEED = 23;
const POINTS = 100;
const CLUSTERS = 20;
const K = 10;
const M = 12;
const EFC = 150;

/** Does work of which all that it needs is in memory. */
function run(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function graphOf(vectors) {
  const metric = parseMetric('EUCLIDEAN');
  const graph = new Graph({
    ...{ metric, dimension, m: M, m0: 2 * M, levelFactor: 1 / Math.log(M), efConstruction: EFC },
    ...{ extendCandidates: false, keepPrunedConnections: false },
  });
  for (const [id, vector] of vectors.entries()) run(link(graph, place(graph, id, encodeKey(id), vector)));
  return graph;
}

function nearest(graph, point, ef) {
  const search = new LayerSearch(graph, { point, layer: 0, ef });
  run(search.run(run(searchEntries(graph, point))));
  const found = search.found();
  search.close();
  return found.slice(0, K).map(({ slot }) => slot);
}

function nearestOfAll(graph, point) {
  const scan = scanWhole(graph, { point, accepts: () => true, first: 0 });
  run(scan.run());
  return run(scan.found(K)).map(({ slot }) => slot);
}

/** By a plain loop. */
function exactly(vectors, point) {
  const distances = Float64Array.from(vectors, (vector) => {
    let sum = 0;
    for (let at = 0; at < dimension; at++) sum += (vector[at] - point[at]) ** 2;
    return sum;
  });
  return new Set([...distances.keys()].sort((a, b) => distances[a] - distances[b]).slice(0, K));
}

/** Milliseconds of processor time. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function build(what, make) {
  const began = cpu();
  const made = make();
  console.log(`  ${what}, built in ${((cpu() - began) / 1_000).toFixed(1)} s`);
  return made;
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

/** Points are asked for twice, since code is cold at first. */
function measure(what, points, wanted, search) {
  for (const point of points) search(point);
  const times = [];
  let hits = 0;
  for (const [at, point] of points.entries()) {
    const began = cpu();
    const found = search(point);
    times.push(cpu() - began);
    hits += found.filter((slot) => wanted[at].has(slot)).length;
  }
  console.log(`  ${what}: recall ${(hits / (K * points.length)).toFixed(3)}, ${median(times).toFixed(3)} ms`);
}

const packed = (vectors) => vectors.map((vector) => Float32Array.from(vector));
const random = seededRandom(SEED);
const together = clustered(count + POINTS, dimension, CLUSTERS, random);
const within = together.slice(0, count);
const SETS = {
  spread: ['evenly spread', spread(count, dimension, random), spread(POINTS, dimension, random)],
  within: ['clustered, and asked for within the clusters', within, together.slice(count)],
  beyond: ['clustered, and asked for from other clusters', within, clustered(POINTS, dimension, CLUSTERS, random)],
};
for (const [name, [title, ...sets]] of Object.entries(SETS)) {
  if (options.set?.includes(name) === false) continue;
  console.log(title);
  const [vectors, points] = sets.map(packed);
  const wanted = points.map((point) => exactly(vectors, point));
  const graph = build('graph', () => graphOf(vectors));
  measure('all by their codes', points, wanted, (point) => nearestOfAll(graph, point));
  for (const ef of efs) measure(`graph, ef ${ef}`, points, wanted, (point) => nearest(graph, point, ef));
  if (HierarchicalNSW === undefined) continue;
  const other = new HierarchicalNSW('l2', dimension);
  build('hnswlib-node', () => {
    other.initIndex(count, M, EFC, 100);
    for (const [at, vector] of vectors.entries()) other.addPoint([...vector], at);
  });
  for (const ef of efs) {
    other.setEf(ef);
    measure(`hnswlib-node, ef ${ef}`, points, wanted, (point) => other.searchKnn([...point], K).neighbors);
  }
}
