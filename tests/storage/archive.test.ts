/** Archives of the writes of a store: cut off anywhere, of a process that was killed, and brought forward to any time. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { TesseraError } from '../../src/errors/error.js';
import { failure } from '../../src/errors/error.js';
import { ArchiveSpace } from '../../src/storage/archive/archive-space.js';
import { type ArchivedGroup, groupsOf, segmentsOf } from '../../src/storage/archive/read-archive.js';
import { encodeArchiveRecord, encodeSegmentHeader } from '../../src/storage/archive/segment.js';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import { pruneArchive } from '../../src/storage/backup/prune-archive.js';
import { openBackup } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import type { Engine, Entry } from '../../src/storage/contract.js';
import { type LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { openArchivedLmdb } from '../../src/storage/lmdb/engine/open-archived.js';

const EVERYTHING = { from: '', to: '\xff'.repeat(2_000) };

let root: string;
let source: string;
let archive: string;
/** Milliseconds since 1970, as the stores see it. */
let now: number;
const reported: TesseraError[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tessera-archive-'));
  source = join(root, 'source');
  archive = join(root, 'archive');
  now = Date.parse('2026-01-01T00:00:00Z');
  reported.length = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

const clock = { now: () => BigInt(now) * 1_000_000n, monotonic: () => realEnvironment.clock.monotonic() };
const open = () =>
  openArchivedLmdb(source, archive, { sync: 'never', clock, report: (error) => void reported.push(error) });

async function put(engine: Engine, content: Readonly<Record<string, string | number>>): Promise<void> {
  const transaction = await engine.begin({ writable: true });
  for (const [key, value] of Object.entries(content)) transaction.put(key, value);
  transaction.append('log/', Object.keys(content).length);
  await transaction.commit();
}

function contentOf(engine: LmdbEngine): readonly Entry[] {
  const transaction = engine.begin({ writable: false });
  const all: Entry[] = [];
  const cursor = transaction.scan(EVERYTHING);
  for (let batch = cursor.next(); batch !== undefined; batch = cursor.next()) all.push(...(batch as Entry[]));
  transaction.cancel();
  return all;
}

let restores = 0;
/** What a restore of a backup with the archive holds. */
async function restored(place: string, until?: number): Promise<readonly Entry[]> {
  const target = join(root, `target${++restores}`);
  await restoreStore(await openBackup(new FolderBlobs(join(root, place))), target, {
    archive: { folder: archive, until },
    finish: async () => undefined,
    progress: () => undefined,
    replayed: () => undefined,
  });
  const engine = openLmdb(target, { readOnly: true });
  const content = contentOf(engine);
  await engine.close();
  return content;
}

const backUp = (place: string) =>
  createBackup(source, new FolderBlobs(join(root, place)), {
    environment: { ...realEnvironment, clock },
  });
const lastSegment = () => join(archive, readdirSync(archive).sort().at(-1) as string);

describe('an archive', () => {
  it('brings a backup forward to the state of any time', async () => {
    let engine = await open();
    const states: { time: number; content: readonly Entry[] }[] = [];
    for (let commit = 0; commit < 12; commit++) {
      now += 1_000;
      // One of more changes than a record holds, and than are written in one turn.
      const large = Object.fromEntries(
        Array.from({ length: 6_000 }, (_, at) => [`many/${at}`, `${commit} `.repeat(40)]),
      );
      await put(engine, commit === 6 ? large : { [`key/${commit % 5}`]: commit });
      states.push({ time: now, content: contentOf(engine) });
      if (commit === 2 || commit === 8) await backUp(`backup${commit}`);
      if (commit === 4) {
        await engine.close();
        engine = await open();
      }
    }
    await engine.close();
    expect(readdirSync(archive)).toHaveLength(2);
    for (const { time, content } of states.slice(2)) {
      expect(await restored('backup2', time)).toEqual(content);
      expect(await restored('backup2', time + 500)).toEqual(content);
    }
    expect(await restored('backup8')).toEqual(states.at(-1)?.content);
    await expect(restored('backup8', states[2]?.time)).rejects.toMatchObject({ code: 'restore_time' });
    expect(reported).toEqual([]);
  });

  it('may be cut off anywhere, and holds the groups before that', async () => {
    const engine = await open();
    const sizes: number[] = [];
    for (let commit = 0; commit <= 6; commit++) {
      await put(engine, { [`key/${commit}`]: 'x'.repeat(commit) });
      sizes.push(readFileSync(lastSegment()).length);
      if (commit === 0) await backUp('backup');
    }
    const { store } = (await openBackup(new FolderBlobs(join(root, 'backup')))).manifest;
    await engine.close();
    const whole = readFileSync(lastSegment());
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(lastSegment(), whole.subarray(0, length));
      const versions: number[] = [];
      for (const segment of await segmentsOf(archive, store.id)) {
        for await (const { version } of groupsOf(segment)) versions.push(version);
      }
      expect(versions).toHaveLength(sizes.filter((size) => size <= length).length);
    }
    // Whatever follows what was cut off isn't read.
    for (const [at, commits] of [
      [sizes[2] as number, 3],
      [whole.length - 1, 6],
    ] as const) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(lastSegment(), bytes);
      // Each has put a key and appended to the log.
      expect(await restored('backup')).toHaveLength(commits * 2);
    }
  });

  it('passes over a group that the store never got, since the process ended between the two', async () => {
    let engine = await open();
    await put(engine, { key: 'first' });
    await backUp('backup');
    await engine.close();
    const data = readFileSync(join(source, 'data.mdb'));
    engine = await open();
    await put(engine, { key: 'never committed' });
    await engine.close();
    // As the crash left it.
    writeFileSync(join(source, 'data.mdb'), data);
    rmSync(join(source, 'data.mdb-lock'));
    engine = await open();
    await put(engine, { other: 'second' });
    const content = contentOf(engine);
    await engine.close();
    expect(await restored('backup')).toEqual(content);
    expect(content.some(([, value]) => value === 'never committed')).toBe(false);
    expect(reported).toEqual([]);
  });

  it('goes on behind a torn end', async () => {
    let engine = await open();
    await put(engine, { key: 'first' });
    await backUp('backup');
    await engine.close();
    appendFileSync(lastSegment(), 'half of a reco');
    engine = await open();
    await put(engine, { key: 'second' });
    const content = contentOf(engine);
    await engine.close();
    // A segment of which not even the header was written.
    writeFileSync(join(archive, '00000009.segment'), 'TESS');
    // Of a pipe nothing ever comes.
    execFileSync('mkfifo', [join(archive, '00000010.segment')]);
    expect(await restored('backup')).toEqual(content);
  });

  it('says what it lacks: writes without it, and cut off segments that others follow', async () => {
    let engine = await open();
    await put(engine, { key: 1 });
    await backUp('before');
    await engine.close();
    const alone = openLmdb(source);
    await put(alone, { key: 2 });
    await alone.close();
    engine = await open();
    expect(reported.map(({ code }) => code)).toEqual(['archive_gap']);
    await backUp('after');
    await put(engine, { key: 3 });
    await put(engine, { key: 4 });
    const content = contentOf(engine);
    await engine.close();
    await expect(restored('before')).rejects.toMatchObject({ code: 'archive_gap' });
    expect(await restored('after')).toEqual(content);
    const cut = lastSegment();
    engine = await open();
    await engine.close();
    truncateSync(cut, readFileSync(cut).length - 1);
    await expect(restored('after')).rejects.toMatchObject({ code: 'archive_gap' });
  });

  it('belongs to one store, and ends where that is restored', async () => {
    let engine = await open();
    await put(engine, { key: 1 });
    await backUp('backup');
    await engine.close();
    rmSync(source, { recursive: true });
    await expect(open()).rejects.toMatchObject({ code: 'archive_foreign' });
    rmSync(source, { recursive: true });
    await restoreStore(await openBackup(new FolderBlobs(join(root, 'backup'))), source, {
      finish: async () => undefined,
      progress: () => undefined,
      replayed: () => undefined,
    });
    await expect(open()).rejects.toMatchObject({ code: 'archive_foreign' });
    archive = join(root, 'another');
    engine = await open();
    await put(engine, { key: 2 });
    await engine.close();
  });
});

describe('pruning', () => {
  /** Six segments, with a backup in the third one and in the fifth; the states at the end of each. */
  async function segments(): Promise<readonly { readonly time: number; readonly content: readonly Entry[] }[]> {
    const states: { time: number; content: readonly Entry[] }[] = [];
    for (let segment = 1; segment <= 6; segment++) {
      const engine = await open();
      for (let commit = 0; commit < 3; commit++) {
        now += 1_000;
        await put(engine, { [`key/${segment % 4}`]: `${segment}.${commit}` });
        if ((segment === 3 || segment === 5) && commit === 1) await backUp(`backup${segment}`);
      }
      states.push({ time: now, content: contentOf(engine) });
      await engine.close();
    }
    return states;
  }

  const prune = async (place: string, isDryRun = false) => {
    const { manifest } = await openBackup(new FolderBlobs(join(root, place)));
    return pruneArchive(archive, manifest.store, isDryRun);
  };

  it('leaves what a backup and all later times need, and nothing before that', async () => {
    const states = await segments();
    const before = readdirSync(archive).sort();
    const sizes = before.slice(0, 2).map((name) => readFileSync(join(archive, name)).length);
    const bytes = sizes.reduce((sum, each) => sum + each, 0);
    const found = { segments: 2, bytes, left: 4, upTo: 18 };
    expect(await prune('backup3', true)).toEqual(found);
    expect(readdirSync(archive).sort()).toEqual(before);
    expect(await prune('backup3')).toEqual(found);
    expect(readdirSync(archive).sort()).toEqual(before.slice(2));
    for (const { time, content } of states.slice(2)) expect(await restored('backup3', time)).toEqual(content);
    expect(await prune('backup3')).toEqual({ segments: 0, bytes: 0, left: 4, upTo: 18 });
    expect((await prune('backup5')).segments).toBe(2);
    expect(await restored('backup5')).toEqual(states.at(-1)?.content);
    await expect(restored('backup3')).rejects.toMatchObject({ code: 'archive_gap' });
    // A server goes on with what is left.
    const engine = await open();
    await put(engine, { key: 'later' });
    const content = contentOf(engine);
    await engine.close();
    expect(await restored('backup5')).toEqual(content);
    expect(reported).toEqual([]);
  });

  it('removes nothing where what is left would bring no backup forward', async () => {
    await segments();
    const names = readdirSync(archive).sort();
    const fourth = join(archive, names[3] as string);
    const bytes = readFileSync(fourth);
    rmSync(fourth);
    await expect(prune('backup3')).rejects.toMatchObject({ code: 'archive_gap' });
    truncateSync(join(archive, names[4] as string), 50);
    writeFileSync(fourth, bytes);
    await expect(prune('backup3')).rejects.toMatchObject({ code: 'archive_gap' });
    expect(readdirSync(archive).sort()).toEqual(names);
    const { manifest } = await openBackup(new FolderBlobs(join(root, 'backup3')));
    const another = { ...manifest.store, id: 'cd'.repeat(16) };
    await expect(pruneArchive(archive, another, false)).rejects.toMatchObject({ code: 'archive_foreign' });
    for (const name of names) rmSync(join(archive, name));
    await expect(prune('backup3')).rejects.toMatchObject({ code: 'restore_time' });
  });
});

/** A checksum of 32 bits shows what a disk does to an archive; anyone who can write to it makes right ones. */
describe('a forged record', () => {
  const STORE = 'ab'.repeat(16);
  const header = encodeSegmentHeader(STORE, 0);
  const group = { version: 1, time: 1, stamp: undefined };
  const path = () => join(archive, '00000001.segment');
  const write = (bytes: Uint8Array) => {
    mkdirSync(archive);
    writeFileSync(path(), Buffer.concat([header.bytes, bytes]));
  };
  const read = async () => {
    const groups: ArchivedGroup[] = [];
    for (const segment of await segmentsOf(archive, STORE))
      for await (const each of groupsOf(segment)) groups.push(each);
    return groups;
  };

  it.each<[string, readonly number[]]>([
    ['ends within a header', [1]],
    ['ends within a key', [255, 255, 0, 0, 0, 0, 65]],
    ['ends within a value', [1, 0, 255, 255, 255, 254, 65, 1]],
    ['has a key of nothing', [0, 0, 0, 0, 0, 0]],
    ['has a key that is too long', [208, 7, 0, 0, 0, 0, ...new Array<number>(2_000).fill(65)]],
  ])('that %s ends the segment', async (_, bytes) => {
    write(encodeArchiveRecord(Buffer.from(bytes), group, header.checksum).bytes);
    expect(await read()).toEqual([]);
  });

  it('of a gigabyte is not read', async () => {
    const bytes = Buffer.alloc(48);
    bytes.writeUInt32LE(2 ** 30, 0);
    write(bytes);
    truncateSync(path(), 2 ** 30 + 100);
    const before = process.memoryUsage().arrayBuffers;
    expect(await read()).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
  });
});

it('reports at once that its disk is full, and again when it is full once more', async () => {
  const engine = await open();
  await put(engine, { a: 1 });
  const full = vi.spyOn(ArchiveSpace.prototype, 'admit').mockImplementation(() => {
    throw failure('storage_full', { reason: 'the disk of the archive is full' });
  });
  for (const value of [2, 3, 4])
    await expect(put(engine, { a: value })).rejects.toMatchObject({ code: 'storage_full' });
  expect(reported.map(({ code, message }) => [code, /archive/.test(message)])).toEqual([['storage_full', true]]);
  full.mockRestore();
  await put(engine, { a: 5 });
  vi.spyOn(ArchiveSpace.prototype, 'admit').mockImplementationOnce(() => {
    throw failure('storage_full', { reason: 'the disk of the archive is full' });
  });
  await expect(put(engine, { a: 6 })).rejects.toMatchObject({ code: 'storage_full' });
  expect(reported).toHaveLength(2);
  await put(engine, { a: 7 });
  await engine.close();
});
