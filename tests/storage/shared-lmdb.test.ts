import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FollowedCommit } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { lockFolder } from '../../src/storage/lmdb/file/folder-lock.js';
import { LmdbFile } from '../../src/storage/lmdb/file/lmdb-file.js';
import { readFacts } from '../../src/storage/lmdb/file/lmdb-integrity.js';
import { openSharedLmdb, shareFolder } from '../../src/storage/lmdb/shared/open.js';
import type { SharedLmdbEngine } from '../../src/storage/lmdb/shared/shared-engine.js';
import { withRetries } from '../../src/storage/retry.js';
import { compiled } from '../support/compiled.js';
import { patientTimers } from '../support/patient-timers.js';
import { type CommittedHistory, checkHistories, runTransactions } from '../support/shared-histories.js';
import { atLeast } from '../support/timeouts.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'tessera-shared-'));
let child: string;
let data: string;
let round = 0;
let unlock: () => Promise<void>;
let engine: SharedLmdbEngine;
const running = new Set<ChildProcessWithoutNullStreams>();

beforeAll(() => {
  child = compiled('tests/storage/shared-lmdb-child.ts', FOLDER);
}, 60_000);
beforeEach(async () => {
  data = join(FOLDER, `data${++round}`);
  await openLmdb(data).close();
  unlock = await shareFolder(data);
  engine = openSharedLmdb(data, { owner: process.pid, size: 3 }, { timers: patientTimers });
});
afterEach(async () => {
  for (const each of running) await killed(each);
  await engine.close();
  await unlock();
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

it('of format 1 gets its checksums before processes share it', async () => {
  const folder = mkdtempSync(join(FOLDER, 'old'));
  const path = join(folder, 'data.mdb');
  writeFileSync(path, gunzipSync(readFileSync('tests/storage/fixtures/format-1.mdb.gz')));
  let conversions = 0;
  const convert = () => void conversions++;
  for (let attempt = 0; attempt < 2; attempt++) {
    const unlockOld = await shareFolder(folder, { converting: convert });
    const old = openSharedLmdb(folder, { owner: process.pid, size: 2 });
    const reader = old.begin({ writable: false });
    expect(await reader.count({ from: '', to: '\xff'.repeat(2_000) })).toBe(395);
    reader.cancel();
    await old.close();
    await unlockOld();
    const file = new LmdbFile(path);
    expect(readFacts(file)).toEqual({ format: '2', mayBeUnsealed: false });
    file.close();
  }
  expect(conversions).toBe(1);
});

/** Starts another process on the store, and hands over the lines that it prints. */
function start(
  mode: string,
  name: string,
  count: number,
  hand: (line: string) => void,
): ChildProcessWithoutNullStreams {
  const args = [child, data, String(process.pid), mode, name, String(count)];
  const started = spawn(process.execPath, args);
  running.add(started);
  createInterface({ input: started.stdout }).on('line', hand);
  started.stderr.on('data', (text) => hand(`error ${text}`));
  return started;
}

async function ended(started: ChildProcessWithoutNullStreams): Promise<void> {
  const [code] = await once(started, 'close');
  running.delete(started);
  expect(code).toBe(0);
}

async function killed(started: ChildProcessWithoutNullStreams): Promise<void> {
  running.delete(started);
  if (started.exitCode !== null || started.signalCode !== null) return;
  const closed = once(started, 'close');
  started.kill('SIGKILL');
  await closed;
}

describe('LMDB that several processes use', () => {
  it('is serializable over three processes, whatever is read from memory', { timeout: atLeast(120_000) }, async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1e9);
    const histories: CommittedHistory[] = [];
    const others = [1, 2].map((at) =>
      ended(start('histories', String(seed + at), 800, (line) => histories.push(JSON.parse(line) as CommittedHistory))),
    );
    await runTransactions(engine, seed, 800, (history) => histories.push(history));
    await Promise.all(others);
    console.info(`seed ${seed}: ${histories.length} transactions`);
    const state = checkHistories(histories);
    const transaction = engine.begin({ writable: false });
    for (const [key, value] of state) if (!key.startsWith('log/')) expect(transaction.get(key)).toBe(value);
    transaction.cancel();
    expect(histories.length).toBeGreaterThan(800);
  });

  it('loses no increment of a counter that all contend for, and waits for no reservation that is over', {
    timeout: atLeast(60_000),
  }, async () => {
    await withRetries(engine, (transaction) => transaction.put('counter', 0));
    const others = ['one', 'other'].map((name) => ended(start('increment', name, 100, () => undefined)));
    for (let left = 100; left > 0; left--) {
      await withRetries(engine, async (transaction) => {
        transaction.put('counter', ((await transaction.get('counter')) as number) + 1);
        transaction.append('log/', 'own');
      });
    }
    await Promise.all(others);
    const transaction = engine.begin({ writable: false });
    expect([transaction.get('counter'), transaction.count({ from: 'log/', to: 'log0' })]).toEqual([300, 300]);
    transaction.cancel();
  });

  it('delivers every commit of all processes once, in order', { timeout: atLeast(60_000) }, async () => {
    await withRetries(engine, (transaction) => transaction.put('counter', 0));
    const followed: FollowedCommit[] = [];
    const stop = await engine.shared.follow({
      onCommits: (commits) => followed.push(...commits),
      onGap: () => expect.unreachable('nothing was missed'),
    });
    const other = ended(start('increment', 'other', 100, () => undefined));
    for (let left = 50; left > 0; left--) {
      await withRetries(engine, (transaction) => transaction.put('own', left));
    }
    await other;
    await expect.poll(() => followed.length).toBe(150);
    const stamps = followed.map(({ versionstamp }) => versionstamp);
    expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => (a < b ? -1 : 1)));
    expect(followed.filter(({ isOwn }) => isOwn).map(({ keys }) => keys)).toEqual(Array(50).fill(['own']));
    for (const { isOwn, keys } of followed) {
      if (!isOwn) expect(keys).toEqual(['counter', expect.stringMatching(/^log\/.{12}$/s)]);
    }
    stop();
    await withRetries(engine, (transaction) => transaction.put('own', 0));
    await engine.shared.catchUp();
    expect(followed).toHaveLength(150);
  });

  it('shows at once what another process has acknowledged, and conflicts with it', {
    timeout: atLeast(60_000),
  }, async () => {
    const range = { from: 'many/', to: 'many0' };
    const before = engine.begin({ writable: true });
    expect(before.count(range)).toBe(0);
    before.put('seen', false);
    let isSeen = false;
    await new Promise<void>((resolve) => {
      start('large', '', 0, (line) => {
        if (isSeen || !line.startsWith('end')) return;
        isSeen = true;
        const transaction = engine.begin({ writable: false });
        expect(transaction.count(range)).toBe(10_000);
        expect(transaction.get('many/77')).toBeGreaterThanOrEqual(Number(line.split(' ')[1]));
        transaction.cancel();
        resolve();
      });
    });
    await expect(before.commit()).rejects.toMatchObject({ code: 'transaction_conflict' });
  });

  it('writes what came while another process had the lock as one group', { timeout: atLeast(60_000) }, async () => {
    const writes = () => {
      const family = engine.metrics.find(({ name }) => name === 'tessera_store_write_duration_seconds');
      return family?.samples().find(({ name }) => name?.endsWith('_count'))?.value ?? 0;
    };
    await withRetries(engine, (transaction) => transaction.put('own', 0));
    const before = writes();
    let release = () => {};
    await new Promise<void>((held, failed) => {
      const holder = start('hold', '', 0, (line) => (line === 'held' ? held() : failed(new Error(line))));
      release = () => void holder.stdin.end();
    });
    const commits: Promise<void>[] = [];
    for (let at = 0; at < 20; at++) {
      const transaction = engine.begin({ writable: true });
      transaction.put(`own/${at}`, at);
      commits.push(Promise.resolve(transaction.commit()));
      // Not all in one turn of the event loop.
      await patientTimers.nextRound();
    }
    release();
    await Promise.all(commits);
    expect(writes() - before).toBe(1);
  });

  it('keeps what was acknowledged when processes are killed, whole, while others go on', {
    timeout: atLeast(120_000),
  }, async () => {
    const acknowledged = new Map<string, number>();
    let own = 0;
    for (const [at, commits] of [1, 7, 40, 150].entries()) {
      const name = `killed${at}`;
      await new Promise<void>((done, failed) => {
        let heard = 0;
        const started = start('commit', name, 0, (line) => {
          const [from = '', number = ''] = line.split(' ');
          if (from === 'error') failed(new Error(line));
          acknowledged.set(from, Number(number));
          if (++heard === commits) killed(started).then(done, failed);
        });
        void (async () => {
          while (heard < commits) await withRetries(engine, (transaction) => transaction.put('own', ++own));
        })().catch(failed);
      });
      // The lock of a process that was killed is free again.
      await withRetries(engine, (transaction) => transaction.put('own', ++own));
    }
    const transaction = engine.begin({ writable: false });
    expect(transaction.get('own')).toBe(own);
    for (const [name, number] of acknowledged) {
      const last = transaction.get(`last/${name}`) as number;
      expect(last).toBeGreaterThanOrEqual(number);
      for (const side of ['left', 'right']) {
        expect(transaction.count({ from: `${side}/${name}/`, to: `${side}/${name}0` })).toBe(last);
      }
    }
    transaction.cancel();
  });

  it('makes large commits whole or not at all when their process is killed', {
    timeout: atLeast(120_000),
  }, async () => {
    for (const stage of ['begin 2', 'end 2', 'begin 4']) {
      let last = 0;
      await new Promise<void>((done, failed) => {
        const started = start('large', '', 0, (line) => {
          const [what, number] = line.split(' ');
          if (what === 'error') failed(new Error(line));
          if (what === 'end') last = Number(number);
          if (line === stage) setTimeout(() => killed(started).then(done, failed), 5);
        });
      });
      await withRetries(engine, (transaction) => transaction.put('own', stage));
      const transaction = engine.begin({ writable: false });
      const stored = transaction.get('many/0') as number;
      expect(stored).toBeGreaterThanOrEqual(last);
      for (let at = 0; at < 10_000; at++) expect(transaction.get(`many/${at}`)).toBe(stored);
      transaction.cancel();
    }
  });

  it('keeps the folder to the processes of one server', async () => {
    expect(() => openLmdb(data)).toThrow(expect.objectContaining({ code: 'storage_in_use' }));
    const stranger = join(FOLDER, 'stranger');
    await openLmdb(stranger).close();
    expect(() => openSharedLmdb(stranger, { owner: 1, size: 2 })).toThrow(
      expect.objectContaining({ code: 'storage_in_use' }),
    );
    await lockFolder(stranger)();
  });
});
