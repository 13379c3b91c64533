/** Exact searches, beside a plain loop over the same vectors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { isArray, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { distanceOf } from '../../src/vectors/distances.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { clustered, plainLoop, seededRandom, spread } from './measured.js';

const METRICS = ['EUCLIDEAN', 'COSINE', 'MANHATTAN', 'CHEBYSHEV', 'MINKOWSKI 3', 'HAMMING', 'JACCARD', 'PEARSON'];
const COUNT = 1_500;
const DIMENSION = 17;
const SEED = 7;

let database: OpenDatabase;
let owner: Session;

beforeAll(async () => {
  database = await openDatabase(await openEngine('memory'), {});
  owner = database.ownerSession();
  await owner.use('test', 'test');
});
afterAll(() => database.close());

async function ask(text: string, vector: readonly number[]): Promise<readonly Value[]> {
  const [result] = await owner.query(text, { vector: [...vector] });
  if (!result?.outcome.ok || !isArray(result.outcome.value)) throw new Error('no rows');
  return result.outcome.value;
}

function keys(ids: readonly Value[]): number[] {
  return ids.map((id) => (id as RecordId).key as number);
}

const random = seededRandom(SEED);
const SETS = {
  spread: spread(COUNT, DIMENSION, random),
  clustered: clustered(COUNT, DIMENSION, 20, random),
  // Of few values each, so that many lie at the same distance.
  coarse: spread(COUNT, DIMENSION, () => Math.floor(random() * 3)),
};

describe.each(Object.entries(SETS))('%s (seed 7)', (name, vectors) => {
  beforeAll(async () => {
    await owner.query(`DEFINE TABLE ${name}; DEFINE INDEX part ON ${name} FIELDS part`);
    const rows = vectors.map((v, at) =>
      objectFrom(Object.entries({ id: new RecordId(name, at), v, part: at % 50, flag: at % 2 === 0 })),
    );
    const [inserted] = await owner.query(`INSERT INTO ${name} $rows RETURN NONE`, { rows });
    expect(inserted?.outcome).toMatchObject({ ok: true });
  });

  test.each(METRICS)('%s', async (text) => {
    const distance = distanceOf(parseMetric(text));
    for (const point of [vectors[3] as number[], ...spread(3, DIMENSION, random)]) {
      const packed = Float64Array.from(point);
      const measure = (vector: readonly number[]) => distance(Float64Array.from(vector), packed);
      // Twice, since vectors are kept packed.
      await ask(`SELECT VALUE id FROM ${name} WHERE v <|1,${text}|> $vector`, point);
      const search = (k: number, rest = '') =>
        ask(`SELECT VALUE id FROM ${name} WHERE v <|${k},${text}|> $vector ${rest}`, point);
      for (const k of [1, 10, COUNT + 1]) expect(keys(await search(k))).toEqual(plainLoop(vectors, k, measure));
      const even = vectors.map((vector, at) => (at % 2 === 0 ? vector : undefined));
      expect(keys(await search(10, 'AND flag'))).toEqual(plainLoop(even, 10, measure));
      const part = vectors.map((vector, at) => (at % 50 === 9 ? vector : undefined));
      expect(keys(await search(10, 'AND part = 9'))).toEqual(plainLoop(part, 10, measure));
    }
  });
});

test('finds what was changed since it was searched, in this transaction or another (seed 7)', async () => {
  const vectors = new Map(spread(700, 8, random).map((vector, at) => [at, vector] as const));
  const rows = [...vectors].map(([at, v]) => objectFrom(Object.entries({ id: new RecordId('moving', at), v })));
  await owner.query('INSERT INTO moving $rows RETURN NONE', { rows });
  const point = Array.from({ length: 8 }, random);
  const squared = (vector: readonly number[]) =>
    vector.reduce((sum, component, at) => sum + (component - (point[at] as number)) ** 2, 0);
  const search = 'SELECT VALUE id FROM moving WHERE v <|20,EUCLIDEAN|> $vector';
  const expected = () =>
    plainLoop(
      Array.from({ length: 800 }, (_, at) => vectors.get(at)),
      20,
      squared,
    );
  for (let round = 0; round < 12; round++) {
    expect(keys(await ask(search, point))).toEqual(expected());
    const [nearest = 0, next = 0] = expected();
    const cancelled = await owner.query(`BEGIN; DELETE moving:${next}; ${search}; CANCEL`, { vector: point });
    expect(cancelled.length).toBe(4);
    expect(keys(await ask(search, point))).toEqual(expected());
    await owner.query(`DELETE moving:${nearest}; UPDATE moving:${next} SET v[0] = 9`);
    await owner.query(`CREATE moving:${700 + round} SET v = $vector`, { vector: point });
    vectors.delete(nearest);
    vectors.set(next, [9, ...(vectors.get(next) as number[]).slice(1)]);
    vectors.set(700 + round, point);
  }
});
