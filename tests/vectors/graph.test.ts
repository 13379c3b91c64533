/** Graphs by themselves: what they find beside a plain loop, after changes too; that they depend on nothing but the data. */
import { describe, expect, test, vi } from 'vitest';
import { encodeKey } from '../../src/value/codecs/key-codec.js';
import { distanceOf } from '../../src/vectors/distances.js';
import { searchEntries } from '../../src/vectors/hnsw/descend.js';
import { Graph, type GraphOptions, type Need } from '../../src/vectors/hnsw/graph.js';
import { levelOf, link, mend, place } from '../../src/vectors/hnsw/insert.js';
import { LayerSearch } from '../../src/vectors/hnsw/layer-search.js';
import { scanWhole } from '../../src/vectors/hnsw/whole-scan.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { inTurns, RUNS_ALL } from '../support/runs-all.js';
import { clustered, plainLoop, type Random, seededRandom, spread } from './measured.js';

const SEED = 23;
const COUNT = RUNS_ALL ? 4_000 : 400;
const DIMENSION = 16;
const K = 10;

function optionsOf(metric: string, more: Partial<GraphOptions> = {}): GraphOptions {
  return {
    metric: parseMetric(metric),
    dimension: DIMENSION,
    m: 12,
    m0: 24,
    levelFactor: 1 / Math.log(12),
    efConstruction: 150,
    extendCandidates: false,
    keepPrunedConnections: false,
    ...more,
  };
}

/** Does work on a graph of which all nodes are here. */
function run<T>(work: Generator<Need, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    expect(step.value).toEqual([]);
  }
}

class Vectors {
  readonly graph: Graph;
  readonly vectors: (Float32Array | undefined)[] = [];

  constructor(options: GraphOptions, hasSimd = true) {
    this.graph = new Graph(options, false, hasSimd);
  }

  add(vector: readonly number[]): void {
    const id = this.vectors.length;
    this.vectors.push(Float32Array.from(vector));
    run(link(this.graph, place(this.graph, id, encodeKey(id), this.vectors[id] as Float32Array)));
  }

  delete(id: number): void {
    this.graph.kill(id);
    this.vectors[id] = undefined;
  }

  /** Links the living past the dead, and removes these. */
  sweep(): void {
    const { graph, vectors } = this;
    const isAlive = (id: number) => vectors[id] !== undefined;
    const ids = [...vectors.keys()];
    for (const id of ids.filter(isAlive)) run(mend(graph, id));
    const living = ids.filter(isAlive).sort((a, b) => graph.levelOf(b) - graph.levelOf(a));
    graph.entry = living[0];
    graph.top = graph.levelOf(living[0] as number);
    for (const id of ids.filter((each) => !isAlive(each))) graph.remove(id);
  }

  nearest(point: Float32Array, ef: number): number[] {
    const { graph } = this;
    const search = new LayerSearch(graph, { point, layer: 0, ef, accepts: (slot) => !graph.isDead(slot) });
    run(search.run(run(searchEntries(graph, point))));
    const found = search.found();
    search.close();
    return found.slice(0, K).map(({ slot }) => slot);
  }

  recall(points: readonly Float32Array[], ef: number): number {
    const { metric } = this.graph.options;
    const distance = distanceOf(metric);
    const vectors = this.vectors.map((vector) => vector && [...vector]);
    const hits = points.map((point) => {
      const exact = plainLoop(vectors, K, (vector) => distance(Float64Array.from(vector), point));
      return this.nearest(point, ef).filter((id) => exact.includes(id)).length;
    });
    return hits.reduce((sum, each) => sum + each, 0) / (K * points.length);
  }

  check(points: readonly Float32Array[], leastRecall = LEAST_RECALL): void {
    for (const [ef, least] of leastRecall) expect(this.recall(points, ef)).toBeGreaterThanOrEqual(least);
  }
}

const LEAST_RECALL: readonly (readonly [ef: number, least: number])[] = [
  [40, 0.9],
  [100, 0.95],
  [200, 0.98],
];
/** By the greatest difference of evenly spread components many are about as far away: 40 candidates are few. */
const LEAST_CHEBYSHEV: typeof LEAST_RECALL = [
  [40, 0.8],
  [100, 0.95],
  [200, 0.98],
];

const SETS: readonly (readonly [string, (count: number, random: Random) => number[][]])[] = [
  ['spread', (count, random) => spread(count, DIMENSION, random)],
  ['clustered', (count, random) => clustered(count, DIMENSION, 20, random)],
];

describe.each(inTurns('sets of vectors', SETS))('of vectors that are %s (seed 23)', (_, make) => {
  test.each([
    ['EUCLIDEAN', true],
    ['EUCLIDEAN', false],
    ['COSINE', true],
    ['MANHATTAN', true],
    ['CHEBYSHEV', true],
  ] as const)('by %s, SIMD %s: after a build, deletes, updates', (metric, hasSimd) => {
    const random = seededRandom(SEED);
    const leastRecall = metric === 'CHEBYSHEV' ? LEAST_CHEBYSHEV : LEAST_RECALL;
    const all = new Vectors(optionsOf(metric), hasSimd);
    // All from one set: what is asked for comes from the same clusters as what is stored, as embeddings do.
    const set = make(2 * COUNT + 20, random);
    const updated = set.slice(COUNT, 2 * COUNT);
    const points = set.slice(2 * COUNT).map((vector) => Float32Array.from(vector));
    for (const vector of set.slice(0, COUNT)) all.add(vector);
    all.check(points, leastRecall);
    for (let id = 0; id < COUNT; id++) if (id % 10 < 3) all.delete(id);
    all.check(points, leastRecall);
    all.sweep();
    all.check(points, leastRecall);
    for (let id = 0; id < COUNT; id++) {
      if (id % 10 < 3 || id % 10 >= 6) continue;
      all.delete(id);
      all.add(updated[id] as number[]);
    }
    all.check(points, leastRecall);
    all.sweep();
    all.check(points, leastRecall);
  });

  test('with fewer links in the lowest layer than above it', () => {
    const random = seededRandom(SEED);
    const all = new Vectors(optionsOf('EUCLIDEAN', { m: 16, m0: 4, levelFactor: 1 }));
    for (const vector of make(COUNT, random)) all.add(vector);
    expect(all.graph.top).toBeGreaterThan(1);
    for (const vector of make(20, random)) expect(all.nearest(Float32Array.from(vector), 40)).toHaveLength(K);
  });

  test('by the options of the paper', () => {
    const random = seededRandom(SEED);
    const options = { extendCandidates: true, keepPrunedConnections: true };
    const [plain, all] = [new Vectors(optionsOf('EUCLIDEAN')), new Vectors(optionsOf('EUCLIDEAN', options))];
    for (const vector of make(300, random)) {
      plain.add(vector);
      all.add(vector);
    }
    const links = ({ graph }: Vectors) =>
      Array.from({ length: 300 }, (_each, id) => graph.linksOf(id).layers[0]?.length ?? 0).reduce((a, b) => a + b, 0);
    // Those that were pruned fill what is left.
    expect(links(all)).toBeGreaterThan(links(plain));
    all.check(make(20, random).map((vector) => Float32Array.from(vector)));
  });
});

test('the nearest to points that lie far from all clusters are found in the right ones', () => {
  const random = seededRandom(41);
  const all = new Vectors(optionsOf('EUCLIDEAN'));
  for (const vector of clustered(RUNS_ALL ? COUNT : 2_000, DIMENSION, 20, random)) all.add(vector);
  const far = clustered(60, DIMENSION, 60, random).map((vector) => Float32Array.from(vector));
  expect(all.recall(far, 40)).toBeGreaterThanOrEqual(0.98);
  expect(all.recall(far, 100)).toBeGreaterThanOrEqual(0.99);
});

/**
 * Of evenly spread vectors of many numbers all are about as far from each other: no graph finds most of the nearest with
 * few candidates. usearch 2.25.3 with the same M and EFC finds 0.88, 0.98, 1 of 1,000, and 0.51, 0.72, 0.89 of 10,000.
 */
test('in the hard set as many are found as by other libraries, after deletes and updates as well', {
  timeout: 300_000,
}, () => {
  const random = seededRandom(SEED);
  const dimension = 128;
  const [count, least]: [number, typeof LEAST_RECALL] = RUNS_ALL
    ? [10_000, [40, 100, 200].map((ef, at) => [ef, [0.48, 0.7, 0.87][at] as number])]
    : [1_000, [40, 100, 200].map((ef, at) => [ef, [0.86, 0.97, 0.99][at] as number])];
  const all = new Vectors(optionsOf('EUCLIDEAN', { dimension }));
  const points = spread(100, dimension, random).map((vector) => Float32Array.from(vector));
  for (const vector of spread(count, dimension, random)) all.add(vector);
  all.check(points, least);
  for (let id = 0; id < count; id++) if (id % 10 < 3) all.delete(id);
  all.sweep();
  all.check(points, least);
  for (const vector of spread(0.3 * count, dimension, random)) all.add(vector);
  for (let id = 0; id < count; id++) if (id % 10 >= 3 && id % 10 < 6) all.delete(id);
  all.sweep();
  all.check(points, least);
});

test('where a whole region died its edge is linked past it with bounded work, and pauses', () => {
  const all = new Vectors(optionsOf('EUCLIDEAN'));
  for (const vector of spread(1_200, DIMENSION, seededRandom(SEED))) all.add(vector);
  for (let id = 100; id < 1_200; id++) all.delete(id);
  const reads = vi.spyOn(all.graph, 'readLinks');
  let [longest, before] = [0, 0];
  for (const _ of mend(all.graph, 0)) {
    longest = Math.max(longest, reads.mock.calls.length - before);
    before = reads.mock.calls.length;
  }
  expect(reads.mock.calls.length).toBeLessThan(700);
  expect(longest).toBeLessThan(150);
  const { layers } = all.graph.linksOf(0);
  expect(layers[0]?.length).toBeGreaterThan(0);
  expect([...(layers[0] ?? [])].filter((id) => all.graph.isDead(id))).toEqual([]);
});

test('long vectors are linked with pauses', () => {
  const dimension = 4_096;
  const graph = new Graph(optionsOf('EUCLIDEAN', { dimension }), false);
  const measured = vi.spyOn(graph.arena, 'measure');
  let longest = 0;
  const note = () => {
    const components = measured.mock.calls.reduce((sum, [, count]) => sum + count * dimension, 0);
    longest = Math.max(longest, components);
    measured.mockClear();
  };
  for (const [id, vector] of spread(80, dimension, seededRandom(SEED)).entries()) {
    for (const _ of link(graph, place(graph, id, encodeKey(id), Float32Array.from(vector)))) note();
    note();
  }
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(2 ** 20);
});

test('the same data make the same graph, and what is undone leaves nothing', () => {
  const vectors = spread(200, DIMENSION, seededRandom(SEED));
  const built = () => {
    const all = new Vectors(optionsOf('EUCLIDEAN'));
    for (const vector of vectors) all.add(vector);
    return all;
  };
  const shape = ({ graph }: Vectors) => [
    graph.entry,
    graph.top,
    Array.from({ length: graph.slots }, (_, id) => (Graph.isHere(graph.slotOf(id)) ? graph.linksOf(id) : undefined)),
  ];
  const [one, other] = [built(), built()];
  expect(shape(one)).toEqual(shape(other));
  const { graph } = other;
  const { entry, top } = graph;
  graph.noteChanges();
  for (const vector of spread(50, DIMENSION, seededRandom(1))) other.add(vector);
  for (let id = 0; id < 100; id++) other.delete(id);
  for (let id = 0; id < 50; id++) graph.remove(id);
  expect(graph.changed().length).toBeGreaterThan(150);
  graph.undoChanges();
  graph.entry = entry;
  graph.top = top;
  const undone = shape(other);
  expect([undone[0], undone[1], (undone[2] as unknown[]).slice(0, 200)]).toEqual(shape(one));
  expect((undone[2] as unknown[]).slice(200)).toEqual(new Array(50).fill(undefined));
});

test('a search that goes on finds what one for more finds, and a scan finds all', () => {
  const random = seededRandom(SEED);
  const all = new Vectors(optionsOf('EUCLIDEAN'));
  for (const vector of spread(500, DIMENSION, random)) all.add(vector);
  const point = Float32Array.from(spread(1, DIMENSION, random)[0] as number[]);
  const { graph } = all;
  const search = new LayerSearch(graph, { point, layer: 0, ef: 10 });
  run(search.run(run(searchEntries(graph, point))));
  for (const ef of [40, 160, 500]) {
    search.widen(ef);
    run(search.run());
    const found = search.found();
    expect(found).toHaveLength(ef);
    const fresh = new LayerSearch(graph, { point, layer: 0, ef });
    run(fresh.run(run(searchEntries(graph, point))));
    const shared = new Set(fresh.found().map(({ slot }) => slot));
    fresh.close();
    expect(found.filter(({ slot }) => shared.has(slot)).length).toBeGreaterThan(0.95 * ef);
  }
  const scan = scanWhole(graph, { point, accepts: () => true, first: 0 });
  run(scan.run());
  const squared = (vector: readonly number[]) => distanceOf(parseMetric('EUCLIDEAN'))(Float64Array.from(vector), point);
  const exact = plainLoop(
    all.vectors.map((vector) => vector && [...vector]),
    500,
    squared,
  );
  expect(run(scan.found(500)).map(({ slot }) => slot)).toEqual(exact);
});

test('levels follow from keys alone, about as many as there should be', () => {
  const levels = Array.from({ length: 20_000 }, (_, at) => levelOf(encodeKey(at), 1 / Math.log(12)));
  for (let level = 1; level <= 3; level++) {
    const share = levels.filter((each) => each >= level).length / levels.length;
    expect(share).toBeGreaterThan(0.7 * 12 ** -level);
    expect(share).toBeLessThan(1.3 * 12 ** -level);
  }
  expect([levelOf('a', 0), levelOf('a', -1), levelOf('a', 1e9)]).toEqual([0, 0, 32]);
});
