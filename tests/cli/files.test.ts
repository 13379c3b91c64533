/** `tessera files check`: what of a bucket's files and bytes has no counterpart, on every backend that lasts. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runFilesCheck } from '../../src/cli/files.js';
import { realEnvironment } from '../../src/env/real.js';
import { readContentAddress, readObjectStore } from '../../src/files/contents/address.js';
import { ContentStores } from '../../src/files/contents/content-stores.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { readS3Environment } from '../../src/storage/s3/s3-address.js';
import { FileReference } from '../../src/value/value.js';
import { S3Server } from '../support/s3-server.js';
import { TextSink } from '../support/text-sink.js';
import { run } from '../support/world.js';

const STORES = 's3://bucket';
const STRAY = '0'.repeat(30);
let s3: S3Server;
const before = { ...process.env };
beforeAll(async () => {
  s3 = await S3Server.start('bucket');
  Object.assign(process.env, s3.variables);
});
afterAll(async () => {
  await s3.stop();
  process.env = before;
});

let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tessera-'));
  data = join(root, 'data');
});
afterEach(() => rmSync(root, { recursive: true }));

/** What is done to a bucket beside its rules. */
interface Bytes {
  readonly contents: ContentStores;
  readonly place: Parameters<ContentStores['of']>[0];
}

/** Makes a store with two files, an upload that has begun, and a deleted file whose bytes wait; then `harms` it. */
async function store(backend: string, harm: (bytes: Bytes, contents: readonly string[]) => Promise<void>) {
  const engine = openLmdb(data);
  const location = readObjectStore(STORES);
  const buckets = {
    folders: [root],
    objectStores: location === undefined ? [] : [location],
    s3: readS3Environment(process.env),
  };
  const database = await openDatabase(engine, { buckets });
  const session = database.ownerSession();
  await session.use('test', 'test');
  await run(session, `DEFINE BUCKET files BACKEND '${backend}'; DEFINE BUCKET memory BACKEND 'memory'`);
  for (const key of ['/a', '/b', '/gone']) {
    const upload = await session.uploadFile(new FileReference('files', key));
    const name = await upload.store(large());
    await run(session, `file::put(f"files:${key}", NONE, { upload: '${name}' })`);
  }
  await run(session, `f"files:/gone".delete(); f"files:/empty".put(''); f"files:/b".copy('c'); f"memory:/x".put('x')`);
  const given = { length: 6, type: undefined, expected: undefined, metadata: undefined };
  const upload = await session.beginUpload(new FileReference('files', '/u'), given);
  await upload.append({
    bytes: (async function* () {
      yield Buffer.from('abc');
    })(),
    isWhole: false,
    put: async () => undefined,
  });
  const [listed] = await session.query(`RETURN file::list('files').version`);
  if (listed?.outcome.ok !== true) throw listed?.outcome.error;
  const { catalog, release } = await session.catalogSnapshot();
  release();
  const bucket = catalog?.buckets.get('files');
  const place = {
    database: catalog?.database.id ?? 0,
    identity: bucket?.identity ?? '',
    name: 'files',
    address: readContentAddress(backend),
  };
  const contents = new ContentStores(engine, realEnvironment, { ...buckets, memory: 0 });
  await harm({ contents, place }, listed.outcome.value as readonly string[]);
  await database.close();
}

async function* large(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 5; piece++) yield Buffer.alloc(300_000, piece);
}

async function check(options: { repair?: boolean; allowBucketFolders?: string } = {}) {
  const output = new TextSink();
  const given = { allowBucketFolders: root, allowObjectStores: STORES, ...options };
  return { isSound: await runFilesCheck(data, given, output), text: output.text };
}

describe.each(['database', 'folder', 's3'])('a bucket in the backend %s', (kind) => {
  const backend = () => ({ folder: `file:${root}/files`, s3: `s3://bucket/${basename(root)}` })[kind] ?? 'database';

  it('is sound with uploads and files that are being deleted', async () => {
    await store(backend(), async () => undefined);
    expect(await check()).toEqual({ isSound: true, text: '1 bucket, all of them sound\n' });
  });

  it('loses bytes without a file, and files without bytes', async () => {
    await store(backend(), async ({ contents, place }, [a = '', b = '']) => {
      await contents.of(place).write(`${STRAY}aa`, large());
      // The content of two files: the second is a copy.
      await contents.of(place).delete(b);
      expect(a).not.toBe(b);
    });
    const found = await check();
    expect(found).toEqual({
      isSound: false,
      text: [
        `test/test/files: the bytes ${STRAY}aa belong to no file`,
        'test/test/files: the bytes of /b are missing',
        'test/test/files: the bytes of /c are missing',
        '1 bucket, 1 of them not sound\n',
      ].join('\n'),
    });
    expect(await check()).toEqual(found);
    const repaired = await check({ repair: true });
    expect(repaired.isSound).toBe(true);
    expect(repaired.text).toContain('the bytes of /b are missing: deleted\n');
    expect(await check()).toEqual({ isSound: true, text: '1 bucket, all of them sound\n' });
  });
});

it('names folders that no bucket of the store has, and leaves them', async () => {
  await store(`file:${root}/files`, async () => undefined);
  const [own = ''] = readdirSync(join(root, 'files'));
  const others = [join(root, 'files', 'A'.repeat(20)), join(root, 'B'.repeat(20))];
  for (const folder of [...others, join(root, 'files', 'other'), join(root, 'plain')]) mkdirSync(folder);
  const unknown = [`file:${others[1]}`, `file:${others[0]}`];
  const expected = `${unknown.map((folder) => `${folder}: of no bucket of this store\n`).join('')}1 bucket, all of them sound\n`;
  expect(await check({ repair: true })).toEqual({ isSound: true, text: expected });
  expect(readdirSync(join(root, 'files')).toSorted()).toEqual(['A'.repeat(20), own, 'other'].toSorted());
});

it('names places in object stores that no bucket of the store has', async () => {
  await store('s3://bucket/places', async ({ contents, place }) => {
    await contents.of({ ...place, identity: 'C'.repeat(20) }).write(`${STRAY}cc`, large());
  });
  expect((await check()).text).toContain(`s3://bucket/places/${'C'.repeat(20)}: of no bucket of this store\n`);
});

it('names files to which no field refers, where fields refer to the bucket', async () => {
  await store('database', async () => undefined);
  const engine = openLmdb(data);
  const database = await openDatabase(engine, {});
  const session = database.ownerSession();
  await session.use('test', 'test');
  await run(
    session,
    `DEFINE BUCKET other; f"other:/x".put('x');
     DEFINE FIELD f ON doc TYPE option<array<file<files>>> REFERENCE; CREATE doc SET f = [f"files:/a", f"files:/c"];
     DEFINE FIELD f ON gone TYPE file<files> REFERENCE; CREATE gone SET f = f"files:/b"; REMOVE TABLE gone`,
  );
  await database.close();
  const found = await check();
  expect(found.isSound).toBe(true);
  expect(found.text).toBe(
    'test/test/files: no field refers to /b\ntest/test/files: no field refers to /empty\n2 buckets, all of them sound\n',
  );
});

it('is said of what can’t be reached, and changes nothing of it', async () => {
  await store(`file:${root}/files`, async () => undefined);
  const count = () => readdirSync(join(root, 'files'), { recursive: true }).length;
  const all = count();
  const denied = await check({ repair: true, allowBucketFolders: join(root, 'other') });
  expect(denied.isSound).toBe(false);
  expect(denied.text).toContain('test/test/files: not checked. File access denied');
  expect(count()).toBe(all);
});

it('makes no store where there is none', async () => {
  await expect(check()).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(data)).toBe(false);
  await expect(runFilesCheck('memory', {}, new TextSink())).rejects.toThrow('A store in memory');
});
