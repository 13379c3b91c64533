/** Indexes that are built in the background: what is seen and refused while that goes on, and what is left when something comes between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { INDEX_QUEUE } from '../../src/catalog/keys/store-keys.js';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import type { Environment } from '../../src/env/environment.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { Engine, KeyRange } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { StubbedEnvironment } from '../support/environment.js';

/** A yielding build resumes when the test says so, so that it stands still between two steps. */
class Steps {
  readonly stubbed = new StubbedEnvironment();
  readonly environment: Environment = {
    ...this.stubbed,
    timers: { ...this.stubbed.timers, yield: () => new Promise<void>((resume) => this.#waiting.push(resume)) },
  };
  #waiting: (() => void)[] = [];

  /** Has a round begin, and do its first step. */
  async begin(): Promise<void> {
    this.stubbed.advance(10);
    await this.#settled();
  }

  /** Lets the next step be done; answers false if there is none. */
  async step(): Promise<boolean> {
    const resume = this.#waiting.shift();
    resume?.();
    if (resume !== undefined) await this.#settled();
    return resume !== undefined;
  }

  /** All that waits is done. */
  async finish(): Promise<void> {
    do {
      await this.begin();
      while (await this.step());
    } while ((await queued()) > 0);
  }

  /** Until a build yields, or there is nothing left to be done. */
  async #settled(): Promise<void> {
    do await new Promise((turn) => setImmediate(turn));
    while (this.#waiting.length === 0 && (await queued()) > 0);
    await new Promise((turn) => setImmediate(turn));
    await engine.earlyAnswers?.durable();
  }
}

/** More than one step lists. */
const MANY = 5_000;

let steps: Steps;
let engine: Engine;
let database: OpenDatabase;
let owner: Session;
let reported: Error[];

async function open(on: Engine, options: DatabaseOptions = {}): Promise<void> {
  steps = new Steps();
  reported = [];
  engine = on;
  const { environment } = steps;
  database = await openDatabase(engine, { environment, report: (error) => void reported.push(error), ...options });
  owner = database.ownerSession();
  await owner.use('test', 'test');
}

beforeEach(() => open(new MemoryEngine()));
afterEach(() => database.close());

async function texts(query: string): Promise<string[]> {
  const results = await owner.query(query);
  return results.map(({ outcome }) => (outcome.ok ? toText(outcome.value) : outcome.error.message));
}

async function ask(query: string): Promise<string> {
  return (await texts(query)).at(-1) ?? '';
}

const build = (index = 'i') => ask(`(INFO FOR INDEX ${index} ON t).building`);
const plan = (condition: string) => ask(`EXPLAIN SELECT * FROM t WHERE ${condition}`);
const READY = (initial: number) => `{ initial: ${initial}, pending: 0, status: 'ready', updated: 0 }`;

async function fill(many = MANY): Promise<void> {
  expect(await ask(`FOR $i IN 0..${many} { CREATE type::record('t', $i) SET a = $i, b = $i % 7 }`)).toBe('NONE');
}

async function expectSound(): Promise<void> {
  const faults = new Faults();
  await checkEntries(engine, faults, () => {});
  expect(faults.listed).toEqual([]);
}

/** How many keys lie in a range. */
async function count(range: KeyRange): Promise<number> {
  const transaction = await engine.begin({ writable: false });
  const found = await transaction.count(range);
  transaction.cancel();
  return found;
}

/** Indexes with work that waits. */
const queued = () => count(prefixRange(INDEX_QUEUE));

/** What is stored of databases but their records. */
async function besides(): Promise<number> {
  return (await count(prefixRange('D'))) - Number(await ask('RETURN count(SELECT * FROM t)'));
}

describe('a build in the background', () => {
  test('goes step by step, and answers when it is complete', async () => {
    await fill();
    expect(await texts('DEFINE INDEX i ON t FIELDS b CONCURRENTLY; (INFO FOR TABLE t).indexes')).toEqual([
      'NONE',
      "{ i: 'DEFINE INDEX i ON t FIELDS b' }",
    ]);
    expect(await build()).toBe("{ status: 'started' }");
    await steps.begin();
    expect(await build()).toBe("{ initial: 2048, pending: 0, status: 'indexing' }");
    expect(await plan('b = 1')).toContain('TableScan');
    await steps.step();
    expect(await build()).toBe("{ initial: 4096, pending: 0, status: 'indexing' }");
    while (await steps.step());
    expect(await build()).toBe(READY(MANY));
    expect(await plan('b = 1')).toContain('IndexScan [table: t, index: i');
    expect(await ask('RETURN count(SELECT * FROM t WHERE b = 1)')).toBe('715');
    await expectSound();
    expect(await queued()).toBe(0);
  });

  test('lists what is written meanwhile, behind and before where it is', async () => {
    await fill();
    await ask('DEFINE INDEX i ON t FIELDS b CONCURRENTLY');
    await steps.begin();
    await ask('UPDATE t:1 SET b = 100; DELETE t:2; CREATE t:-1 SET b = 100; UPDATE t:4000 SET b = 100; DELETE t:4001');
    await ask('CREATE t:6000 SET b = [100, 101]');
    while (await steps.step());
    expect(await build()).toBe(READY(MANY));
    expect(await ask('RETURN count(SELECT * FROM t WHERE b = 100)')).toBe('3');
    expect(await ask('SELECT VALUE id FROM t WHERE b CONTAINS 101')).toBe('[t:6000]');
    await expectSound();
  });

  test('refuses nothing before it is complete, and then does', async () => {
    await fill(3_000);
    await ask('DEFINE INDEX i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    // What was another's, who gives it up first.
    expect(await texts('UPDATE t:1 SET a = 10001 RETURN NONE; CREATE t:5000 SET a = 1 RETURN NONE')).toEqual([
      '[]',
      '[]',
    ]);
    expect(await texts('UPDATE t:2999 SET a = 10002 RETURN NONE; CREATE t:5001 SET a = 2999 RETURN NONE')).toEqual([
      '[]',
      '[]',
    ]);
    while (await steps.step());
    expect(await build()).toBe(READY(3_002));
    expect(await ask('CREATE t:6000 SET a = 1')).toBe('Database index `i` already contains 1, with record `t:5000`');
    expect(await ask('CREATE t:6000 SET a = 2999')).toBe(
      'Database index `i` already contains 2999, with record `t:5001`',
    );
    await expectSound();
  });

  test('names the first duplicate in the order of records', async () => {
    await ask('CREATE |t:1..9| SET a = 0 RETURN NONE; UPDATE t SET a = math::ceil(record::id(id) / 2f) RETURN NONE');
    await ask('DEFINE INDEX i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    while (await steps.step());
    expect(await build()).toContain('already contains 1f, with record `t:1`');
  });

  test('takes nothing from another who claims a value that an older record still has', async () => {
    await fill(3_000);
    await ask('DEFINE INDEX i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    // Both have it for a moment, though the older one isn't listed yet; the new one stands where the build has been.
    expect(await texts('CREATE t:-5 SET a = 2999 RETURN NONE; UPDATE t:2999 SET a = NONE RETURN NONE')).toEqual([
      '[]',
      '[]',
    ]);
    while (await steps.step());
    expect(await build()).toBe(READY(3_000));
    expect(await ask('SELECT VALUE id FROM t WHERE a = 2999')).toBe('[t:-5]');
    await expectSound();
  });

  test('disturbs no transaction that began before, as long as it goes on', async () => {
    await fill();
    await ask('DEFINE INDEX i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    const held = await owner.begin();
    const written = await held.query('UPDATE t:4500 SET a = 9999; UPDATE t:3 SET a = 9998');
    expect(written.every(({ outcome }) => outcome.ok)).toBe(true);
    await steps.step();
    await held.commit();
    while (await steps.step());
    expect(await build()).toBe(READY(MANY));
    expect(await ask('SELECT VALUE id FROM t WHERE a IN [9998, 9999]')).toBe('[t:3, t:4500]');
    await expectSound();
  });

  test('goes on for several indexes in turn', async () => {
    await fill();
    await ask('DEFINE INDEX i ON t FIELDS a CONCURRENTLY; DEFINE INDEX j ON t FIELDS b CONCURRENTLY');
    await steps.begin();
    await steps.step();
    expect(await texts('(INFO FOR INDEX i ON t).building.initial; (INFO FOR INDEX j ON t).building.initial')).toEqual([
      '2048',
      '2048',
    ]);
    await steps.finish();
    expect([await build('i'), await build('j')]).toEqual([READY(MANY), READY(MANY)]);
  });
});

test('a database with one index waits for no other’s many', async () => {
  await fill();
  const other = database.ownerSession();
  await other.use('test', 'other');
  await other.query(`FOR $i IN 0..${MANY} { CREATE type::record('t', $i) SET a = $i }`);
  const definitions = Array.from({ length: 30 }, (_, n) => `DEFINE INDEX i${n} ON t FIELDS a CONCURRENTLY`);
  await ask(definitions.join('; '));
  await other.query('DEFINE INDEX j ON t FIELDS a CONCURRENTLY');
  await steps.begin();
  // Three steps build the one index: a step of each database in turn.
  for (let step = 0; step < 8; step++) await steps.step();
  const [built] = await other.query('(INFO FOR INDEX j ON t).building.status');
  expect(built?.outcome).toMatchObject({ ok: true, value: 'ready' });
  await steps.finish();
  expect(await build('i29')).toBe(READY(MANY));
});

describe('a build that replaces an index', () => {
  beforeEach(async () => {
    await fill();
    await ask('DEFINE INDEX i ON t FIELDS b');
  });

  test('lets that answer until it is complete', async () => {
    await ask('DEFINE INDEX OVERWRITE i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    await ask('UPDATE t:1 SET b = 50; CREATE t:9000 SET b = 50, a = 9000');
    expect(await plan('b = 50')).toContain('IndexScan [table: t, index: i, access: b = 50]');
    expect(await plan('a = 50')).toContain('TableScan');
    expect(await ask('SELECT VALUE id FROM t WHERE b = 50')).toBe('[t:1, t:9000]');
    await steps.finish();
    expect(await plan('b = 50')).toContain('TableScan');
    expect(await plan('a = 50')).toContain('IndexScan [table: t, index: i, access: a = 50]');
    await expectSound();
    // One entry a record, and the row of a definition more than without the index.
    expect(await queued()).toBe(0);
    const before = await besides();
    await ask('REMOVE INDEX i ON t');
    await steps.finish();
    expect(await besides()).toBe(before - 5_001 - 2);
  });

  test('of REBUILD, too, and uniqueness stays', async () => {
    await ask(
      'DEFINE INDEX u ON t FIELDS a UNIQUE; REBUILD INDEX u ON t CONCURRENTLY; REBUILD INDEX i ON t CONCURRENTLY',
    );
    await steps.begin();
    expect(await plan('b = 5')).toContain('IndexScan');
    expect(await ask('CREATE t:9000 SET a = 4999')).toBe(
      'Database index `u` already contains 4999, with record `t:4999`',
    );
    expect(await texts('REBUILD INDEX u ON t; REBUILD INDEX u ON t CONCURRENTLY')).toEqual([
      'Database index `u` is currently building',
      'Database index `u` is currently building',
    ]);
    await ask('CREATE t:9000 SET a = 9000');
    await steps.finish();
    expect(await build('u')).toBe(READY(5_001));
    expect(await ask('CREATE t:9001 SET a = 9000')).toBe(
      'Database index `u` already contains 9000, with record `t:9000`',
    );
    await expectSound();
  });

  test('is replaced itself by another', async () => {
    await ask('DEFINE INDEX OVERWRITE i ON t FIELDS a CONCURRENTLY');
    await steps.begin();
    await ask('DEFINE INDEX OVERWRITE i ON t FIELDS a, b CONCURRENTLY');
    expect(await plan('b = 50')).toContain('IndexScan [table: t, index: i, access: b = 50]');
    await steps.finish();
    expect(await plan('a = 50 AND b = 1')).toContain('IndexScan [table: t, index: i, access: a = 50 AND b = 1]');
    await ask('DEFINE INDEX OVERWRITE i ON t FIELDS b CONCURRENTLY');
    await steps.begin();
    expect(await ask('DEFINE INDEX OVERWRITE i ON t FIELDS a')).toBe('NONE');
    expect(await plan('a = 50')).toContain('IndexScan [table: t, index: i, access: a = 50]');
    await steps.finish();
    await expectSound();
    expect(await queued()).toBe(0);
  });
});

describe('a build that fails', () => {
  const TEXT = 'Database index `i` already contains 1, with record `t:1`';
  const ERROR = `{ error: '${TEXT}', status: 'error' }`;

  test('keeps the definition with the reason, and nothing else', async () => {
    await fill(10);
    const before = await besides();
    await ask('CREATE t:10 SET a = 1; DEFINE INDEX i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.finish();
    expect(await build()).toBe(ERROR);
    expect(
      await texts('DEFINE INDEX i ON t FIELDS a; DEFINE INDEX IF NOT EXISTS i ON t FIELDS a; REBUILD INDEX i ON t'),
    ).toEqual(["The index 'i' already exists", 'NONE', TEXT]);
    expect(await build()).toBe(ERROR);
    expect(await plan('a = 1')).toContain('TableScan');
    expect(await ask('CREATE t:11 SET a = 1 RETURN NONE')).toBe('[]');
    // Only the definition and why it failed.
    expect(await queued()).toBe(0);
    expect(await besides()).toBe(before + 2);
    expect(await ask('REBUILD INDEX i ON t CONCURRENTLY')).toBe('NONE');
    await steps.finish();
    expect(await build()).toBe(ERROR);
    expect(await texts('DELETE t:10; DELETE t:11; REBUILD INDEX i ON t CONCURRENTLY')).toEqual(['[]', '[]', 'NONE']);
    await steps.finish();
    expect(await build()).toBe(READY(10));
    expect(await ask('CREATE t:11 SET a = 1')).toBe(TEXT);
    await expectSound();
  });

  test('may do so because of what is written meanwhile, which isn’t refused', async () => {
    await fill();
    await ask('DEFINE INDEX i ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    expect(await ask('CREATE t:9000 SET a = 1 RETURN NONE')).toBe('[]');
    await steps.finish();
    expect(await build()).toBe(ERROR);
    await expectSound();
  });

  test('takes what it was to replace with it', async () => {
    await fill(10);
    await ask(
      'DEFINE INDEX i ON t FIELDS b; CREATE t:10 SET a = 1; DEFINE INDEX OVERWRITE i ON t FIELDS a UNIQUE CONCURRENTLY',
    );
    await steps.finish();
    expect(await build()).toBe(ERROR);
    expect(await plan('b = 1')).toContain('TableScan');
    expect(await queued()).toBe(0);
  });

  test('ends where a record takes more memory than there is for a request, rather than trying for ever', async () => {
    await database.close();
    const memory = { total: 2 ** 30, connection: 2 ** 30, session: 2 ** 30, guest: 2 ** 18, vectors: 2 ** 20 };
    await open(new MemoryEngine(), { memory: { ...memory, request: 2 ** 20 } });
    await ask("DEFINE ANALYZER parts TOKENIZERS blank FILTERS ngram(1, 10); CREATE t:1 SET a = 'small'");
    const words = Array.from({ length: 4_000 }, (_, at) => `word${at}ofmany`).join(' ');
    await owner.query('CREATE t:2 SET a = $words RETURN NONE', { words });
    await ask('DEFINE INDEX i ON t FIELDS a FULLTEXT ANALYZER parts BM25 CONCURRENTLY');
    await steps.finish();
    expect(await build()).toMatch(
      /^\{ error: 'The request needs more than the 1 MiB of memory.*', status: 'error' \}$/,
    );
    expect(await queued()).toBe(0);
    expect(reported).toEqual([]);
  });

  test('ends where a function of an analyzer takes too long, and holds up no other build', async () => {
    await ask('DEFINE FUNCTION fn::endless($text: string) { FOR $n IN 0..1000000 { sleep(1s) }; RETURN $text }');
    await ask(
      "DEFINE ANALYZER slow FUNCTION fn::endless TOKENIZERS blank; CREATE t:1 SET a = 'one'; CREATE t:2 SET b = 1",
    );
    await ask('DEFINE INDEX i ON t FIELDS a FULLTEXT ANALYZER slow BM25 CONCURRENTLY');
    const other = database.ownerSession();
    await other.use('test', 'other');
    await other.query('CREATE t:1 SET b = 1; DEFINE INDEX j ON t FIELDS b CONCURRENTLY');
    const finished = steps.finish();
    for (let second = 0; second < 60; second++) {
      for (let turn = 0; turn < 10; turn++) await new Promise((resume) => setImmediate(resume));
      steps.stubbed.advance(1_000);
    }
    await finished;
    expect(await build()).toBe(
      "{ error: 'The query was not executed because it exceeded the timeout: 5s', status: 'error' }",
    );
    const [info] = await other.query('(INFO FOR INDEX j ON t).building.status');
    expect(info?.outcome).toMatchObject({ ok: true, value: 'ready' });
    expect(reported).toEqual([]);
  });

  test('doesn’t refuse records that can’t be listed, either', async () => {
    await fill(10);
    await ask('DEFINE INDEX i ON t FIELDS a, b CONCURRENTLY');
    expect(await ask('CREATE t:10 SET a = <array>0..1000, b = <array>0..1000 RETURN NONE')).toBe('[]');
    await steps.finish();
    expect(await build()).toMatch(
      /^\{ error: 'The value is, or would become, larger than the limit of \d+', status: 'error' \}$/,
    );
    expect(await ask('DEFINE INDEX j ON t FIELDS a, b')).toMatch(/^The value is, or would become, larger/);
  });
});

describe('a build ends cleanly', () => {
  beforeEach(async () => {
    await fill();
    await ask('DEFINE INDEX i ON t FIELDS a CONCURRENTLY');
    await steps.begin();
  });
  afterEach(async () => {
    await steps.finish();
    expect(await queued()).toBe(0);
    await expectSound();
    expect(reported).toEqual([]);
  });

  test('when the index is removed', async () => {
    expect(await ask('REMOVE INDEX i ON t')).toBe('NONE');
    expect(await ask('INFO FOR INDEX i ON t')).toBe("The index 'i' does not exist");
  });

  test('when the table is', async () => {
    expect(await texts('REMOVE TABLE t; CREATE t:1 SET a = 1; INFO FOR INDEX i ON t')).toEqual([
      'NONE',
      '[{ a: 1, id: t:1 }]',
      "The index 'i' does not exist",
    ]);
  });

  test('when the database is, and another one of its name comes', async () => {
    expect(await texts('REMOVE DATABASE test; DEFINE DATABASE test; CREATE t:1 SET a = 1')).toEqual([
      'NONE',
      'NONE',
      '[{ a: 1, id: t:1 }]',
    ]);
  });

  test('when the index is to be removed', async () => {
    await ask('ALTER INDEX i ON t PREPARE REMOVE');
    expect(await ask('REBUILD INDEX i ON t CONCURRENTLY')).toBe('Index building has been cancelled: Prepare remove.');
    await steps.finish();
    expect(await plan('a = 1')).toContain('TableScan');
    await ask('DEFINE INDEX OVERWRITE i ON t FIELDS a CONCURRENTLY');
    await steps.finish();
    expect(await plan('a = 1')).toContain('IndexScan');
  });

  test('when the statement is taken back', async () => {
    expect((await texts('BEGIN; DEFINE INDEX j ON t FIELDS b CONCURRENTLY; CANCEL'))[0]).toBe('NONE');
    expect(await ask('INFO FOR INDEX j ON t')).toBe("The index 'j' does not exist");
  });
});

test('a comment may be changed during a build', async () => {
  await fill();
  await ask('DEFINE INDEX i ON t FIELDS a CONCURRENTLY');
  await steps.begin();
  await ask("ALTER INDEX i ON t COMMENT 'x'");
  await steps.finish();
  expect(await build()).toBe(READY(MANY));
  expect(await ask('(INFO FOR TABLE t).indexes.i')).toBe('"DEFINE INDEX i ON t FIELDS a COMMENT \'x\'"');
});

describe('a store that is closed in the middle of a build', () => {
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-build-'));
    await database.close();
    await open(await openEngine(folder, { sync: 'never' }));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('goes on where it was', async () => {
    await fill();
    await ask('DEFINE INDEX u ON t FIELDS b; DEFINE INDEX OVERWRITE u ON t FIELDS a UNIQUE CONCURRENTLY');
    await steps.begin();
    expect(await build('u')).toBe("{ initial: 2048, pending: 0, status: 'indexing' }");
    await database.close();
    await open(await openEngine(folder, { sync: 'never' }));
    expect(await build('u')).toBe("{ initial: 2048, pending: 0, status: 'indexing' }");
    expect(await plan('b = 1')).toContain('IndexScan');
    await ask('CREATE t:7000 SET a = 7000');
    await steps.finish();
    expect(await build('u')).toBe(READY(5_001));
    expect(await plan('a = 1')).toContain('IndexScan');
    await expectSound();
    expect(await queued()).toBe(0);
  });

  test('says why one fails that the disk can’t hold', async () => {
    await ask("CREATE t:1 SET a = string::repeat('x', 3000); DEFINE INDEX i ON t FIELDS a CONCURRENTLY");
    await steps.finish();
    expect(await build()).toMatch(/A record id or an indexed value is too long for this store/);
    expect(await ask("CREATE t:2 SET a = string::repeat('y', 3000) RETURN NONE")).toBe('[]');
  });
});
