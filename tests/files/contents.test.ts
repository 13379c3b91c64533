/** What every backend of buckets does alike. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOf } from '../../src/catalog/entries.js';
import { BucketKeys } from '../../src/catalog/keys/file-keys.js';
import { realEnvironment } from '../../src/env/real.js';
import type { TesseraError } from '../../src/errors/error.js';
import { readContentAddress } from '../../src/files/contents/address.js';
import { type BucketPlace, ContentStores, NO_BACKENDS } from '../../src/files/contents/content-stores.js';
import type { Contents } from '../../src/files/contents/contents.js';
import type { Engine } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { readS3Environment } from '../../src/storage/s3/s3-address.js';
import { StubbedEnvironment } from '../support/environment.js';
import { S3Server } from '../support/s3-server.js';
import { temporaryFolder } from '../support/server-process.js';

const MIB = 2 ** 20;

let s3: S3Server;
beforeAll(async () => {
  s3 = await S3Server.start('files');
});
afterAll(() => s3.stop());

const folder = temporaryFolder();
const BACKENDS: Readonly<Record<string, { readonly backend: string; readonly engine: () => Engine }>> = {
  memory: { backend: 'memory', engine: () => new MemoryEngine() },
  'a folder': { backend: `file:${folder}/files`, engine: () => new MemoryEngine() },
  'the store, in memory': { backend: 'database', engine: () => new MemoryEngine() },
  'the store, on disk': { backend: 'database', engine: () => openLmdb(temporaryFolder(), { sync: 'never' }) },
  S3: { backend: 's3://files/app', engine: () => new MemoryEngine() },
};

let identities = 0;

describe.each(Object.entries(BACKENDS))('contents in %s', (_name, { backend, engine: newEngine }) => {
  let engine: Engine;
  let stores: ContentStores;
  let contents: Contents;
  beforeAll(async () => {
    engine = newEngine();
    stores = new ContentStores(engine, realEnvironment, {
      ...NO_BACKENDS,
      folders: [folder],
      objectStores: [{ bucket: 'files', prefix: '', endpoint: undefined, region: undefined }],
      s3: readS3Environment(s3.variables),
      memory: 64 * MIB,
    });
    contents = stores.of(place());
  });
  afterAll(() => engine.close());

  const place = (): BucketPlace => ({
    database: 1,
    identity: `bucket${String(++identities).padStart(14, '0')}`,
    name: 'pictures',
    address: readContentAddress(backend),
  });

  it('gives any part of what was written, however it came', async () => {
    const sizes = [0, 1, 1000, 256 * 1024, 256 * 1024 + 1, 3 * MIB + 7];
    for (const size of sizes) {
      const bytes = random(size);
      const id = stores.drawContent();
      await contents.write(id, inPieces(bytes, [1, 70_000, 500_000]));
      expect(digestOf(await all(contents.read(id, 0, size)))).toBe(digestOf(bytes));
      for (const [from, to] of [
        [0, Math.min(size, 1)],
        [Math.floor(size / 2), size],
        [Math.max(0, size - 3), size],
        [Math.floor(size / 3), Math.floor((2 * size) / 3)],
      ] as const) {
        expect(Buffer.compare(await all(contents.read(id, from, to)), bytes.subarray(from, to))).toBe(0);
      }
    }
  });

  it('gives a random range', async () => {
    const bytes = random(700_000);
    const id = stores.drawContent();
    await contents.write(id, inPieces(bytes, [123_457]));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.nat(bytes.length), async (one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one];
        expect(Buffer.compare(await all(contents.read(id, from, to)), bytes.subarray(from, to))).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps nothing of a write that fails', async () => {
    const own = stores.of(place());
    const id = stores.drawContent();
    const failing = async function* () {
      yield random(2 * MIB);
      throw new Error('the client has gone');
    };
    await expect(own.write(id, failing())).rejects.toThrow('the client has gone');
    await own.delete(id);
    expect(await ids(own)).toEqual([]);
  });

  it('deletes one, and all', async () => {
    const [mine, others] = [stores.of(place()), stores.of(place())];
    const kept = [stores.drawContent(), stores.drawContent()].toSorted();
    for (const id of kept) await mine.write(id, inPieces(random(600_000), [600_000]));
    await others.write(kept[0] as string, inPieces(random(10), [10]));
    expect((await ids(mine)).toSorted()).toEqual(kept);
    await mine.delete(kept[0] as string);
    await mine.delete(kept[0] as string);
    expect(await ids(mine)).toEqual([kept[1]]);
    await mine.clear();
    expect(await ids(mine)).toEqual([]);
    expect(await ids(others)).toEqual([kept[0]]);
    await mine.clear();
  });

  it('says of a content that is gone what a user may know', async () => {
    const error = await all(contents.read(stores.drawContent(), 0, 5)).catch((thrown: TesseraError) => thrown);
    expect(error).toMatchObject({ code: 'bucket_store' });
    expect(String((error as Error).message)).not.toContain(folder);
  });
});

describe('a bucket in memory', () => {
  it('has a bound, which what is deleted gives back', async () => {
    const stores = new ContentStores(new MemoryEngine(), realEnvironment, { ...NO_BACKENDS, memory: MIB });
    const contents = stores.of({ database: 1, identity: 'x', name: 'x', address: { kind: 'memory' } });
    const write = (id: string, size: number) => contents.write(id, inPieces(random(size), [100_000]));
    await write('a', MIB / 2);
    await expect(write('b', MIB)).rejects.toMatchObject({ code: 'file_too_large' });
    await contents.delete('a');
    await write('c', MIB);
  });
});

describe('a folder', () => {
  const root = join(folder, 'allowed');
  const outside = join(folder, 'outside');
  const engine = new MemoryEngine();
  const stores = new ContentStores(engine, realEnvironment, { ...NO_BACKENDS, folders: [root], memory: MIB });
  const at = (path: string) =>
    stores.of({ database: 1, identity: 'other', name: 'pictures', address: { kind: 'folder', folder: path } });
  beforeAll(() => {
    mkdirSync(root);
    mkdirSync(outside);
  });

  it.each(['/etc', '..', '../outside', 'x/../../outside', '../allowed2'])('may not be %s', async (path) => {
    const there = path.startsWith('/') ? path : join(root, path);
    await expect(stores.assertUsable({ kind: 'folder', folder: there })).rejects.toMatchObject({
      code: 'bucket_denied',
    });
    expect(existsSync(join(folder, 'allowed2'))).toBe(false);
  });

  it('may not be reached by a link', async () => {
    symlinkSync(outside, join(root, 'link'));
    for (const path of ['link', 'link/deeper']) {
      const address = { kind: 'folder', folder: join(root, path) } as const;
      await expect(stores.assertUsable(address)).rejects.toMatchObject({ code: 'bucket_denied' });
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  it('isn’t left by a link in the place of a folder or a file of its own', async () => {
    const contents = at(join(root, 'own'));
    await contents.write('00aa', inPieces(random(5), [5]));
    await contents.write('00bb', inPieces(random(5), [5]));
    const own = join(root, 'own', 'other');
    writeFileSync(join(outside, 'secret'), 'secret');
    rmSync(join(own, 'aa', '00aa'));
    symlinkSync(join(outside, 'secret'), join(own, 'aa', '00aa'));
    await expect(all(contents.read('00aa', 0, 6))).rejects.toMatchObject({ code: 'bucket_store' });
    renameSync(join(own, 'bb'), join(own, 'cc'));
    symlinkSync(outside, join(own, 'bb'));
    await expect(contents.write('11bb', inPieces(random(5), [5]))).rejects.toMatchObject({ code: 'bucket_store' });
    expect(readdirSync(outside)).toEqual(['secret']);
  });
});

describe('S3', () => {
  const PLACE = { database: 1, identity: 'large', name: 'large' };
  const OBJECTS = {
    ...NO_BACKENDS,
    objectStores: [{ bucket: 'files', prefix: 'tenant/', endpoint: undefined, region: undefined }],
  };
  const stores = () => {
    const options = { ...OBJECTS, s3: readS3Environment(s3.variables), memory: MIB };
    return new ContentStores(new MemoryEngine(), realEnvironment, options);
  };

  it.each([
    ['another bucket', 's3://other/tenant/x'],
    ['another prefix', 's3://files/others'],
    ['a prefix that begins alike', 's3://files/tenant2'],
    ['another endpoint', 's3://files/tenant?endpoint=http://169.254.169.254/'],
  ])('may not be %s', async (_what, backend) => {
    await expect(stores().assertUsable(readContentAddress(backend))).rejects.toMatchObject({ code: 'bucket_denied' });
  });

  it('takes large contents in parts, through troubles', async () => {
    const place = { ...PLACE, address: readContentAddress('s3://files/tenant/large') };
    const contents = stores().of(place);
    const bytes = random(33 * MIB);
    s3.troubles.push(503, 'cut');
    await contents.write('00aa', inPieces(bytes, [MIB]));
    expect(digestOf(await all(contents.read('00aa', 0, bytes.length)))).toBe(digestOf(bytes));
    expect(await ids(contents)).toEqual(['00aa']);
  });

  it('takes what was done though its answer was lost', async () => {
    const contents = stores().of({ ...PLACE, address: readContentAddress('s3://files/tenant/lost') });
    const bytes = random(33 * MIB);
    // It begins, sends the first of three parts, and completes: these are done, and asked for once more.
    s3.troubles.push('lost', 'nothing', 'lost', 'nothing', 'nothing', 'nothing', 'lost');
    await contents.write('00aa', inPieces(bytes, [MIB]));
    expect(s3.troubles).toEqual([]);
    expect(digestOf(await all(contents.read('00aa', 0, bytes.length)))).toBe(digestOf(bytes));
    s3.troubles.push('lost');
    await contents.delete('00aa');
    expect(await ids(contents)).toEqual([]);
    s3.troubles.push('lost');
    await contents.write('00bb', inPieces(bytes.subarray(0, 100), [10]));
    expect(await ids(contents)).toEqual(['00bb']);
  });

  it('notes what may be done late, when nothing knows of it any longer', async () => {
    const environment = new StubbedEnvironment();
    const engine = new MemoryEngine();
    const options = { ...OBJECTS, s3: readS3Environment(s3.variables), memory: MIB };
    const late = new ContentStores(engine, environment, options);
    const place = { ...PLACE, address: readContentAddress('s3://files/tenant/late') };
    const upload = { holder: 'x', limit: { bytes: 100, setting: 'MAXSIZE' } };
    // All attempts at it, and the deletion that follows finds nothing.
    s3.troubles.push('late', 403, 'nothing');
    await expect(late.stage(place, inPieces(random(10), [10]), upload)).rejects.toMatchObject({ code: 'bucket_store' });
    await s3.catchUp();
    const [stray] = await ids(late.of(place));
    expect(stray).toBeDefined();
    const transaction = await engine.begin({ writable: false });
    const keys = new BucketKeys(place.database, place.identity);
    const noted = (await entriesOf(transaction, keys.due)).map(([key]) => keys.contentIn(key));
    transaction.cancel();
    expect(noted).toEqual([stray]);
    await engine.close();
  });
});

function random(size: number): Buffer {
  return Buffer.from(realEnvironment.random.bytes(size));
}

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts);
}

async function ids(contents: Contents): Promise<string[]> {
  const found: string[] = [];
  for await (const id of contents.list()) found.push(id);
  return found;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
