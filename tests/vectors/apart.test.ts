/** Vectors that 32-bit floats can't measure have no place in a graph: a search finds them beside it. */
import { afterEach, expect, test, vi } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { objectFrom, RecordId } from '../../src/value/value.js';
import { graphOf } from './linked-graph.js';

let database: OpenDatabase | undefined;
afterEach(async () => {
  await database?.close();
  database = undefined;
});

test('the nearest is found though it is too small, or too large, for the graph', async () => {
  const engine = new MemoryEngine();
  database = await openDatabase(engine, {});
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const ask = async (text: string, vectors: readonly (readonly number[])[] = []) => {
    const rows = vectors.map((v, at) => objectFrom(Object.entries({ id: new RecordId('t', at), v: [...v] })));
    const results = await owner.query(text, { rows });
    for (const { outcome } of results) expect(outcome).toMatchObject({ ok: true });
    const outcome = results.at(-1)?.outcome;
    return outcome?.ok ? outcome.value : undefined;
  };
  const linked = (unlinked: number) =>
    vi.waitFor(async () => expect(await graphOf(engine)).toMatchObject([0, { unlinked }]), {
      timeout: 60_000,
      interval: 20,
    });
  const nearest = (point: string, ef = 50) => ask(`SELECT VALUE id FROM t WHERE v <|1,${ef}|> ${point}`);
  await ask('DEFINE TABLE t; DEFINE INDEX x ON t FIELDS v HNSW DIMENSION 2');
  const vectors = Array.from({ length: 128 }, (_, at) => [1 + at, 1]);
  vectors[3] = [1e-15, 0];
  vectors[4] = [1e15, 0];
  vectors[5] = [Number.NaN, 0];
  await ask('INSERT INTO t $rows RETURN NONE', vectors);
  await linked(3);
  expect(await nearest('[0, 0]')).toEqual([new RecordId('t', 3)]);
  expect(await nearest('[1e10, 0]')).toEqual([new RecordId('t', 127)]);
  expect(await nearest('[1e12, 1e12]')).toEqual([new RecordId('t', 127)]);
  expect(await nearest('[9e14, 0]')).toEqual([new RecordId('t', 4)]);
  // They come and go as others do.
  await ask('FOR $row IN $rows { UPSERT $row.id CONTENT $row RETURN NONE }', [
    ...vectors.slice(0, 3),
    [-1, 0],
    ...vectors.slice(4).map(([x = 0, y = 0]) => [x + 0.25, y]),
  ]);
  await linked(2);
  expect(await nearest('[0, 0]')).toEqual([new RecordId('t', 3)]);
  expect(await nearest('[1, 1]')).toEqual([new RecordId('t', 0)]);
}, 120_000);
