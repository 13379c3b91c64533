/** Uploads that come in several requests, across restarts, servers and time. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readObjectStore } from '../../src/files/contents/address.js';
import { NO_BACKENDS } from '../../src/files/contents/content-stores.js';
import { isJoined } from '../../src/files/contents/joined.js';
import { writeBehind } from '../../src/files/contents/pieces.js';
import { LARGE_PART, Parts, smallTail } from '../../src/files/uploads/parts.js';
import type { ResumableUpload } from '../../src/runtime/file-access.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { readS3Environment } from '../../src/storage/s3/s3-address.js';
import { FileReference } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { S3Server } from '../support/s3-server.js';
import { temporaryFolder } from '../support/server-process.js';
import { run } from '../support/world.js';

const HOUR = 3_600_000;
const OBJECTS = 's3://bucket/uploads';

let s3: S3Server;
beforeAll(async () => {
  s3 = await S3Server.start('bucket');
});
afterAll(() => s3.stop());

/** A store, and as many databases over it as are opened. */
class Site {
  readonly environment = new StubbedEnvironment();
  readonly #engine = new MemoryEngine();
  readonly folder = temporaryFolder();
  readonly #open: OpenDatabase[] = [];

  async open(): Promise<Session> {
    const location = readObjectStore(OBJECTS);
    const objectStores = location === undefined ? [] : [location];
    const buckets = { ...NO_BACKENDS, folders: [this.folder], objectStores, s3: readS3Environment(s3.variables) };
    const database = await openDatabase(this.#engine, { environment: this.environment, buckets });
    this.#open.push(database);
    const session = database.ownerSession();
    await session.use('test', 'test');
    await run(
      session,
      `DEFINE BUCKET IF NOT EXISTS store; DEFINE BUCKET IF NOT EXISTS folder BACKEND 'file:${this.folder}';
       DEFINE BUCKET IF NOT EXISTS objects BACKEND '${OBJECTS}'`,
    );
    return session;
  }

  async close(): Promise<void> {
    for (const database of this.#open.splice(0)) await database.close();
  }
}

async function* of(given: string | Buffer): AsyncGenerator<Uint8Array> {
  if (typeof given === 'string') for (const letter of given) yield Buffer.from(letter);
  else for (let at = 0; at < given.length; at += 100_000) yield given.subarray(at, at + 100_000);
}

async function append(
  session: Session,
  upload: ResumableUpload,
  given: string | Buffer,
  bucket = 'store',
): Promise<void> {
  await upload.append({
    bytes: of(given),
    isWhole: false,
    put: async ({ key, upload: name }) => {
      await run(session, `file::put(f"${bucket}:${key}", NONE, { upload: '${name}' })`);
    },
  });
}

async function textOf(session: Session, bucket: string): Promise<unknown> {
  const [result] = await session.query(`RETURN <string> f"${bucket}:/a".get()`);
  return result?.outcome.ok === true ? result.outcome.value : result?.outcome.error;
}

const begin = (session: Session, bucket: string, length: number) =>
  session.beginUpload(new FileReference(bucket, '/a'), {
    length,
    type: undefined,
    expected: undefined,
    metadata: undefined,
  });

describe.each(['store', 'folder', 'objects'])('an upload in the bucket %s', (bucket) => {
  it('goes on after a restart, and at another server', async () => {
    const site = new Site();
    const first = await site.open();
    const { id } = await begin(first, bucket, 9);
    await append(first, await first.resumeUpload(bucket, id), 'abc', bucket);
    // The first one isn't closed, as after a kill.
    const second = await site.open();
    const third = await site.open();
    await append(second, await second.resumeUpload(bucket, id), 'def', bucket);
    const found = await third.resumeUpload(bucket, id);
    expect(found.offset).toBe(6);
    await append(third, found, 'ghi', bucket);
    expect(await textOf(second, bucket)).toBe('abcdefghi');
    await site.close();
  });

  it('takes the same bytes once from two servers', async () => {
    const site = new Site();
    const [left, right] = [await site.open(), await site.open()];
    const { id } = await begin(left, bucket, 6);
    const both = [await left.resumeUpload(bucket, id), await right.resumeUpload(bucket, id)] as const;
    await append(left, both[0], 'abc', bucket);
    await expect(append(right, both[1], 'abc', bucket)).rejects.toMatchObject({ code: 'file_upload_offset' });
    const whole = [await left.resumeUpload(bucket, id), await right.resumeUpload(bucket, id)] as const;
    await append(left, whole[0], 'def', bucket);
    await expect(append(right, whole[1], 'def', bucket)).rejects.toMatchObject({ code: 'file_upload_offset' });
    expect(await textOf(right, bucket)).toBe('abcdef');
    await site.close();
  });

  it('keeps large parts as they are, and small ones not', async () => {
    const site = new Site();
    const session = await site.open();
    const run = async (parts: readonly number[], restartsBefore?: number) => {
      const bytes = parts.map((size, at) => randomBytes(size).fill(at, 0, 1));
      const whole = Buffer.concat(bytes);
      let { id } = await begin(session, bucket, whole.length);
      let server = session;
      for (const [at, part] of bytes.entries()) {
        if (at === restartsBefore) server = await site.open();
        const upload = await server.resumeUpload(bucket, id);
        ({ id } = upload);
        await append(server, upload, part, bucket);
      }
      const file = await session.openFile(new FileReference(bucket, '/a'));
      expect(file?.facts['digest']).toBe(`sha-256:${createHash('sha256').update(whole).digest('hex')}`);
      for (const [from, to] of [
        [0, whole.length],
        [(parts[0] ?? 0) - 5, (parts[0] ?? 0) + 5],
        [whole.length - 1, whole.length],
        [parts[0] ?? 0, parts[0] ?? 0],
      ] as const) {
        const read: Uint8Array[] = [];
        for await (const piece of file?.read(from, to) ?? []) read.push(piece);
        expect(Buffer.concat(read).equals(whole.subarray(from, to)), `${from} to ${to}`).toBe(true);
      }
      const results = await session.query(
        `LET $copy = f"store:/copy"; f"${bucket}:/a".copy($copy); RETURN [f"${bucket}:/a".get(), $copy.get()]`,
      );
      const { outcome } = results[2] ?? {};
      for (const got of outcome?.ok === true ? (outcome.value as Uint8Array[]) : [Buffer.of()]) {
        expect(whole.equals(got)).toBe(true);
      }
      return String(file?.facts['version']);
    };
    expect(isJoined(await run([1_500_000, 1_100_000, 900_000]))).toBe(true);
    // The other server hasn't had the first bytes.
    expect(isJoined(await run([1_500_000, 1_100_000, 900_000], 1))).toBe(true);
    expect(isJoined(await run([3_000, 1_000_000]))).toBe(false);
    await site.close();
  });

  it('may come in many tiny parts', async () => {
    const site = new Site();
    const session = await site.open();
    const text = randomBytes(300).toString('hex');
    const { id } = await begin(session, bucket, text.length);
    for (let at = 0; at < text.length; at += 6) {
      const upload = await session.resumeUpload(bucket, id);
      expect(upload.offset).toBe(at);
      await append(session, upload, text.slice(at, at + 6), bucket);
    }
    expect(await textOf(session, bucket)).toBe(text);
    await site.close();
  });

  it('is one of a hundred of its user at most, until it is over', async () => {
    const site = new Site();
    const session = await site.open();
    const uploads = [];
    for (let count = 0; count < 100; count++) uploads.push(await begin(session, bucket, 3));
    const refused = { code: 'too_many_uploads' };
    await expect(begin(session, bucket, 3)).rejects.toMatchObject(refused);
    await uploads[0]?.cancel();
    await begin(session, bucket, 3);
    await expect(begin(session, bucket, 3)).rejects.toMatchObject(refused);
    await append(session, uploads[1] as ResumableUpload, 'abc', bucket);
    await begin(session, bucket, 3);
    await expect(begin(session, bucket, 3)).rejects.toMatchObject(refused);
    // Pieces of statements are uploads as well.
    await expect(run(session, `f"${bucket}:/b".put("a", { at: 0, size: 3 })`)).rejects.toMatchObject(refused);
    site.environment.advance(25 * HOUR);
    await expect.poll(() => begin(session, bucket, 3).catch(({ code }) => code)).toMatchObject({ offset: 0 });
    await site.close();
  });

  it('is over after a day', async () => {
    const site = new Site();
    const session = await site.open();
    const upload = await begin(session, bucket, 6);
    await append(session, upload, 'abc', bucket);
    site.environment.advance(23 * HOUR);
    const late = await session.resumeUpload(bucket, upload.id);
    site.environment.advance(2 * HOUR);
    await expect(session.resumeUpload(bucket, upload.id)).rejects.toMatchObject({ code: 'file_upload_over' });
    await expect(append(session, late, 'd', bucket)).rejects.toMatchObject({ code: 'file_upload_over' });
    await site.close();
  });
});

it('keeps what comes also where small parts can’t become one', async () => {
  const site = new Site();
  const session = await site.open();
  const { id } = await begin(session, 'folder', 9);
  await append(session, await session.resumeUpload('folder', id), 'abc', 'folder');
  const [first, ...others] = readdirSync(site.folder, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  expect([first?.name.length, others]).toEqual([expect.any(Number), []]);
  rmSync(join(first?.parentPath ?? '', first?.name ?? ''));
  await append(session, await session.resumeUpload('folder', id), 'def', 'folder');
  const upload = await session.resumeUpload('folder', id);
  expect(upload.offset).toBe(6);
  await expect(append(session, upload, 'ghi', 'folder')).rejects.toMatchObject({ code: 'bucket_store' });
  await site.close();
});

describe('small parts', () => {
  it('are few at any time, and are seldom written again', () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3 * LARGE_PART })), {
      minLength: 1,
      maxLength: 2_000,
    });
    fc.assert(
      fc.property(sizes, fc.constantFrom(1, 2_000), (given, times) => {
        const length = given.reduce((sum, size) => sum + size, 0) * times;
        const large = Math.max(LARGE_PART, length / 1024);
        let parts: { size: number }[] = [];
        let [written, offset] = [0, 0];
        for (const size of given) {
          parts.push({ size });
          offset += size;
          const count = smallTail(parts, length);
          expect(count).not.toBe(1);
          const merged = parts.slice(parts.length - count).reduce((sum, part) => sum + part.size, 0);
          written += merged;
          if (count > 0) parts = [...parts.slice(0, -count), { size: merged }];
          // For each large part one beside it that isn't, and those that are at least half as large as the one before.
          expect(parts.length).toBeLessThanOrEqual((2 * offset) / large + Math.log2(large) + 2);
        }
        expect(written).toBeLessThanOrEqual(2 * offset * Math.log2(large));
      }),
    );
  });
});

describe('pieces that are written while others come', () => {
  it('are in their order, one at a time, and none is being written once it settles', async () => {
    const log: string[] = [];
    let running = 0;
    const write = async (piece: string) => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      log.push(piece);
      if (piece === 'unwritable') throw new Error('it is full');
    };
    async function* coming(...pieces: readonly string[]): AsyncGenerator<string> {
      for (const piece of pieces) {
        if (piece === 'cut') throw new Error('it was cut');
        yield piece;
      }
    }
    await writeBehind(coming('a', 'b', 'c'), write);
    expect(log.splice(0)).toEqual(['a', 'b', 'c']);
    await expect(writeBehind(coming('a', 'cut'), write)).rejects.toThrow('it was cut');
    expect([running, ...log.splice(0)]).toEqual([0, 'a']);
    for (const pieces of [['unwritable'], ['unwritable', 'b', 'c'], ['a', 'unwritable', 'b']]) {
      await expect(writeBehind(coming(...pieces), write)).rejects.toThrow('it is full');
      expect(running).toBe(0);
      expect(log.splice(0).at(-1)).toBe('unwritable');
    }
    await expect(writeBehind(coming('unwritable', 'cut'), write)).rejects.toThrow('it was cut');
  });
});

describe('parts of a stream', () => {
  it('are cut by their length, whatever the pieces are', async () => {
    const parts = new Parts(
      (async function* () {
        yield* [Buffer.from('abcde'), Buffer.from(''), Buffer.from('f'), Buffer.from('gh')];
      })(),
    );
    const found: string[] = [];
    while (await parts.hasMore()) {
      const pieces: Uint8Array[] = [];
      for await (const piece of parts.next(3)) pieces.push(piece);
      found.push(Buffer.concat(pieces).toString());
    }
    expect(found).toEqual(['abc', 'def', 'gh']);
  });
});
