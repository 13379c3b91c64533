// How many of the ten nearest neighbours an HNSW graph by itself finds, without a store and without the rest of a statement: the recall of
// `<|10,ef|>` where there are more vectors than are all measured. Needs a build (`npm run build`).
//
//     node bench/graph-recall.mjs [vectors=10000] [numbers=16]
import { readOptions } from '../scripts/options.mjs';
import { seededRandom } from './data/seeded-random.mjs';
import { clustered, spread } from './data/vectors.mjs';

const HELP = `How many of the ten nearest neighbours an HNSW graph by itself finds. Needs a build.

  node bench/graph-recall.mjs [VECTORS] [NUMBERS]

VECTORS is how many there are (10000), NUMBERS how many each has (16).

  -h, --help   prints this`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [count, dimension] = [10_000, 16].map((standard, at) => Number(positionals[at] ?? standard));

const load = (name) => import(new URL(`../dist/${name}.js`, import.meta.url));
const { encodeKey } = await load('value/codecs/key-codec');
const { parseMetric } = await load('vectors/metric');
const { Graph } = await load('vectors/hnsw/graph');
const { searchEntries } = await load('vectors/hnsw/descend');
const { link, place } = await load('vectors/hnsw/insert');
const { LayerSearch } = await load('vectors/hnsw/layer-search');

const SEED = 23;
const POINTS = 100;
const CLUSTERS = 20;
const K = 10;
const M = 12;

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
    ...{ metric, dimension, m: M, m0: 2 * M, levelFactor: 1 / Math.log(M), efConstruction: 150 },
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
  return found.slice(0, K);
}

/** By a plain loop. */
function exactly(vectors, point) {
  const distances = vectors.map((vector) => vector.reduce((sum, each, at) => sum + (each - point[at]) ** 2, 0));
  return new Set([...distances.keys()].sort((a, b) => distances[a] - distances[b]).slice(0, K));
}

const packed = (vectors) => vectors.map((vector) => Float32Array.from(vector));
const random = seededRandom(SEED);
const together = clustered(count + POINTS, dimension, CLUSTERS, random);
const SETS = {
  'evenly spread': [spread(count, dimension, random), spread(POINTS, dimension, random)],
  'clustered, and asked for within the clusters': [together.slice(0, count), together.slice(count)],
  'clustered, and asked for from other clusters': [
    together.slice(0, count),
    clustered(POINTS, dimension, CLUSTERS, random),
  ],
};
for (const [name, sets] of Object.entries(SETS)) {
  const [vectors, points] = sets.map(packed);
  const graph = graphOf(vectors);
  const wanted = points.map((point) => exactly(vectors, point));
  const recalls = [40, 100, 200].map((ef) => {
    const hits = points.map((point, at) => nearest(graph, point, ef).filter(({ slot }) => wanted[at].has(slot)).length);
    return `ef ${ef}: ${(hits.reduce((sum, each) => sum + each, 0) / (K * POINTS)).toFixed(3)}`;
  });
  console.log(`${name}: ${recalls.join(', ')}`);
}
