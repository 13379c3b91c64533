/** What searches learn of walks through a graph, and that they measure all vectors where walks miss much. */
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { isArray, objectFrom, RecordId } from '../../src/value/value.js';
import { Graph, type Need } from '../../src/vectors/hnsw/graph.js';
import type { FoundNode } from '../../src/vectors/hnsw/layer-search.js';
import { WalkQuality } from '../../src/vectors/hnsw/walk-quality.js';
import { isPoorWalk } from '../../src/vectors/hnsw/walk-sample.js';
import { FloatScan } from '../../src/vectors/hnsw/whole-scan.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { linkedGraph } from './linked-graph.js';
import { plainLoop, seededRandom, spread } from './measured.js';

const SEED = 3;
const all = () => true;

function run<T>(work: Generator<Need, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

test.each(['EUCLIDEAN', 'COSINE'])('samples show what walks miss: %s (seed 3)', (metric) => {
  const random = seededRandom(SEED);
  const dimension = 12;
  const graph = new Graph(
    {
      ...{ metric: parseMetric(metric), dimension, m: 12, m0: 24, levelFactor: 0.4, efConstruction: 150 },
      ...{ extendCandidates: false, keepPrunedConnections: false },
    },
    false,
  );
  const links = { isDead: false, layers: [new Uint32Array()] };
  for (const [id, vector] of spread(4_000, dimension, random).entries()) {
    graph.add(id, { key: `k${id}`, vector: Float32Array.from(vector), links });
  }
  /** One that finds 100, one of so many that are near. */
  const walk = (oneOf: number): boolean => {
    const point = Float32Array.from({ length: dimension }, random);
    const scan = new FloatScan(graph, { point, accepts: all, first: 0 });
    run(scan.run());
    const found: FoundNode[] = run(scan.found(100 * oneOf)).filter((_, at) => (at + 1) % oneOf === 0);
    if (graph.codes === undefined) throw new Error('no codes');
    return run(isPoorWalk(graph, graph.codes, { point, accepts: all, end: graph.slots }, found));
  };
  const sampled = Array.from({ length: 60 }, () => walk(1));
  expect([sampled.filter((isPoor) => isPoor).length, graph.walks.wantsAllMeasured()]).toEqual([0, false]);
  // Walks that find an eighth are noticed at once, those that find half after some.
  expect(walk(8)).toBe(true);
  for (let round = 0; round < 60; round++) walk(2);
  expect(graph.walks.wantsAllMeasured()).toBe(true);
  // Nodes behind the end are none that a walk could have met.
  expect(
    run(isPoorWalk(graph, graph.codes as never, { point: new Float32Array(dimension), accepts: all, end: 0 }, [])),
  ).toBe(true);
});

test('looks again once in a while', () => {
  const walks = new WalkQuality();
  expect([walks.wantsAllMeasured(), walks.wantsSample()]).toEqual([false, true]);
  for (let round = 0; round < 10; round++) walks.note(8, 16);
  const tried = Array.from({ length: 64 }, () => walks.wantsAllMeasured()).filter((measures) => !measures).length;
  expect(tried).toBe(4);
  for (let round = 0; round < 80; round++) walks.note(8, 8);
  expect(walks.wantsAllMeasured()).toBe(false);
  expect(Array.from({ length: 64 }, () => walks.wantsSample()).filter((samples) => samples).length).toBe(4);
});

test('searches of a poor graph find the nearest (seed 3)', async () => {
  const random = seededRandom(SEED);
  const [count, dimension, k] = [1_100, 48, 2];
  const vectors = spread(count, dimension, random);
  const engine = await openEngine('memory');
  const database = await openDatabase(engine, {});
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const rows = vectors.map((v, at) => objectFrom(Object.entries({ id: new RecordId('t', at), v })));
  await owner.query(`DEFINE TABLE t; DEFINE INDEX x ON t FIELDS v HNSW DIMENSION ${dimension} M 2 EFC 2`);
  await owner.query('INSERT INTO t $rows RETURN NONE', { rows });
  await linkedGraph(engine);
  let hits = 0;
  // It takes some to learn that.
  const [learning, searches] = [100, 30];
  for (let search = 0; search < learning + searches; search++) {
    const vector = Array.from({ length: dimension }, random);
    const [result] = await owner.query(`SELECT VALUE id FROM t WHERE v <|${k},${k}|> $vector`, { vector });
    const found = result?.outcome.ok && isArray(result.outcome.value) ? result.outcome.value : [];
    const squared = (other: readonly number[]) =>
      other.reduce((sum, component, at) => sum + (component - (vector[at] as number)) ** 2, 0);
    const nearest = new Set(plainLoop(vectors, k, squared));
    if (search < learning) continue;
    hits += found.filter((id) => nearest.has((id as RecordId).key as number)).length;
  }
  // The graph by itself finds less than a third.
  expect(hits).toBe(k * searches);
  await database.close();
});
