/** Work on graphs in a store comes in steps: what is read and written between two pauses is bounded. */
import { expect, test } from 'vitest';
import { AT_ONCE, type Work } from '../../src/base/work/work.js';
import type { ChangeSite } from '../../src/index/hnsw/change-graph.js';
import { EMPTY_GRAPH, type GraphState, readGraphState, storeGraphState } from '../../src/index/hnsw/graph-state.js';
import { changedKey, freeKey, stateKey } from '../../src/index/hnsw/layout.js';
import { linkChanged } from '../../src/index/hnsw/link.js';
import { ResidentGraphs } from '../../src/index/hnsw/resident-graphs.js';
import { StoredGraph } from '../../src/index/hnsw/stored-graph.js';
import { vectorKey } from '../../src/index/vectors.js';
import type { Transaction } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { encodeKey } from '../../src/value/codecs/key-codec.js';
import { searchEntries } from '../../src/vectors/hnsw/descend.js';
import { Graph, type GraphOptions } from '../../src/vectors/hnsw/graph.js';
import { link, place } from '../../src/vectors/hnsw/insert.js';
import { LayerSearch } from '../../src/vectors/hnsw/layer-search.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';
import { packVector } from '../../src/vectors/vector-type.js';
import { seededRandom, spread } from './measured.js';

const SEED = 51;
const COUNT = 1_500;
const INDEX = 'index';
const OPTIONS: GraphOptions = {
  metric: parseMetric('EUCLIDEAN'),
  dimension: 16,
  m: 12,
  m0: 24,
  levelFactor: 1 / Math.log(12),
  efConstruction: 40,
  extendCandidates: false,
  keepPrunedConnections: false,
};
/** Entries between two pauses: the nodes to which one links, each with its links, or a batch of a scan. */
const MOST_AT_ONCE = 64;
/** What is written of one vector, and of a state, before the next pause. */
const MOST_PUT = 4;

/** Counts entries that a transaction reads and writes between two pauses. */
class CountedSteps implements Work {
  longest = 0;
  steps = 0;
  #entries = 0;

  take(entries: number): void {
    this.#entries += entries;
    this.longest = Math.max(this.longest, this.#entries);
  }

  readonly checkpoint = (): void => {
    this.#entries = 0;
    this.steps++;
  };

  of(transaction: Transaction): Transaction {
    const counted: Partial<Record<PropertyKey, (...args: never[]) => unknown>> = {
      put: (...args: Parameters<Transaction['put']>) => {
        this.take(1);
        transaction.put(...args);
      },
      getMany: (...args: Parameters<Transaction['getMany']>) => {
        this.take(args[0].length);
        return transaction.getMany(...args);
      },
      scan: (...args: Parameters<Transaction['scan']>) => {
        const cursor = transaction.scan(...args);
        const next = cursor.next.bind(cursor);
        cursor.next = async () => {
          const batch = await next();
          this.take(batch?.length ?? 0);
          return batch;
        };
        return cursor;
      },
    };
    return new Proxy(transaction, {
      get: (target, name) => {
        const found: unknown = counted[name] ?? Reflect.get(target, name, target);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
  }
}

/** What is stored of the linked vectors, and how it was written. */
async function storedVectors(vectors: readonly (readonly number[])[]) {
  const engine = new MemoryEngine();
  const transaction = await engine.begin({ writable: true });
  const steps = new CountedSteps();
  const graph = new Graph(OPTIONS, false);
  graph.noteChanges();
  const unwatched = new StoredGraph(transaction, INDEX, OPTIONS, AT_ONCE);
  for (const [id, vector] of vectors.entries()) {
    const floats = Float32Array.from(vector);
    unwatched.writeNode(id, encodeKey(id), floats, undefined);
    await unwatched.run(graph, link(graph, place(graph, id, encodeKey(id), floats)));
  }
  const state: GraphState = { ...EMPTY_GRAPH, sequence: 1, entry: graph.entry, top: graph.top, next: vectors.length };
  await new StoredGraph(steps.of(transaction), INDEX, OPTIONS, steps).write(graph, state);
  await transaction.commit();
  return { engine, state, steps };
}

test('a graph is written, read and walked through in small steps (seed 51)', async () => {
  const random = seededRandom(SEED);
  const { engine, state, steps: writing } = await storedVectors(spread(COUNT, OPTIONS.dimension, random));
  expect(writing.longest).toBeLessThanOrEqual(MOST_AT_ONCE);
  expect(writing.steps).toBeGreaterThan(COUNT / MOST_AT_ONCE - 1);

  const transaction = await engine.begin({ writable: false });
  const walking = new CountedSteps();
  const stored = new StoredGraph(walking.of(transaction), INDEX, OPTIONS, walking);
  const part = new Graph(OPTIONS, true);
  part.entry = state.entry;
  part.top = state.top;
  const point = Float32Array.from(spread(1, OPTIONS.dimension, random)[0] as number[]);
  const search = new LayerSearch(part, { point, layer: 0, ef: 100 });
  await stored.run(part, search.run(await stored.run(part, searchEntries(part, point))));
  expect(search.found()).toHaveLength(100);
  expect(part.slots).toBeGreaterThan(300);
  expect(walking.longest).toBeLessThanOrEqual(2 * OPTIONS.m0);

  const reading = new CountedSteps();
  const whole = new Graph(OPTIONS, false);
  await new StoredGraph(reading.of(transaction), INDEX, OPTIONS, reading).readAll(whole);
  expect(whole.slots).toBe(COUNT);
  expect(reading.longest).toBeLessThanOrEqual(MOST_AT_ONCE);
  transaction.cancel();
});

test('vectors are linked in small steps, whether the graph is kept in memory or not (seed 52)', async () => {
  for (const room of [2 ** 26, 0]) {
    const random = seededRandom(SEED + 1);
    const engine = new MemoryEngine();
    const writing = await engine.begin({ writable: true });
    const count = 600;
    for (const [at, vector] of spread(count, OPTIONS.dimension, random).entries()) {
      writing.put(vectorKey(INDEX, at), packVector(Float64Array.from(vector), 'F32'));
      writing.put(changedKey(INDEX, encodeKey(at)), true);
    }
    // Ids that are free are read, too.
    for (let id = 0; id < 300; id++) writing.put(freeKey(INDEX, id), true);
    writing.put(stateKey(INDEX), storeGraphState({ ...EMPTY_GRAPH, next: 300 }));
    await writing.commit();

    const graphs = new ResidentGraphs(new PackedCache(room));
    const steps = new CountedSteps();
    const stateNow = async () => {
      const reading = await engine.begin({ writable: false });
      const now = readGraphState(await reading.get(stateKey(INDEX)));
      reading.cancel();
      return now;
    };
    let state = await stateNow();
    for (let stamp = 0; state.live < count || state.waiting > 0; stamp++) {
      steps.checkpoint();
      const transaction = await engine.begin({ writable: true });
      const stored = new StoredGraph(steps.of(transaction), INDEX, OPTIONS, steps);
      const site: ChangeSite = { stored, type: 'F32', graphs, stamp: String(stamp) };
      expect(await linkChanged(site, { least: 1, placed: 400, linked: 400 })).toBe(true);
      await transaction.commit();
      state = await stateNow();
    }
    expect(steps.longest).toBeLessThanOrEqual(MOST_AT_ONCE + MOST_PUT);
    expect(steps.steps).toBeGreaterThan(count);
  }
});
