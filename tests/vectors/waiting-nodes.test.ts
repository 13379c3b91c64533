/** Vectors that are in the graph of an HNSW index, but not linked yet: all of them are found, and exactly. */
import { afterEach, expect, test } from 'vitest';
import { AT_ONCE } from '../../src/base/work/work.js';
import { type LinkBounds, linkChanged } from '../../src/index/hnsw/link.js';
import { ResidentGraphs } from '../../src/index/hnsw/resident-graphs.js';
import { StoredGraph } from '../../src/index/hnsw/stored-graph.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { BeginOptions } from '../../src/storage/contract.js';
import { forEachBatch } from '../../src/storage/cursor.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import type { SnapshotTransaction } from '../../src/storage/transaction/transaction.js';
import { isArray, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';
import { graphOf } from './linked-graph.js';
import { plainLoop, seededRandom, spread } from './measured.js';

const SEED = 61;
const DIMENSION = 8;
/** Most of them are linked in the end. */
const COUNT = 1_200;
const LINKED = 1_024;

/** Its background does nothing: what another server with the same store would do is done by `link`. */
class HaltedEngine extends MemoryEngine {
  override begin(options: BeginOptions): SnapshotTransaction {
    if (options.maintenance === true) throw new Error('halted');
    return super.begin(options);
  }
}

/** `D`, four bytes of the database, `x`, four of the table, four of the index: what its keys begin with. */
const PREFIX = 14;

async function link(engine: MemoryEngine, bounds: LinkBounds, stamp: string): Promise<void> {
  const transaction = engine.begin({ writable: true });
  let index = '';
  await forEachBatch(transaction.scan({ from: 'D', to: 'E' }), (batch) => {
    for (const [key] of batch) if (key[5] === 'x') index = key.slice(0, PREFIX);
    return false;
  });
  const metric = parseMetric('EUCLIDEAN');
  const numbers = { dimension: DIMENSION, m: 12, m0: 24, levelFactor: 0.4, efConstruction: 150 };
  const options = { ...numbers, metric, extendCandidates: false, keepPrunedConnections: false };
  const stored = new StoredGraph(transaction, index, options, AT_ONCE);
  await linkChanged({ stored, type: 'F32', graphs: new ResidentGraphs(new PackedCache(2 ** 26)), stamp }, bounds);
  await transaction.commit();
}

let database: OpenDatabase | undefined;
afterEach(async () => {
  await database?.close();
  database = undefined;
});

test.each<readonly [string, DatabaseOptions]>([
  ['in memory', {}],
  ['beyond the memory for vectors', { memory: { vectors: 0 } }],
])('%s (seed 61)', async (_, options) => {
  const random = seededRandom(SEED);
  const engine = new HaltedEngine();
  database = await openDatabase(engine, options);
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const ask = async (text: string, variables: Record<string, Value> = {}): Promise<Value> => {
    const outcome = (await owner.query(text, variables)).at(-1)?.outcome;
    expect(outcome).toMatchObject({ ok: true });
    return outcome?.ok ? outcome.value : undefined;
  };
  const vectors: (readonly number[] | undefined)[] = spread(COUNT, DIMENSION, random);
  const check = async (ef: number) => {
    const [point = []] = spread(1, DIMENSION, random);
    const squared = (vector: readonly number[]) =>
      vector.reduce((sum, each, at) => sum + (Math.fround(each) - Math.fround(point[at] as number)) ** 2, 0);
    const found = await ask(`SELECT VALUE id.id() FROM t WHERE v <|5,${ef}|> $point`, { point: [...point] });
    const exact = plainLoop(vectors, 5, squared);
    return (isArray(found) ? found : []).filter((id) => exact.includes(Number(id))).length;
  };
  await ask(`DEFINE INDEX x ON t FIELDS v HNSW DIMENSION ${DIMENSION}`);
  const rows = vectors.map((v, at) => objectFrom(Object.entries({ id: new RecordId('t', at), v: [...(v ?? [])] })));
  await ask('INSERT INTO t $rows RETURN NONE', { rows });
  await link(engine, { least: 1, placed: COUNT, linked: 0 }, 'first');
  expect((await graphOf(engine))[1]).toMatchObject({ live: COUNT, waiting: COUNT });
  for (const ef of [5, 200]) expect(await check(ef)).toBe(5);

  // These are dead when their turn comes.
  vectors[3] = undefined;
  vectors[COUNT - 1] = undefined;
  await ask(`DELETE t:3, t:${COUNT - 1}`);
  await link(engine, { least: 1, placed: COUNT, linked: 0 }, 'second');
  for (const ef of [5, 200]) expect(await check(ef)).toBe(5);
  await link(engine, { least: 1, placed: 1, linked: LINKED }, 'third');
  const { live, dead, waiting } = (await graphOf(engine))[1];
  expect([live, dead, waiting]).toEqual([COUNT - 2, 2, COUNT - LINKED]);
  let hits = 0;
  for (let asked = 0; asked < 20; asked++) hits += await check(10);
  expect(hits).toBeGreaterThan(80);
  expect(await check(200)).toBe(5);
});
