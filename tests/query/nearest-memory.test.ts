import { afterEach, expect, test, vi } from 'vitest';
import { Nearest } from '../../src/vectors/nearest.js';
import { run, World } from '../support/world.js';

afterEach(() => vi.restoreAllMocks());

test('neighbours count for the memory of a request while they are collected, not only afterwards', async () => {
  const world = await World.open({ memory: { request: 512 * 1024 } });
  await run(world.owner, 'DEFINE TABLE point; DEFINE INDEX near ON point FIELDS at HNSW DIMENSION 2');
  for (let from = 0; from < 8_000; from += 1_000) {
    const rows = `(<array> ${from}..${from + 1_000}).map(|$n| { id: $n, at: [$n, 1] })`;
    await run(world.owner, `INSERT INTO point ${rows} RETURN NONE`);
  }
  const exact = 'SELECT VALUE id FROM point WHERE at <|1000000,EUCLIDEAN|> [1, 1]';
  await expect(run(world.owner, exact)).rejects.toMatchObject({ code: 'request_memory_exceeded' });
  const offer = vi.spyOn(Nearest.prototype, 'offer');
  const search = (k: number) => run(world.owner, `SELECT VALUE id FROM point WHERE at <|${k},40|> [1, 1]`);
  await expect(search(1_000_000)).rejects.toMatchObject({ code: 'request_memory_exceeded' });
  expect(offer.mock.calls.length).toBeGreaterThan(3_000);
  expect(offer.mock.calls.length).toBeLessThan(5_000);
  expect(await search(1)).toHaveLength(1);
  await world.close();
});

test('neighbours are passed on some at a time', async () => {
  const world = await World.open();
  await run(world.owner, 'INSERT INTO point (<array> 0..1_500).map(|$n| { id: $n, n: $n, at: [$n, 1] }) RETURN NONE');
  const near = 'SELECT VALUE record::id(id) FROM point WHERE at <|2000,EUCLIDEAN|> [1, 1]';
  const [ids] = await run(world.owner, near);
  expect(ids).toHaveLength(1_500);
  expect(new Set(ids as number[]).size).toBe(1_500);
  expect((ids as number[]).slice(3)).toEqual(Array.from({ length: 1_497 }, (_, at) => at + 3));
  const [first] = await run(world.owner, `${near} AND n > 600 LIMIT 2`);
  expect(first).toEqual([601, 602]);
  await world.close();
});
