/** The log in front of a data file: what a crash leaves of it, and what comes back. */
import fs, { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { decodeRecordHead, RECORD_HEAD, SEGMENT_HEADER } from '../../src/storage/archive/segment.js';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import { openBackup } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import { checkFile } from '../../src/storage/lmdb/engine/check-file.js';
import { type LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import type { LmdbOptions } from '../../src/storage/lmdb/engine/lmdb-options.js';
import { openArchivedLmdb } from '../../src/storage/lmdb/engine/open-archived.js';
import { heldTimers } from '../support/held-timers.js';
import { atLeast } from '../support/timeouts.js';

const EVERYTHING = { from: '', to: '\xff' };
const withCode = (code: string) => expect.objectContaining({ code });

let root: string;
let folder: string;
const { timers, held } = heldTimers();
let open: LmdbEngine[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tessera-log-'));
  folder = join(root, 'data');
  held.clear();
  open = [];
});
afterEach(async () => {
  for (const engine of open) await engine.close();
  rmSync(root, { recursive: true });
});

function opened(path: string, options: LmdbOptions = {}): LmdbEngine {
  const engine = openLmdb(path, { timers, ...options });
  open.push(engine);
  return engine;
}

async function put(
  engine: LmdbEngine,
  entries: Readonly<Record<string, string | number | null | undefined>>,
): Promise<void> {
  const transaction = engine.begin({ writable: true });
  for (const [key, value] of Object.entries(entries)) {
    if (value === undefined) transaction.delete(key);
    else transaction.put(key, value);
  }
  await transaction.commit();
}

function contentOf(engine: LmdbEngine): Record<string, unknown> {
  const transaction = engine.begin({ writable: false });
  const all: (readonly [string, unknown])[] = [];
  const cursor = transaction.scan(EVERYTHING);
  for (let batch = cursor.next(); batch !== undefined; batch = cursor.next()) all.push(...(batch as never[]));
  expect(transaction.count(EVERYTHING)).toBe(all.length);
  transaction.cancel();
  return Object.fromEntries(all);
}

async function contentIn(path: string, options: LmdbOptions = {}): Promise<Record<string, unknown>> {
  const engine = openLmdb(path, options);
  const content = contentOf(engine);
  await engine.close();
  return content;
}

let copies = 0;
/** The files as they are: what a failure of power leaves where all that was written is on the disk. */
function crashed(): string {
  const copy = join(root, `copy${++copies}`);
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('-lock') });
  return copy;
}

const logsIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.log'));

/** Where the records of the first segment begin, and where the last one ends. */
function recordsIn(bytes: Buffer): number[] {
  const places = [SEGMENT_HEADER];
  for (;;) {
    const at = places.at(-1) as number;
    const head = decodeRecordHead(bytes.subarray(at, at + RECORD_HEAD));
    if (head === undefined || bytes[at + 8] !== 1) return places;
    places.push(at + head.length);
  }
}

/** Five commits that are only in the log, and a place for each way in which it may be damaged. */
async function fiveCommits(): Promise<{ copy: string; log: string; bytes: Buffer; places: number[] }> {
  const engine = opened(folder);
  for (let n = 1; n <= 5; n++) await put(engine, { [`k${n}`]: n, last: n });
  const copy = crashed();
  const log = join(copy, '00000001.log');
  const bytes = readFileSync(log);
  const places = recordsIn(bytes);
  expect(places).toHaveLength(6);
  return { copy, log, bytes, places };
}

const upTo = (last: number) =>
  Object.fromEntries([...Array.from({ length: last }, (_, n) => [`k${n + 1}`, n + 1]), ['last', last]]);

describe('a log', () => {
  it('shows what is only in it, before and after a crash, to all that open the store', async () => {
    const engine = opened(folder);
    await put(engine, { a: 1, b: 2 });
    for (const follow of held) follow();
    await engine.close();
    const again = opened(folder);
    await put(again, { a: undefined, c: null });
    expect(contentOf(again)).toEqual({ b: 2, c: null });
    const [first, second, third] = [crashed(), crashed(), crashed()];
    expect(await contentIn(first)).toEqual({ b: 2, c: null });
    expect(await contentIn(first)).toEqual({ b: 2, c: null });
    for (let round = 0; round < 2; round++)
      expect(await contentIn(second, { readOnly: true })).toEqual({ b: 2, c: null });
    expect(logsIn(second)).toHaveLength(2);
    expect(await contentIn(third, { sync: 'never' })).toEqual({ b: 2, c: null });
    expect(logsIn(third)).toEqual([]);
    expect(await contentIn(third, { readOnly: true })).toEqual({ b: 2, c: null });
  });

  it('goes with the store that is closed, so that any release can open it', async () => {
    const engine = opened(folder);
    await put(engine, { a: 1 });
    expect(logsIn(folder)).toEqual(['00000001.log', '00000002.log']);
    const formatOf = (path: string) =>
      checkFile(path, { page: expect.fail, value: expect.fail, progress: () => undefined })?.format;
    expect(formatOf(crashed())).toBe('3');
    await engine.close();
    expect(logsIn(folder)).toEqual([]);
    expect(formatOf(folder)).toBe('2');
  });

  it('keeps versionstamps ascending over a crash', async () => {
    const engine = opened(folder);
    const stamps: bigint[] = [];
    const append = async (to: LmdbEngine) => {
      const transaction = to.begin({ writable: true });
      transaction.append('log', 1);
      transaction.afterCommit((stamp) => stamps.push(stamp));
      await transaction.commit();
    };
    await append(engine);
    await append(engine);
    await put(engine, { a: 1 });
    const again = opened(crashed(), { clock: { ...realEnvironment.clock, now: () => 0n } });
    expect(again.copying.lastStamp()).toBe(stamps[1]);
    await append(again);
    expect(stamps[2]).toBeGreaterThan(stamps[1] as bigint);
  });

  it('ends before a record that is torn anywhere', async () => {
    const { copy, log, bytes, places } = await fiveCommits();
    const [from, to] = places.slice(-2) as [number, number];
    for (let cut = from; cut < to; cut++) {
      const torn = Buffer.from(bytes);
      torn.fill(0, cut);
      writeFileSync(log, torn);
      expect(await contentIn(copy, { readOnly: true })).toEqual(upTo(4));
    }
    // What was read is never lost again, though the next record takes the place of the torn one.
    const engine = opened(copy);
    await put(engine, { k5: 'other' });
    expect(contentOf(engine)).toEqual({ ...upTo(4), k5: 'other' });
  });

  it('reports each byte amid it that is flipped, and those of records that are lost', async () => {
    const { copy, log, bytes, places } = await fiveCommits();
    const last = places.at(-2) as number;
    const open = () => contentIn(copy, { readOnly: true });
    for (let at = 0; at < last; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      writeFileSync(log, flipped);
      await expect(open(), `byte ${at}`).rejects.toEqual(withCode('storage_corrupt'));
    }
    for (const [index, at] of places.slice(0, 4).entries()) {
      const lost = Buffer.from(bytes);
      lost.fill(0, at, places[index + 1]);
      writeFileSync(log, lost);
      await expect(open()).rejects.toEqual(withCode('storage_corrupt'));
      const faults: string[] = [];
      checkFile(copy, { page: (what) => faults.push(what), value: expect.fail, progress: () => undefined });
      expect(faults).toEqual([expect.stringContaining('is not as it was written')]);
    }
    // Of the last record nothing says that it was ever whole.
    for (let at = last; at < (places.at(-1) as number); at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ 0x10;
      writeFileSync(log, flipped);
      expect(await open()).toEqual(upTo(4));
    }
  });

  it('leaves nothing of the logs before it, however often there was a crash', async () => {
    let copy = folder;
    for (let round = 0; round < 4; round++) {
      const engine = opened(copy);
      await put(engine, { [`k${round}`]: round });
      await put(engine, { big: 'x'.repeat(400_000) });
      expect(logsIn(copy)).toHaveLength(2);
      if (round % 2 === 0) await put(engine, { last: round });
      const next = join(root, `next${round}`);
      cpSync(copy, next, { recursive: true, filter: (path) => !path.endsWith('-lock') });
      copy = next;
    }
    expect(await contentIn(copy)).toMatchObject({ k0: 0, k1: 1, k2: 2, k3: 3, last: 2 });
  });

  it('must be there, and of this store', async () => {
    const { copy, log, bytes } = await fiveCommits();
    for (const name of logsIn(copy)) rmSync(join(copy, name));
    await expect(contentIn(copy)).rejects.toThrow('the log: it is missing');
    const other = join(root, 'other');
    await put(opened(other), { a: 1 });
    writeFileSync(log, readFileSync(join(other, '00000001.log')));
    await expect(contentIn(copy)).rejects.toThrow('it is of another store');
    // The folder isn't locked by what has failed.
    writeFileSync(log, bytes);
    expect(await contentIn(copy)).toEqual(upTo(5));
  });

  it('is used again when the tree has what is in it, and holds what the tree lacks at any time', {
    timeout: atLeast(120_000),
  }, async () => {
    const size = fc.oneof({ weight: 9, arbitrary: fc.nat(2_000) }, fc.nat(300_000));
    const step = fc.record({
      keys: fc.array(fc.nat(40), { minLength: 1, maxLength: 12 }),
      size,
      follows: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), fc.nat(9), async (steps, many) => {
        rmSync(folder, { recursive: true, force: true });
        const engine = openLmdb(folder, { timers, cacheBytes: many * 10_000 });
        const model: Record<string, unknown> = {};
        for (const [n, { keys, size, follows }] of steps.entries()) {
          const entries: Record<string, string | undefined> = {};
          for (const key of keys) entries[`k${key}`] = key % 5 === n % 5 ? undefined : `${n}`.repeat(1 + size / 4);
          // Too many for the log.
          if (many === 0 && n === 30) for (let at = 0; at < 5_000; at++) entries[`m${at}`] = `${n}`;
          await put(engine, entries);
          for (const [key, value] of Object.entries(entries)) {
            if (value === undefined) delete model[key];
            else model[key] = value;
          }
          if (follows) for (const follow of [...held]) follow();
          if (n % 7 === many % 7) expect(contentOf(engine)).toEqual(model);
          if (n % 11 === many) {
            const copy = crashed();
            expect(await contentIn(copy)).toEqual(model);
            rmSync(copy, { recursive: true });
          }
        }
        expect(contentOf(engine)).toEqual(model);
        await engine.close();
        expect(await contentIn(folder)).toEqual(model);
      }),
      { numRuns: 15 },
    );
  });

  it('is on the disk before a store goes on from what a killed process has left', async () => {
    const engine = opened(folder);
    await put(engine, { a: 1 });
    const copy = crashed();
    const original = fs.fsyncSync;
    const flushed: number[] = [];
    fs.fsyncSync = (descriptor) => {
      flushed.push(fs.fstatSync(descriptor).ino);
      original(descriptor);
    };
    syncBuiltinESMExports();
    try {
      opened(copy);
    } finally {
      fs.fsyncSync = original;
      syncBuiltinESMExports();
    }
    // The tree as well: what that has is no longer read from the log.
    for (const name of ['00000001.log', 'data.mdb']) expect(flushed).toContain(fs.statSync(join(copy, name)).ino);
  });

  it('makes the store unavailable when a flush fails, with nothing lost that was acknowledged', async () => {
    const engine = opened(folder);
    await put(engine, { a: 1 });
    const original = fs.fdatasync;
    fs.fdatasync = ((_: number, answer: (error: Error) => void) => {
      setImmediate(() => answer(Object.assign(new Error('the disk is gone'), { code: 'EIO' })));
    }) as typeof fs.fdatasync;
    syncBuiltinESMExports();
    try {
      await expect(put(engine, { a: 2 })).rejects.toThrow('the disk is gone');
    } finally {
      fs.fdatasync = original;
      syncBuiltinESMExports();
    }
    expect(() => engine.begin({ writable: false })).toThrow(withCode('storage_unavailable'));
    await engine.close();
    // Whether the second one is on the disk can't be known.
    expect([1, 2]).toContain((await contentIn(folder))['a']);
  });

  it('is followed by an archive that has each group before it', async () => {
    const archive = join(root, 'archive');
    const engine = await openArchivedLmdb(folder, archive, { timers });
    open.push(engine);
    await put(engine, { a: 1 });
    const place = join(root, 'backup');
    const copy = crashed();
    await createBackup(copy, new FolderBlobs(place));
    await put(engine, { b: 2 });
    const target = join(root, 'target');
    await restoreStore(await openBackup(new FolderBlobs(place)), target, {
      archive: { folder: archive, until: undefined },
      finish: async () => undefined,
      progress: () => undefined,
      replayed: () => undefined,
    });
    expect(await contentIn(target)).toEqual({ a: 1, b: 2 });
    const gaps: string[] = [];
    const report = ({ code }: { readonly code: string }) => void gaps.push(code);
    await (await openArchivedLmdb(crashed(), archive, { report })).close();
    expect(gaps).toEqual([]);
  });

  it('is in a backup of a store that no server has open, and in one of a store that a server has', async () => {
    const engine = opened(folder);
    await put(engine, { a: 1 });
    const restored = async (source: string) => {
      const place = join(root, `backup${++copies}`);
      const target = join(root, `target${copies}`);
      await createBackup(source, new FolderBlobs(place));
      await restoreStore(await openBackup(new FolderBlobs(place)), target, {
        finish: async () => undefined,
        progress: () => undefined,
        replayed: () => undefined,
      });
      expect(logsIn(target)).toEqual([]);
      return contentIn(target);
    };
    expect(await restored(crashed())).toEqual({ a: 1 });
    await put(engine, { b: 2 });
    const [, content] = await Promise.all([follow(), restored(folder)]);
    expect(content).toEqual({ a: 1, b: 2 });
  });

  /** Lets the tree follow while others wait for it. */
  async function follow(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      await realEnvironment.timers.wait(1);
      for (const each of [...held]) each();
    }
  }

  it('is not begun by those who only read, and left alone', async () => {
    const engine = opened(folder);
    await engine.close();
    await (await Promise.resolve(openLmdb(folder, { readOnly: true }))).close();
    expect(existsSync(join(folder, '00000001.log'))).toBe(false);
  });
});
