/** Searches by HNSW indexes, beside a plain loop over the same vectors: after changes, with conditions, after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { isArray, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { clustered, plainLoop, type Random, seededRandom, spread } from './measured.js';

const COUNT = 600;
const DIMENSION = 9;
const SEED = 11;

let database: OpenDatabase | undefined;
afterEach(async () => {
  await database?.close();
  database = undefined;
});

async function open(engine: Engine): Promise<Session> {
  database = await openDatabase(engine, {});
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  return owner;
}

async function ask(session: Session, text: string, vector: readonly number[] = []): Promise<readonly Value[]> {
  const results = await session.query(text, { vector: [...vector] });
  for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
  const outcome = results.at(-1)?.outcome;
  return outcome?.ok && isArray(outcome.value) ? outcome.value : [];
}

/** A table with its vectors, changed in the database and here alike. */
class Points {
  readonly vectors: (number[] | undefined)[];

  constructor(
    private readonly session: Session,
    vectors: readonly number[][],
    private readonly random: Random,
  ) {
    this.vectors = [...vectors];
  }

  async fill(): Promise<void> {
    const rows = this.vectors.map((v, at) =>
      objectFrom(Object.entries({ id: new RecordId('t', at), v, part: at % 50, flag: at % 2 === 0 })),
    );
    const [inserted] = await this.session.query('INSERT INTO t $rows RETURN NONE', { rows });
    expect(inserted?.outcome).toMatchObject({ ok: true });
  }

  /** Changes three vectors of ten, and takes away as many others. */
  async change(): Promise<void> {
    for (let at = 0; at < this.vectors.length; at++) {
      if (at % 10 < 3) {
        await ask(this.session, `DELETE t:${at}`);
        this.vectors[at] = undefined;
      } else if (at % 10 < 6) {
        const vector = Array.from({ length: DIMENSION }, this.random);
        await ask(this.session, `UPDATE t:${at} SET v = $vector RETURN NONE`, vector);
        this.vectors[at] = vector;
      }
    }
  }

  async check(session = this.session): Promise<void> {
    for (const point of [...spread(2, DIMENSION, this.random), this.vectors[8] as number[]]) {
      const squared = (vector: readonly number[]) =>
        vector.reduce((sum, component, at) => sum + (component - (point[at] as number)) ** 2, 0);
      const search = async (k: number, ef: number, rest = '') =>
        (await ask(session, `SELECT VALUE id FROM t WHERE v <|${k},${ef}|> $vector ${rest}`, point)).map(
          (id) => (id as RecordId).key,
        );
      const where = (test: (at: number) => boolean) =>
        this.vectors.map((vector, at) => (test(at) ? vector : undefined));
      expect(await search(10, 40)).toEqual(plainLoop(this.vectors, 10, squared));
      expect(await search(COUNT, 1)).toEqual(plainLoop(this.vectors, COUNT, squared));
      expect(await search(10, 40, 'AND flag')).toEqual(
        plainLoop(
          where((at) => at % 2 === 0),
          10,
          squared,
        ),
      );
      expect(await search(10, 40, 'AND part = 9')).toEqual(
        plainLoop(
          where((at) => at % 50 === 9),
          10,
          squared,
        ),
      );
    }
  }
}

const INDEX = `DEFINE INDEX x ON t FIELDS v HNSW DIMENSION ${DIMENSION} TYPE F64`;

describe.each([
  ['spread', spread],
  ['clustered', (count: number, dimension: number, random: Random) => clustered(count, dimension, 9, random)],
] as const)('of vectors that are %s (seed 11)', (_, make) => {
  test.each([
    ['memory', () => new MemoryEngine()],
    ['a store that answers later', () => new LateEngine(new MemoryEngine(), new Lateness(2, seeded(3)))],
  ] as const)('in %s, defined before and after', async (_name, engine) => {
    const random = seededRandom(SEED);
    const owner = await open(engine());
    const points = new Points(owner, make(COUNT, DIMENSION, random), random);
    await ask(owner, `DEFINE TABLE t; ${INDEX}`);
    await points.fill();
    await points.check();
    await points.change();
    await points.check();
    await ask(owner, `REMOVE INDEX x ON t; ${INDEX}`);
    await points.check();
  });
});

test('in a folder, after a restart (seed 11)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-vectors-'));
  try {
    const random = seededRandom(SEED);
    const owner = await open(await openEngine(folder));
    const points = new Points(owner, spread(COUNT, DIMENSION, random), random);
    await ask(owner, `DEFINE TABLE t; ${INDEX}`);
    await points.fill();
    await points.change();
    await database?.close();
    await points.check(await open(await openEngine(folder)));
    await database?.close();
    database = undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('writers of different records never conflict', async () => {
  const owner = await open(new MemoryEngine());
  await ask(owner, `DEFINE TABLE t; ${INDEX}`);
  const random = seededRandom(SEED);
  const sessions = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const session = (database as OpenDatabase).ownerSession();
      await session.use('test', 'test');
      return session;
    }),
  );
  const held = await Promise.all(sessions.map((session) => session.begin()));
  for (const [at, transaction] of held.entries()) {
    const vector = Array.from({ length: DIMENSION }, random);
    const [created] = await transaction.query(`CREATE t:${at} SET v = $vector`, { vector });
    expect(created?.outcome).toMatchObject({ ok: true });
  }
  for (const transaction of held) await transaction.commit();
  expect(await ask(owner, 'SELECT VALUE id FROM t WHERE v <|9,9|> $vector', new Array(DIMENSION).fill(0))).toHaveLength(
    4,
  );
});
