/** Backups, restores and archives whose process is killed, at each of its calls that change files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import { openBackup, readParts } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import { checkFile } from '../../src/storage/lmdb/engine/check-file.js';
import { type LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { openArchivedLmdb } from '../../src/storage/lmdb/engine/open-archived.js';
import { withRetries } from '../../src/storage/retry.js';
import { compiled } from '../support/compiled.js';
import { commitPair } from '../support/paired-writes.js';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';

const ROOT = mkdtempSync(join(tmpdir(), 'tessera-backup-kills-'));
let child: string;
beforeAll(() => {
  child = compiled('tests/storage/backup-kills-child.ts', ROOT);
}, 60_000);
afterAll(() => rmSync(ROOT, { recursive: true }));

let source: string;
let place: string;
let target: string;
let round = 0;
beforeEach(async () => {
  round++;
  [source, place, target] = ['source', 'place', 'target'].map((name) => join(ROOT, `${name}${round}`)) as [
    string,
    string,
    string,
  ];
  const engine = openLmdb(source);
  for (let pair = 1; pair <= 5; pair++) await commitPair(engine, 'source', pair * 900);
  await engine.close();
});

/** Runs the child until it is killed at a call, or to its end. Answers whether it ended, and what it printed. */
async function run(mode: string, from: string, to: string, killAt?: number): Promise<[boolean, readonly string[]]> {
  const env = killAt === undefined ? {} : { KILL_AT: String(killAt) };
  const started = spawn(process.execPath, [child, mode, from, to], { env: { PATH: process.env['PATH'], ...env } });
  const lines: string[] = [];
  createInterface({ input: started.stdout }).on('line', (line) => lines.push(line));
  let errors = '';
  started.stderr.on('data', (text) => (errors += text));
  const [code, signal] = (await once(started, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect([code, errors]).toEqual([0, '']);
  return [signal === null, lines];
}

/** How many calls there are from one that is killed to the next. */
const STEP = RUNS_ALL ? 1 : 3;

/** Kills it at an early call, at a later one and so on, until it ends by itself. Answers how many calls there were. */
async function atEachCall(each: (call: number) => Promise<boolean>, step = STEP): Promise<number> {
  let call = 1 + (Date.now() % step);
  console.info(`killed at call ${call} and each ${step} later`);
  while (!(await each(call))) call += step;
  return call - 1;
}

function contentOf(engine: LmdbEngine): Readonly<Record<string, unknown>> {
  const transaction = engine.begin({ writable: false });
  const cursor = transaction.scan({ from: '', to: '\xff'.repeat(2_000) });
  const all: (readonly [string, unknown])[] = [];
  for (let batch = cursor.next(); batch !== undefined; batch = cursor.next()) all.push(...(batch as never[]));
  transaction.cancel();
  return Object.fromEntries(all);
}

async function contentIn(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const engine = openLmdb(folder);
  const content = contentOf(engine);
  await engine.close();
  return content;
}

function mustBeSound(folder: string): void {
  const faults: string[] = [];
  checkFile(folder, { page: (what) => faults.push(what), value: (key) => faults.push(key), progress: () => undefined });
  expect(faults).toEqual([]);
}

const verify = async () => readParts(await openBackup(new FolderBlobs(place)), () => undefined);

const restored = async (archive?: string) => {
  rmSync(target, { recursive: true, force: true });
  await restoreStore(await openBackup(new FolderBlobs(place)), target, {
    archive: archive === undefined ? undefined : { folder: archive, until: undefined },
    finish: async () => undefined,
    progress: () => undefined,
    replayed: () => undefined,
  });
  return contentIn(target);
};

describe('a backup that is killed', () => {
  it('is none, can be taken again, and leaves the store as it was', { timeout: atLeast(240_000) }, async () => {
    const content = await contentIn(source);
    const file = readFileSync(join(source, 'data.mdb'));
    let incomplete = 0;
    const calls = await atEachCall(async (call) => {
      rmSync(place, { recursive: true, force: true });
      const [hasEnded] = await run('backup', source, place, call);
      if (hasEnded) return true;
      expect(readFileSync(join(source, 'data.mdb')).equals(file)).toBe(true);
      if (existsSync(join(place, 'backup.json'))) {
        await verify();
        return false;
      }
      incomplete++;
      await expect(verify()).rejects.toThrow(`There is no complete backup in ${place}`);
      if (existsSync(place) && readdirSync(place).length > 0) {
        await expect(createBackup(source, new FolderBlobs(place))).rejects.toThrow(
          'remove what an interrupted one left',
        );
        rmSync(place, { recursive: true });
      }
      await createBackup(source, new FolderBlobs(place));
      expect(await restored()).toEqual(content);
      return false;
    });
    expect(incomplete * STEP).toBeGreaterThan(10);
    expect(calls).toBeGreaterThan(incomplete);
  });

  it("doesn't keep the store from using pages again", { timeout: atLeast(60_000) }, async () => {
    const engine = openLmdb(source, { sync: 'never' });
    const rewrite = async (times: number) => {
      for (let time = 0; time < times; time++)
        await withRetries(engine, (transaction) => transaction.put('large', `${time} `.repeat(50_000)));
    };
    await rewrite(20);
    const started = spawn(process.execPath, [child, 'hold', source, place]);
    await once(createInterface({ input: started.stdout }), 'line');
    const closed = once(started, 'close');
    started.kill('SIGKILL');
    await closed;
    await rewrite(200);
    await engine.close();
    // Some 30 MB were written.
    expect(statSync(join(source, 'data.mdb')).size).toBeLessThan(8 << 20);
  });
});

// In turns with other long tests.
describe.skipIf(!isInTurn(3))('a restore that is killed', () => {
  it('is not opened as a store, and can be run again', { timeout: atLeast(240_000) }, async () => {
    await createBackup(source, new FolderBlobs(place));
    const content = { ...(await contentIn(source)), restored: true };
    const states = new Set<string>();
    await atEachCall(async (call) => {
      rmSync(target, { recursive: true, force: true });
      const [hasEnded] = await run('restore', place, target, call);
      if (hasEnded) return true;
      const state = await stateOf(target);
      states.add(state);
      if (state !== 'complete') expect(await run('restore', place, target)).toEqual([true, []]);
      mustBeSound(target);
      expect(await contentIn(target)).toEqual(content);
      return false;
    }, 1);
    expect([...states].sort()).toEqual(['complete', 'incomplete', 'nothing']);
  });

  async function stateOf(folder: string): Promise<'nothing' | 'incomplete' | 'complete'> {
    if (!existsSync(join(folder, 'data.mdb'))) return 'nothing';
    try {
      await contentIn(folder);
      return 'complete';
    } catch (error) {
      expect(error).toMatchObject({ code: 'restore_incomplete' });
      return 'incomplete';
    }
  }
});

describe('a server that is killed while it archives', () => {
  it('loses nothing that was acknowledged, and leaves an archive that goes on', {
    timeout: atLeast(240_000),
  }, async () => {
    const archive = join(ROOT, `archive${round}`);
    await (await openArchivedLmdb(source, archive, {})).close();
    await createBackup(source, new FolderBlobs(place));
    let acknowledged = 0;
    await atEachCall(async (call) => {
      const [hasEnded, lines] = await run('archive', source, archive, call);
      acknowledged = Math.max(acknowledged, ...lines.map(Number));
      const content = await restored(archive);
      const last = content['last/pair'] as number | undefined;
      expect(last ?? 0).toBeGreaterThanOrEqual(acknowledged);
      for (let pair = 1; pair <= (last ?? 0); pair++) expect(content[`right/pair/${pair}`]).toBe(pair);
      return hasEnded;
    });
    expect(acknowledged).toBeGreaterThan(10);
    // What the archive had beyond the store is passed over once a server goes on.
    const engine = await openArchivedLmdb(source, archive, {});
    await withRetries(engine, (transaction) => transaction.put('later', true));
    const content = contentOf(engine);
    await engine.close();
    expect(await restored(archive)).toEqual(content);
  });
});
