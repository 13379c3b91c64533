/**
 * HNSW indexes whose vectors are linked while they are searched: no answer shows what the transaction doesn't see, in
 * memory and beyond it, on a store that answers later, after a restart.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { GraphState } from '../../src/index/hnsw/graph-state.js';
import { rulesWithout } from '../../src/plan/rewrite.js';
import { RULE_NAMES } from '../../src/plan/rules/rule.js';
import type { HeldTransaction, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { isArray, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { inTurns, RUNS_ALL } from '../support/runs-all.js';
import { graphOf, linkedGraph } from './linked-graph.js';
import { plainLoop, type Random, seededRandom, spread } from './measured.js';

const COUNT = RUNS_ALL ? 1_200 : 400;
const ROUNDS = RUNS_ALL ? 12 : 2;
const DIMENSION = 5;
const SEED = 31;

/** What statements run in: a session, or a transaction that it holds. */
type Runner = Pick<Session, 'query'> | Pick<HeldTransaction, 'query'>;

let database: OpenDatabase | undefined;
afterEach(async () => {
  await database?.close();
  database = undefined;
});

async function ask(runner: Runner, text: string, variables: Record<string, Value> = {}): Promise<Value> {
  const results = await runner.query(text, variables);
  for (const { outcome } of results) expect(outcome).toMatchObject({ ok: true });
  const outcome = results.at(-1)?.outcome;
  return outcome?.ok ? outcome.value : undefined;
}

/** The vectors of the records of `t`, by their ids. */
type Model = readonly (readonly number[] | undefined)[];

class Table {
  model: (readonly number[] | undefined)[] = [];

  constructor(
    readonly runner: Runner,
    private readonly engine: Engine,
    private readonly random: Random,
  ) {}

  async define(): Promise<void> {
    await ask(
      this.runner,
      `DEFINE TABLE t PERMISSIONS FOR select WHERE open; DEFINE FIELD v ON t; DEFINE FIELD open ON t; DEFINE INDEX byPart ON t FIELDS part;
      DEFINE INDEX x ON t FIELDS v HNSW DIMENSION ${DIMENSION} EFC 60`,
    );
    const rows = spread(COUNT, DIMENSION, this.random).map((v, at) => this.#row(at, v));
    await ask(this.runner, 'INSERT INTO t $rows RETURN NONE', { rows });
  }

  #row(at: number, v: readonly number[]): Value {
    this.model[at] = v;
    return objectFrom(Object.entries({ id: new RecordId('t', at), v: [...v], part: at % 40, open: at % 3 === 0 }));
  }

  /** Changes some, deletes some, adds some. */
  async change(): Promise<void> {
    const { random } = this;
    const gone: RecordId[] = [];
    const rows: Value[] = [];
    for (let at = 0; at < this.model.length; at++) {
      const drawn = random();
      if (drawn < 0.3) gone.push(new RecordId('t', at));
      else if (drawn < 0.7) rows.push(this.#row(at, spread(1, DIMENSION, random)[0] as number[]));
    }
    for (const { key } of gone) this.model[Number(key)] = undefined;
    rows.push(this.#row(this.model.length, spread(1, DIMENSION, random)[0] as number[]));
    await ask(this.runner, 'DELETE $gone RETURN NONE; FOR $row IN $rows { UPSERT $row.id CONTENT $row RETURN NONE }', {
      gone,
      rows,
    });
  }

  linked(): Promise<GraphState> {
    return linkedGraph(this.engine);
  }
}

/** What a search finds is what a loop over the model finds. Answers how good those are that needn't find all. */
async function check(runner: Runner, model: Model, random: Random, sees = (_: number) => true): Promise<number> {
  const [point = []] = spread(1, DIMENSION, random);
  const squared = (vector: readonly number[]) =>
    vector.reduce((sum, component, at) => sum + (Math.fround(component) - Math.fround(point[at] as number)) ** 2, 0);
  const exact = (k: number, test: (at: number) => boolean) =>
    plainLoop(
      model.map((vector, at) => (sees(at) && test(at) ? vector : undefined)),
      k,
      squared,
    );
  const found = async (k: number, ef: number, rest = '') => {
    const text = `SELECT id, v, vector::distance::knn() AS d FROM t WHERE v <|${k},${ef}|> $point ${rest}`;
    const rows = await ask(runner, text, { point: [...point] });
    return (isArray(rows) ? rows : []).map((row) => {
      const { id, v, d } = row as {
        readonly id: RecordId;
        readonly v: number[];
        readonly d: { readonly value?: number };
      };
      const at = Number(id.key);
      expect(v).toEqual(model[at]);
      expect(Number(d)).toBeCloseTo(Math.sqrt(squared(v)), 9);
      return at;
    });
  };
  expect(await found(10, 40)).toEqual(exact(10, () => true));
  expect(await found(10, 40, 'AND part = 7')).toEqual(exact(10, (at) => at % 40 === 7));
  expect(await found(10, 40, 'AND part < 20')).toEqual(exact(10, (at) => at % 40 < 20));
  expect(await found(5, 40, 'AND id.id() % 50 = 3')).toEqual(exact(5, (at) => at % 50 === 3));
  expect(await found(model.length, 1)).toEqual(exact(model.length, () => true));
  // With so small an `ef` the graph is walked through: most are found, nearest first.
  const few = await found(5, 5);
  expect(few).toHaveLength(5);
  expect(few).toEqual(exact(model.length, (at) => few.includes(at)));
  const [nearest] = await found(1, 1);
  return (
    few.filter((at) => exact(5, () => true).includes(at)).length / 10 +
    (nearest !== undefined && exact(5, () => true).includes(nearest) ? 0.5 : 0)
  );
}

const ENGINES: readonly (readonly [string, () => Engine, DatabaseOptions])[] = [
  ['memory', () => new MemoryEngine(), {}],
  ['memory, without rules', () => new MemoryEngine(), { tuning: { rules: rulesWithout(RULE_NAMES) } }],
  ['memory, without any for vectors', () => new MemoryEngine(), { memory: { vectors: 0 } }],
  ['a store that answers later', () => new LateEngine(new MemoryEngine(), new Lateness(2, seeded(3))), {}],
];

describe.each(inTurns('linking', ENGINES))('in %s (seed 31)', (_, make, options) => {
  test('searches see what their transaction sees, older, newer, with its own writes, and what they may see', async () => {
    const random = seededRandom(SEED);
    const engine = make();
    database = await openDatabase(engine, { guests: true, ...options });
    const owner = database.ownerSession();
    await owner.use('test', 'test');
    const guest = database.session({});
    await guest.use('test', 'test');
    const table = new Table(owner, engine, random);
    await table.define();
    await check(owner, table.model, random);
    let last = (await table.linked()).sequence;
    expect(last).toBeGreaterThan(0);
    const qualities: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const held = await owner.begin();
      const before = [...table.model];
      await check(held, before, random);
      await table.change();
      await check(owner, table.model, random);
      const { sequence } = await table.linked();
      expect(sequence).toBeGreaterThan(last);
      last = sequence;
      qualities.push(await check(owner, table.model, random));
      qualities.push(await check(held, before, random));
      await check(guest, table.model, random, (at) => at % 3 === 0);
      const own = [...before];
      own[7] = spread(1, DIMENSION, random)[0];
      own[8] = undefined;
      await ask(held, 'UPSERT t:7 SET v = $v, part = 7 RETURN NONE; DELETE t:8', { v: [...(own[7] ?? [])] });
      await check(held, own, random);
      await held.cancel();
      await check(owner, table.model, random);
    }
    const quality = qualities.reduce((sum, each) => sum + each, 0) / qualities.length;
    expect(quality).toBeGreaterThan(0.75);
  }, 120_000);
});

test('in a folder, after a restart, the graph is read as it was (seed 31)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-linking-'));
  try {
    const random = seededRandom(SEED);
    const open = async () => {
      const engine = await openEngine(folder);
      database = await openDatabase(engine, {});
      const owner = database.ownerSession();
      await owner.use('test', 'test');
      return { engine, owner };
    };
    const first = await open();
    const table = new Table(first.owner, first.engine, random);
    await table.define();
    await table.linked();
    await table.change();
    const state = await table.linked();
    await database?.close();
    const second = await open();
    await check(second.owner, table.model, random);
    const [, after] = await graphOf(second.engine);
    expect(after.live + after.dead).toBe(state.live + state.dead);
  } finally {
    await database?.close();
    database = undefined;
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
