/** Bytes that no file has are deleted, and no others. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { entriesOf } from '../../src/catalog/entries.js';
import { BucketKeys } from '../../src/catalog/keys/file-keys.js';
import { readContentAddress } from '../../src/files/contents/address.js';
import { ContentStores, NO_BACKENDS } from '../../src/files/contents/content-stores.js';
import type { ResumableUpload } from '../../src/runtime/file-access.js';
import { FileSweeper } from '../../src/session/background/file-sweeper.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { FileReference } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { temporaryFolder } from '../support/server-process.js';
import { run } from '../support/world.js';

const MINUTE = 60_000;

interface Site {
  readonly environment: StubbedEnvironment;
  readonly database: OpenDatabase;
  readonly session: Session;
  readonly sweeper: FileSweeper;
  /** The ids of the contents that there are, of a bucket that is or was. */
  stored(bucket: string): Promise<string[]>;
  /** How many uploads are noted. */
  uploads(bucket: string): Promise<number>;
}

let site: Site;
afterEach(async () => {
  await site.sweeper.stop();
  await site.database.close();
});

/** A database with a bucket in the store and one in a folder, and their sweeper, in a time that the test moves. */
async function openSite(): Promise<Site> {
  const environment = new StubbedEnvironment();
  const engine = new MemoryEngine();
  const folder = temporaryFolder();
  const backends = { ...NO_BACKENDS, folders: [folder] };
  const contents = new ContentStores(engine, environment, { ...backends, memory: 2 ** 20 });
  const database = await openDatabase(engine, { environment, buckets: backends });
  const session = database.ownerSession();
  await session.use('test', 'test');
  await run(session, `DEFINE BUCKET store; DEFINE BUCKET folder BACKEND 'file:${folder}'`);
  const { catalog, release } = await session.catalogSnapshot();
  release();
  const report = (error: unknown) => {
    throw error;
  };
  const sweeper = new FileSweeper({ engine, environment, leases: undefined, contents, report });
  const stored = async (name: string) => {
    const bucket = catalog?.buckets.get(name);
    const ids: string[] = [];
    const address = readContentAddress(name === 'store' ? 'database' : `file:${folder}`);
    const place = { database: catalog?.database.id ?? 0, identity: bucket?.identity ?? '', name, address };
    for await (const id of contents.of(place).list()) ids.push(id);
    return ids;
  };
  const uploads = async (name: string) => {
    const keys = new BucketKeys(catalog?.database.id ?? 0, catalog?.buckets.get(name)?.identity ?? '');
    const transaction = await engine.begin({ writable: false });
    const rows = await entriesOf(transaction, keys.uploads);
    transaction.cancel();
    return rows.length;
  };
  return { environment, database, session, sweeper, stored, uploads };
}

/** The value of an expression. */
async function evaluated(expression: string): Promise<unknown> {
  const [result] = await site.session.query(`RETURN ${expression}`);
  if (result?.outcome.ok !== true) throw result?.outcome.error;
  return result.outcome.value;
}

async function sweepAfter(milliseconds: number): Promise<void> {
  site.environment.advance(milliseconds);
  await site.sweeper.sweep();
}

/**
 * That the contents of a bucket are soon those that its files have. The database's own sweeper has rounds, too, and may
 * be in the middle of one.
 */
async function expectOnlyUsed(bucket: string): Promise<void> {
  await expect.poll(async () => (await site.stored(bucket)).toSorted()).toEqual(await used(bucket));
}

/** The contents that files have. */
async function used(bucket: string): Promise<string[]> {
  const versions = (await evaluated(`file::list('${bucket}').version`)) as string[];
  return [...new Set(versions)].toSorted();
}

async function* bytes(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += 100_000) yield new Uint8Array(Math.min(100_000, size - at)).fill(at % 251);
}

const LARGE = 2_000_000;

/** Puts a file of many pieces, as a transport does. */
async function putLarge(bucket: string, key: string): Promise<void> {
  const upload = await site.session.uploadFile(new FileReference(bucket, key));
  const name = await upload.store(bytes(LARGE));
  await run(site.session, `file::put(f"${bucket}:${key}", NONE, { upload: '${name}' })`);
}

it('says what waits to be deleted, and which uploads are open', async () => {
  site = await openSite();
  const { pending } = site.sweeper;
  expect(pending).toEqual({ uploads: 0, bytes: 0 });
  await putLarge('folder', '/deleted');
  await putLarge('store', '/kept');
  await (await site.session.uploadFile(new FileReference('store', '/never'))).store(bytes(300_000));
  await run(site.session, 'f"folder:/deleted".delete()');
  const given = { length: 6, type: undefined, expected: undefined, metadata: undefined };
  await site.session.beginUpload(new FileReference('store', '/resumed'), given);
  await sweepAfter(MINUTE);
  expect(site.sweeper.pending).toEqual({ uploads: 1, bytes: LARGE + 300_000 });
  await sweepAfter(10 * MINUTE);
  expect(site.sweeper.pending).toEqual({ uploads: 1, bytes: 300_000 });
  await sweepAfter(24 * 60 * MINUTE);
  expect(site.sweeper.pending).toEqual({ uploads: 0, bytes: 0 });
});

async function appended(bucket: string, upload: ResumableUpload, size: number): Promise<void> {
  await upload.append({
    bytes: bytes(size),
    isWhole: false,
    put: async ({ key, upload: name }) => {
      await run(site.session, `file::put(f"${bucket}:${key}", NONE, { upload: '${name}' })`);
    },
  });
}

describe.each(['store', 'folder'])('the bucket in the %s', (bucket) => {
  it('loses what was deleted or replaced, in a while', async () => {
    site = await openSite();
    for (const key of ['/kept', '/deleted', '/replaced', '/copied']) await putLarge(bucket, key);
    const all = await used(bucket);
    await run(
      site.session,
      `f"${bucket}:/deleted".delete(); f"${bucket}:/replaced".put('short'); f"${bucket}:/copied".copy('copy');
       f"${bucket}:/copied".delete()`,
    );
    expect((await site.stored(bucket)).filter((id) => all.includes(id))).toHaveLength(4);
    await sweepAfter(5 * MINUTE);
    expect((await site.stored(bucket)).filter((id) => all.includes(id))).toHaveLength(4);
    await sweepAfter(6 * MINUTE);
    await expectOnlyUsed(bucket);
    expect(await evaluated(`bytes::len(f"${bucket}:/copy".get())`)).toBe(LARGE);
    await run(site.session, `f"${bucket}:/copy".delete()`);
    await sweepAfter(11 * MINUTE);
    await expectOnlyUsed(bucket);
  });

  it('loses what two files had, of which one was renamed to the other', async () => {
    site = await openSite();
    await putLarge(bucket, '/a');
    await run(site.session, `f"${bucket}:/a".copy('b'); f"${bucket}:/b".rename('a')`);
    await sweepAfter(11 * MINUTE);
    expect(await evaluated(`bytes::len(f"${bucket}:/a".get())`)).toBe(LARGE);
    await run(site.session, `f"${bucket}:/a".delete()`);
    await sweepAfter(11 * MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
  });

  it('loses uploads that aren’t put, which then can’t be', async () => {
    site = await openSite();
    const upload = await site.session.uploadFile(new FileReference(bucket, '/late'));
    const name = await upload.store(bytes(LARGE));
    await sweepAfter(50 * MINUTE);
    expect(await site.stored(bucket)).toHaveLength(1);
    await sweepAfter(11 * MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
    const put = `file::put(f"${bucket}:/late", NONE, { upload: '${name}' })`;
    await expect(run(site.session, put)).rejects.toMatchObject({ code: 'file_upload_over' });
    expect(await evaluated(`file::list('${bucket}')`)).toEqual([]);
  });

  it('keeps an upload that is put before, and takes it once', async () => {
    site = await openSite();
    const upload = await site.session.uploadFile(new FileReference(bucket, '/a'));
    const name = await upload.store(bytes(LARGE));
    const put = (key: string) => run(site.session, `file::put(f"${bucket}:${key}", NONE, { upload: '${name}' })`);
    await put('/a');
    await expect(put('/b')).rejects.toMatchObject({ code: 'file_upload_over' });
    await sweepAfter(120 * MINUTE);
    expect(await evaluated(`bytes::len(f"${bucket}:/a".get())`)).toBe(LARGE);
  });

  it('loses the parts of an upload: when it is whole, when it is deleted, and after a day', async () => {
    site = await openSite();
    const given = { length: 6, type: undefined, expected: undefined, metadata: undefined };
    const [whole, deleted, over] = [
      await site.session.beginUpload(new FileReference(bucket, '/whole'), given),
      await site.session.beginUpload(new FileReference(bucket, '/deleted'), given),
      await site.session.beginUpload(new FileReference(bucket, '/over'), given),
    ];
    const append = (upload: ResumableUpload, size: number) => appended(bucket, upload, size);
    for (const upload of [whole, deleted, over]) await append(upload, 3);
    await append(whole, 3);
    await deleted.cancel();
    await sweepAfter(MINUTE);
    await expect.poll(() => site.stored(bucket)).toHaveLength(2);
    expect(await site.session.resumeUpload(bucket, over.id)).toMatchObject({ offset: 3 });
    await sweepAfter(25 * 60 * MINUTE);
    await expectOnlyUsed(bucket);
    await expect(append(over, 3)).rejects.toMatchObject({ code: 'file_upload_over' });
    expect(await site.uploads(bucket)).toBe(0);
  });

  it('loses what was made of parts, with all of them', async () => {
    site = await openSite();
    const given = { length: LARGE * 3, type: undefined, expected: undefined, metadata: undefined };
    const begun = () => site.session.beginUpload(new FileReference(bucket, '/a'), given);
    const [put, cancelled] = [await begun(), await begun()];
    for (let part = 0; part < 2; part++) await appended(bucket, cancelled, LARGE);
    for (let part = 0; part < 3; part++) await appended(bucket, put, LARGE);
    await run(site.session, `f"${bucket}:/a".copy('b'); f"${bucket}:/a".delete()`);
    await cancelled.cancel();
    await sweepAfter(11 * MINUTE);
    await expectOnlyUsed(bucket);
    expect(await evaluated(`bytes::len(f"${bucket}:/b".get())`)).toBe(LARGE * 3);
    await run(site.session, `f"${bucket}:/b".delete()`);
    await sweepAfter(11 * MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
    // Put, but not by a statement: that of the client failed.
    const refused = await begun();
    for (let part = 0; part < 2; part++) await appended(bucket, refused, LARGE);
    const last = { bytes: bytes(LARGE), isWhole: false, put: () => Promise.reject(new Error('refused')) };
    await expect(refused.append(last)).rejects.toThrow('refused');
    expect(await site.stored(bucket)).toHaveLength(1);
    await sweepAfter(25 * 60 * MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
  });

  it('loses what one transaction copies from elsewhere and deletes', async () => {
    site = await openSite();
    await run(site.session, "DEFINE BUCKET source; f'source:/large'.put(string::repeat('0123456789', 60000))");
    await run(site.session, `BEGIN; f"source:/large".copy(f"${bucket}:/a"); f"${bucket}:/a".delete(); COMMIT`);
    await sweepAfter(11 * MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
  });

  it('loses everything when it is removed, and with its database', async () => {
    site = await openSite();
    await putLarge(bucket, '/a');
    await run(site.session, `f"${bucket}:/b".put('b'); REMOVE BUCKET ${bucket}`);
    await sweepAfter(MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
    await site.sweeper.stop();
    await site.database.close();
    site = await openSite();
    await putLarge(bucket, '/a');
    await run(site.session, 'REMOVE DATABASE test');
    await sweepAfter(MINUTE);
    await expect.poll(() => site.stored(bucket)).toEqual([]);
  });

  it('has the contents of its files, and soon no others, whatever is done', async () => {
    const key = fc.constantFrom('/a', '/b', '/c');
    const step = fc.oneof(
      fc.tuple(fc.constant('put'), key, fc.constantFrom("'x'", "'yy'")),
      fc.tuple(fc.constantFrom('copy', 'rename'), key, key),
      fc.tuple(fc.constant('delete'), key, fc.constant('')),
      fc.tuple(fc.constant('large'), key, fc.constant('')),
    );
    const block = fc.tuple(fc.constantFrom('COMMIT', 'CANCEL'), fc.array(step, { minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 5 }), async (blocks) => {
        site = await openSite();
        for (const [end, steps] of blocks) {
          const statements: string[] = [];
          for (const [action, of, to] of steps) {
            if (action === 'large') await putLarge(bucket, of);
            else if (action === 'put') statements.push(`f"${bucket}:${of}".put(${to})`);
            else if (action === 'delete') statements.push(`f"${bucket}:${of}".delete()`);
            else statements.push(`IF f"${bucket}:${of}".exists() { f"${bucket}:${of}".${action}('${to}') }`);
          }
          await run(site.session, ['BEGIN', ...statements, end].join(';')).catch((error: { code?: string }) => {
            if (end !== 'CANCEL') throw error;
          });
        }
        await sweepAfter(61 * MINUTE);
        await expectOnlyUsed(bucket);
        const files = (await evaluated(`file::list('${bucket}')`)) as { file: FileReference; size: number }[];
        for (const { file, size } of files) {
          expect(await evaluated(`bytes::len(f"${bucket}:${file.key}".get())`)).toBe(size);
        }
        await site.sweeper.stop();
        await site.database.close();
      }),
      { numRuns: 15 },
    );
    site = await openSite();
  });
});

describe('a live query of a list', () => {
  it('follows the files that may be listed', async () => {
    site = await openSite();
    const received: unknown[] = [];
    site.session.listen((notification) => void received.push(notification.result));
    await run(site.session, `LIVE QUERY file::list('store', { prefix: '/a' }).map(|$f| $f.file.key())`);
    await run(site.session, `f"store:/b".put('x'); f"store:/a1".put('x')`);
    await expect.poll(() => received).toEqual([['/a1']]);
    await run(site.session, `f"store:/a1".delete()`);
    await expect.poll(() => received).toEqual([['/a1'], []]);
  });
});
