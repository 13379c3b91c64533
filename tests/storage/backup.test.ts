/** Backups of stores in folders, in this process and while another one writes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from '../../src/storage/backup/blobs.js';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import { type BackupHeader, encodeHeader } from '../../src/storage/backup/manifest.js';
import { openBackup, readParts } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import type { Secret } from '../../src/storage/backup/sealing.js';
import type { Entry } from '../../src/storage/contract.js';
import { checkFile } from '../../src/storage/lmdb/engine/check-file.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { sha256 } from '../../src/storage/s3/sha256.js';
import { compiled } from '../support/compiled.js';
import { atLeast } from '../support/timeouts.js';

const EVERYTHING = { from: '', to: '\xff'.repeat(2_000) };

let root: string;
let source: string;
let place: string;
let target: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tessera-backup-'));
  [source, place, target] = ['source', 'backup', 'target'].map((name) => join(root, name)) as [string, string, string];
});
afterEach(() => rmSync(root, { recursive: true }));

type Content = Readonly<Record<string, unknown>>;

async function fill(folder: string, ...commits: Content[]): Promise<void> {
  const engine = openLmdb(folder, { sync: 'never' });
  for (const content of commits) {
    const transaction = engine.begin({ writable: true });
    for (const [key, value] of Object.entries(content)) {
      if (value === undefined) transaction.delete(key);
      else transaction.put(key, value as string);
    }
    await transaction.commit();
  }
  await engine.close();
}

async function contentOf(folder: string): Promise<Content> {
  const engine = openLmdb(folder, { readOnly: true });
  const transaction = engine.begin({ writable: false });
  const cursor = transaction.scan(EVERYTHING);
  const all: Entry[] = [];
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) all.push(...batch);
  transaction.cancel();
  await engine.close();
  return Object.fromEntries(all);
}

const restore = async (secret?: Secret) =>
  restoreStore(await openBackup(new FolderBlobs(place), secret), target, {
    finish: async () => undefined,
    progress: () => undefined,
    replayed: () => undefined,
  });

function faultsIn(folder: string): string[] {
  const faults: string[] = [];
  checkFile(folder, {
    page: (what) => faults.push(what),
    value: (key) => faults.push(key),
    progress: () => undefined,
  });
  return faults;
}

const passphrase: Secret = { kind: 'passphrase', bytes: Buffer.from('correct horse') };
const key: Secret = { kind: 'key', bytes: Buffer.alloc(32, 7) };

describe('a backup', () => {
  const content = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom('a', 'b', 'c', '\x80') }),
    fc.option(fc.oneof(fc.string(), fc.string({ minLength: 3_000, maxLength: 9_000 })), { nil: undefined }),
    { maxKeys: 60 },
  );

  it('holds what was committed, whatever that is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 8 }), async (commits) => {
        for (const folder of [source, place, target]) rmSync(folder, { recursive: true, force: true });
        await fill(source, ...commits);
        const { manifest } = await createBackup(source, new FolderBlobs(place));
        expect(manifest.store.version).toBe(commits.filter((each) => Object.keys(each).length > 0).length);
        await restore();
        expect(await contentOf(target)).toEqual(await contentOf(source));
        expect(faultsIn(target)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('leaves out what was deleted', async () => {
    await fill(source, { secret: 'swordfish '.repeat(900) }, { secret: undefined }, { other: 'x' }, { another: 'y' });
    expect(readFileSync(join(source, 'data.mdb')).includes('swordfish')).toBe(true);
    await createBackup(source, new FolderBlobs(place));
    await restore();
    expect(readFileSync(join(target, 'data.mdb')).includes('swordfish')).toBe(false);
  });

  it.each([
    ['with a passphrase', passphrase, key],
    ['with a key', key, { kind: 'key', bytes: Buffer.alloc(32, 8) }],
  ] as const)('is encrypted %s', async (_, secret, wrong) => {
    await fill(source, { greeting: 'swordfish '.repeat(30) });
    await createBackup(source, new FolderBlobs(place), { secret });
    for (const name of readdirSync(place)) expect(readFileSync(join(place, name)).includes('swordfish')).toBe(false);
    await expect(restore()).rejects.toMatchObject({ code: 'backup_key_missing' });
    await expect(restore(wrong)).rejects.toMatchObject({ code: 'backup_key_wrong' });
    expect(existsSync(target)).toBe(false);
    await restore(secret);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it('reads no more of a blob than it may have', async () => {
    await fill(source, { some: 'text' });
    await createBackup(source, new FolderBlobs(place));
    for (const name of readdirSync(place)) {
      const path = join(place, name);
      const { size } = statSync(path);
      // A hole that is larger than a buffer can be.
      truncateSync(path, 2 ** 33);
      await expect(restore()).rejects.toMatchObject({ code: 'backup_damaged' });
      rmSync(target, { recursive: true, force: true });
      truncateSync(path, size);
    }
    await restore();
  });

  it('waits for no pipe, and reads no device, in the place of a blob', async () => {
    await fill(source, { some: 'text' });
    await createBackup(source, new FolderBlobs(place));
    for (const name of readdirSync(place)) {
      const path = join(place, name);
      const bytes = readFileSync(path);
      const replaceBy = (command: string, ...args: string[]) => {
        rmSync(path);
        execFileSync(command, [...args, path]);
      };
      for (const [command, ...args] of [['mkfifo'], ['ln', '-s', '/dev/zero'], ['mkdir']] as const) {
        replaceBy(command, ...args);
        await expect(restore()).rejects.toMatchObject({ code: 'backup_damaged' });
        rmSync(path, { recursive: true });
        writeFileSync(path, bytes);
      }
    }
    await restore();
  });

  it('reports each byte that is damaged, and each blob that is missing', async () => {
    await fill(source, { some: 'text' });
    await createBackup(source, new FolderBlobs(place), { secret: key });
    const verify = async () => readParts(await openBackup(new FolderBlobs(place), key), () => undefined);
    await verify();
    for (const name of readdirSync(place)) {
      const path = join(place, name);
      const bytes = readFileSync(path);
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ 0x10;
        writeFileSync(path, damaged);
        // What is damaged in the header may also look like another key or format.
        await expect(verify(), `${name} at ${at}`).rejects.toMatchObject({ code: expect.stringMatching(/^backup_/) });
      }
      rmSync(path);
      await expect(verify()).rejects.toMatchObject({ code: expect.stringMatching(/^backup_(missing|damaged)$/) });
      writeFileSync(path, bytes);
    }
    await verify();
  });

  it('goes into an empty place only, and comes back into an empty folder only', async () => {
    await fill(source, { some: 'text' });
    await expect(createBackup(source, new FolderBlobs(source))).rejects.toMatchObject({
      code: 'backup_target_not_empty',
    });
    await createBackup(source, new FolderBlobs(place));
    mkdirSync(target);
    writeFileSync(join(target, 'notes.txt'), 'mine');
    await expect(restore()).rejects.toMatchObject({ code: 'restore_target_not_empty' });
    expect(readdirSync(target)).toEqual(['notes.txt']);
  });

  it('is none before its last blob is written', async () => {
    await fill(source, { some: 'text' });
    const blobs = new FolderBlobs(place);
    let written = 0;
    const failing: Blobs = {
      location: place,
      isEmpty: () => blobs.isEmpty(),
      read: (name, most) => blobs.read(name, most),
      write: async (name, bytes) => {
        if (++written === 3) throw new Error('the power is gone');
        await blobs.write(name, bytes);
      },
    };
    await expect(createBackup(source, failing)).rejects.toThrow('the power is gone');
    await expect(restore()).rejects.toMatchObject({ code: 'backup_missing' });
  });

  it('does not open before it is wholly restored, and can then be restored again', async () => {
    await fill(source, { some: 'text' });
    await createBackup(source, new FolderBlobs(place));
    const backup = await openBackup(new FolderBlobs(place));
    const options = { progress: () => undefined, replayed: () => undefined };
    const finish = () => Promise.reject(new Error('the power is gone'));
    await expect(restoreStore(backup, target, { ...options, finish })).rejects.toThrow('the power is gone');
    expect(() => openLmdb(target)).toThrow('a restore that is not complete');
    await restore();
    expect(await contentOf(target)).toEqual({ some: 'text' });
    expect(readdirSync(target).filter((name) => !name.endsWith('-lock'))).toEqual(['data.mdb', 'owner.mdb']);
    await expect(restore()).rejects.toMatchObject({ code: 'restore_target_not_empty' });
  });

  it('is taken of a store of format 1, before that is converted', async () => {
    mkdirSync(source);
    writeFileSync(join(source, 'data.mdb'), gunzipSync(readFileSync('tests/storage/fixtures/format-1.mdb.gz')));
    await createBackup(source, new FolderBlobs(place));
    await restore();
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it('keeps to a rate', async () => {
    await fill(source, { some: 'text '.repeat(100_000) });
    let now = 0;
    const waits: number[] = [];
    const environment = {
      clock: { now: () => 0n, monotonic: () => now },
      timers: {
        wait: async (milliseconds: number) => {
          waits.push(milliseconds);
          now += milliseconds;
        },
      } as never,
    };
    const { manifest } = await createBackup(source, new FolderBlobs(place), { rate: 100_000, environment });
    const { count, size } = manifest.pages;
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeCloseTo((count * size) / 100, 0);
  });
});

/** Checksums of a backup in the clear can be made by anyone who can write to it. */
describe('a forged backup', () => {
  type Forged = Record<string, unknown> & { parts: unknown; pages: Record<string, number>; store: object };
  const PART = 'part-000001';
  beforeEach(async () => {
    const commits = Array.from({ length: 6 }, (_, at) => ({ [`key ${at}`]: 'value '.repeat(3_000), [`k${at}`]: 'x' }));
    await fill(source, ...commits);
    await createBackup(source, new FolderBlobs(place));
  });

  function forge({
    manifest: change,
    header: more = {},
    part: damage,
  }: {
    readonly manifest?: (manifest: Forged) => void;
    readonly header?: object;
    readonly part?: (bytes: Buffer) => void;
  }): void {
    const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as Forged;
    const header = JSON.parse(readFileSync(join(place, 'backup.json'), 'utf8')) as BackupHeader;
    const part = readFileSync(join(place, PART));
    damage?.(part);
    manifest.parts = [{ name: PART, size: part.length, sha256: sha256(part) }];
    change?.(manifest);
    const bytes = Buffer.from(JSON.stringify(manifest));
    writeFileSync(join(place, PART), part);
    writeFileSync(join(place, 'manifest.json'), bytes);
    writeFileSync(join(place, 'backup.json'), encodeHeader({ ...header, ...more, manifest: sha256(bytes) }));
  }

  it.each<[string, (manifest: Forged) => void]>([
    ['a part that is nothing', (manifest) => (manifest.parts = [null])],
    ['parts that are texts', (manifest) => (manifest.parts = ['..'])],
    ['a part of another folder', (manifest) => (manifest.parts = [{ name: '../x', size: 1, sha256: '' }])],
    ['pages beyond what a file can have', (manifest) => (manifest.pages['last'] = Number.MAX_SAFE_INTEGER)],
    ['a file of a terabyte', (manifest) => (manifest.pages['last'] = 2 ** 28)],
    ['pages of nothing', (manifest) => (manifest.pages['size'] = 0)],
    ['another transaction', (manifest) => (manifest.pages['transaction'] = 0)],
    ['text that terminals obey', (manifest) => Object.assign(manifest, { taken: '\u001b[2J' })],
    ['a format that terminals obey', (manifest) => Object.assign(manifest.store, { format: '\u001b[2J' })],
    [
      'the same part again and again',
      (manifest) => (manifest.parts = Array(100_000).fill((manifest.parts as unknown[])[0])),
    ],
    ['a versionstamp without end', (manifest) => Object.assign(manifest.store, { stamp: '9'.repeat(100) })],
  ])('with %s is refused', async (_, manifest) => {
    forge({ manifest });
    await expect(restore()).rejects.toMatchObject({ code: 'backup_damaged' });
  });

  it.each<[string, unknown, string]>([
    ['nothing', null, 'backup_damaged'],
    ['a number', 5, 'backup_damaged'],
    ['hours of scrypt', { kind: 'scrypt', salt: '', N: 1_024, r: 8, p: 2 ** 20 }, 'backup_key_invalid'],
  ])('with %s for its encryption is refused', async (_, encryption, code) => {
    forge({ header: { encryption } });
    await expect(restore(passphrase)).rejects.toMatchObject({ code });
  });

  it('with pages that end the library is refused before the library has them', async () => {
    forge({
      part: (bytes) => {
        const runs = bytes.readUInt32LE(0);
        // All but the meta page, which comes first or last.
        const [from, to] = [4 + 12 * runs + 4_096, bytes.length - 4_096];
        bytes.fill(0, from, to);
      },
    });
    await expect(restore()).rejects.toMatchObject({ code: 'backup_damaged' });
    expect(() => openLmdb(target)).toThrow('a restore that is not complete');
  });

  it('with values that were flipped says so, and none of them is served', async () => {
    forge({ part: (bytes) => (bytes[bytes.indexOf('value value value') + 7] = 0x21) });
    const damaged: string[] = [];
    const backup = await openBackup(new FolderBlobs(place));
    await restoreStore(backup, target, {
      finish: async () => undefined,
      progress: () => undefined,
      replayed: () => undefined,
      describeKey: (name) => name,
      damaged: (error) => damaged.push(error.code),
    });
    expect(damaged).toEqual(['storage_corrupt']);
    await expect(contentOf(target)).rejects.toMatchObject({ code: 'storage_corrupt' });
  });
});

describe('a store that another process writes to', () => {
  const compiledIn = mkdtempSync(join(tmpdir(), 'tessera-backup-child-'));
  let child: string;
  beforeAll(() => {
    child = compiled('tests/storage/crash-child.ts', compiledIn);
  });
  afterAll(() => rmSync(compiledIn, { recursive: true }));

  it('is backed up as one of the states that were committed', { timeout: atLeast(60_000) }, async () => {
    const writer = spawn(process.execPath, [child, source, 'commit']);
    const lines = createInterface({ input: writer.stdout });
    const acknowledged = new Map<string, number>();
    lines.on('line', (line) => {
      const [name = '', number = ''] = line.split(' ');
      acknowledged.set(name, Number(number));
    });
    const sum = () => [...acknowledged.values()].reduce((total, each) => total + each, 0);
    await expect.poll(sum, { timeout: 20_000 }).toBeGreaterThan(40);
    const signal = (name: NodeJS.Signals) => () => process.platform !== 'win32' && writer.kill(name);
    const [pause, goOn] = [signal('SIGSTOP'), signal('SIGCONT')];
    for (let round = 0; round < 5; round++) {
      for (const folder of [place, target]) rmSync(folder, { recursive: true, force: true });
      const before = new Map(acknowledged);
      // In small steps, so that many commits come between.
      await createBackup(source, new FolderBlobs(place), { rate: 16 << 20 });
      // What it would write meanwhile makes the next backup longer, and shows nothing.
      pause();
      await restore();
      expect(faultsIn(target)).toEqual([]);
      const content = await contentOf(target);
      for (const [name, number] of before) {
        const last = content[`last/${name}`] as number;
        expect(last).toBeGreaterThanOrEqual(number);
        for (const side of ['left', 'right']) {
          const keys = Object.keys(content).filter((each) => each.startsWith(`${side}/${name}/`));
          expect(keys).toHaveLength(last);
        }
      }
      const then = sum();
      goOn();
      await expect.poll(sum, { timeout: 20_000 }).toBeGreaterThan(then);
    }
    const closed = once(writer, 'close');
    writer.kill('SIGKILL');
    await closed;
  });
});
