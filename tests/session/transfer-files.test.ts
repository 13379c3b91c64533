/** The files of buckets in exports: their bytes, and what is known of them, are the same after an import. */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readObjectStore } from '../../src/files/contents/address.js';
import { NO_BACKENDS } from '../../src/files/contents/content-stores.js';
import type { ExportSelection, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { readS3Environment } from '../../src/storage/s3/s3-address.js';
import { toText } from '../../src/value/text/text.js';
import { FileReference, objectFrom, type Value } from '../../src/value/value.js';
import { S3Server } from '../support/s3-server.js';
import { temporaryFolder } from '../support/server-process.js';
import { run } from '../support/world.js';

const OBJECTS = 's3://bucket/exports';
let s3: S3Server;
beforeAll(async () => {
  s3 = await S3Server.start('bucket');
});
afterAll(() => s3.stop());

const folder = temporaryFolder();
const opened: OpenDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

async function open(): Promise<Session> {
  const location = readObjectStore(OBJECTS);
  const objectStores = location === undefined ? [] : [location];
  const buckets = { ...NO_BACKENDS, folders: [folder], objectStores, s3: readS3Environment(s3.variables) };
  const database = await openDatabase(new MemoryEngine(), { buckets, guests: true });
  opened.push(database);
  const session = database.ownerSession();
  await session.use('test', 'test');
  return session;
}

async function exported(session: Session, selection?: ExportSelection): Promise<string> {
  let text = '';
  for await (const piece of session.export(selection)) text += piece;
  return text;
}

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 1_000_000) yield text.slice(at, at + 1_000_000);
}

async function answer(session: Session, query: string): Promise<Value> {
  const result = (await session.query(query)).at(-1);
  if (result?.outcome.ok !== true) throw result?.outcome.error;
  return result.outcome.value;
}

/** What is known of the files, but for their versions. */
const FACTS = `file::list('files').map(|$each| object::remove($each, 'version'))`;

/** Deletes a content in the folder. */
function lose(content: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith(content)) rmSync(join(folder, name));
}

const LARGE = 5_000_000;

/** Puts a file of many pieces, as a transport does. */
async function putLarge(session: Session): Promise<string> {
  const hash = createHash('sha256');
  const upload = await session.uploadFile(new FileReference('files', '/large.bin'));
  const name = await upload.store(
    (async function* () {
      for (let at = 0; at < LARGE; at += 100_000) {
        const piece = Buffer.alloc(100_000, at % 253);
        hash.update(piece);
        yield piece;
      }
    })(),
  );
  await run(session, `file::put(f"files:/large.bin", NONE, { upload: '${name}' })`);
  return hash.digest('hex');
}

describe.each(['database', 'memory', `file:${folder}/files`, OBJECTS])('a bucket in %s', (backend) => {
  it('is the same in another database', async () => {
    const first = await open();
    await run(
      first,
      `DEFINE BUCKET files BACKEND '${backend}'; DEFINE BUCKET other PERMISSIONS FULL;
       DEFINE TABLE holder; DEFINE FIELD picture ON holder TYPE file ASSERT $value.exists();
       f"files:/empty".put(''); f"files:/a.txt".put('text'); type::file('files', "/odd ' \\" name é.png").put(b"00ff80");
       f"files:/typed".put('<p>', { type: 'text/html' }); f"files:/a.txt".copy('copy.txt'); f"other:/x".put('x');
       CREATE holder:1 SET picture = f"files:/a.txt"`,
    );
    const sha256 = await putLarge(first);
    // What the bucket wouldn't take by now is restored all the same.
    await run(first, "ALTER BUCKET files MAXSIZE 3 MAXCOUNT 1 TYPES 'image/png' READONLY");
    const text = await exported(first);
    const second = await open();
    await second.import(inPieces(text));
    expect(toText(await answer(second, `RETURN ${FACTS}`))).toBe(toText(await answer(first, `RETURN ${FACTS}`)));
    for (const of of ['f"files:/a.txt"', 'f"files:/empty"', 'f"files:/typed"', 'f"other:/x"', 'holder:1.picture'])
      expect(await answer(second, `RETURN ${of}.get()`)).toEqual(await answer(first, `RETURN ${of}.get()`));
    expect(await answer(second, 'RETURN crypto::sha256(<string> f"files:/a.txt".get())')).toBe(
      createHash('sha256').update('text').digest('hex'),
    );
    const large = await second.openFile(new FileReference('files', '/large.bin'));
    const hash = createHash('sha256');
    for await (const piece of large?.read(0, LARGE) ?? []) hash.update(piece);
    expect(hash.digest('hex')).toBe(sha256);
    expect((await second.query('f"files:/b".put("x")'))[0]?.outcome).toMatchObject({
      error: { code: 'bucket_read_only' },
    });
    // Once more over what there is, and from there.
    await second.import(
      inPieces((await exported(second, { tables: false })).replaceAll('DEFINE BUCKET', 'DEFINE BUCKET OVERWRITE')),
    );
    expect(toText(await answer(second, `RETURN ${FACTS}`))).toBe(toText(await answer(first, `RETURN ${FACTS}`)));
  });
});

it('keeps the owners', async () => {
  const first = await open();
  await run(
    first,
    `DEFINE TABLE user; DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user:ann);
     DEFINE BUCKET files PERMISSIONS FULL`,
  );
  const ann = opened[0]?.session({}) as Session;
  await ann.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people' }));
  await run(ann, 'f"files:/mine".put("x")');
  const second = await open();
  await second.import(inPieces(await exported(first)));
  expect(toText(await answer(second, 'RETURN f"files:/mine".head().owner'))).toBe('user:ann');
});

it('leaves out what isn’t asked for', async () => {
  const session = await open();
  await run(session, 'DEFINE BUCKET files; f"files:/a".put("x"); CREATE person:1');
  const has = async (selection: ExportSelection) => (await exported(session, selection)).includes('file::put');
  expect(await has({})).toBe(true);
  expect(await has({ tables: false })).toBe(true);
  expect(await has({ files: false })).toBe(false);
  expect(await has({ records: false })).toBe(false);
  expect(await has({ buckets: false })).toBe(false);
  expect(await has({ buckets: false, files: true })).toBe(true);
});

it('goes on where bytes outside of the store are gone with their file, and fails where they are lost', async () => {
  const session = await open();
  await run(session, `DEFINE BUCKET files BACKEND 'file:${folder}/lost'; f"files:/b".put("b"); f"files:/c".put("c")`);
  await putLarge(session);
  await run(session, 'f"files:/large.bin".rename("a")');
  const pieces = session.export();
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (!piece.includes('at: 0')) continue;
    // A file that the export has yet to read, which isn't one any longer.
    const version = await answer(session, 'RETURN f"files:/b".head().version');
    await run(session, 'f"files:/b".delete()');
    lose(String(version));
  }
  expect(text).toContain('-- It was deleted meanwhile');
  const second = await open();
  await second.import(inPieces(text));
  expect(await answer(second, "RETURN file::list('files').map(|$each| $each.file.key())")).toEqual(['/a', '/c']);
  lose(String(await answer(session, 'RETURN f"files:/c".head().version')));
  await expect(exported(session)).rejects.toMatchObject({ code: 'bucket_store' });
});

describe('pieces', () => {
  it('follow each other, and begin again', async () => {
    const session = await open();
    await run(session, 'DEFINE BUCKET files');
    const put = async (bytes: string, at: number, size = 6) => {
      const [result] = await session.query(`f"files:/a".put('${bytes}', { at: ${at}, size: ${size} })`);
      return result?.outcome.ok === true ? 'kept' : result?.outcome.error.code;
    };
    expect(await put('abc', 0)).toBe('kept');
    expect(await answer(session, 'RETURN f"files:/a".exists()')).toBe(false);
    expect(await put('ef', 4)).toBe('file_upload_offset');
    expect(await put('ABC', 0)).toBe('kept');
    expect(await put('ABC', 0)).toBe('kept');
    expect(await put('de f', 3)).toBe('file_too_large');
    expect(await put('de', 3)).toBe('kept');
    expect(await put('de', 3)).toBe('kept');
    expect(await put('f', 5)).toBe('kept');
    expect(await answer(session, 'RETURN <string> f"files:/a".get()')).toBe('ABCdef');
    expect(await put('f', 5)).toBe('file_upload_over');
    expect(await put('whole', 0, 5)).toBe('kept');
    expect(await answer(session, 'RETURN <string> f"files:/a".get()')).toBe('whole');
    for (const options of ['{ at: -1, size: 5 }', '{ at: 0 }', '{ at: "0", size: 1 }', '{ at: 1.5, size: 9 }'])
      expect((await session.query(`f"files:/a".put('x', ${options})`))[0]?.outcome, options).toMatchObject({
        error: { code: 'file_operand' },
      });
  });

  it('are put with their transaction', async () => {
    const session = await open();
    await run(session, 'DEFINE BUCKET files');
    const pieces = `f"files:/a".put('abc', { at: 0, size: 5 }); f"files:/a".put('de', { at: 3, size: 5 })`;
    await session.query(`BEGIN; ${pieces}; CANCEL`);
    expect(await answer(session, 'RETURN f"files:/a".exists()')).toBe(false);
    await run(session, `BEGIN; ${pieces}; COMMIT`);
    expect(await answer(session, 'RETURN <string> f"files:/a".get()')).toBe('abcde');
  });

  it('are judged from the first one on', async () => {
    const session = await open();
    await run(session, `DEFINE BUCKET files MAXSIZE 5 PERMISSIONS FOR put WHERE size < 4`);
    const outcome = async (by: Session, text: string) => (await by.query(text))[0]?.outcome;
    expect(await outcome(session, `f"files:/a".put('ab', { at: 0, size: 6 })`)).toMatchObject({
      error: { code: 'file_too_large' },
    });
    const guest = opened[0]?.session({}) as Session;
    await guest.use('test', 'test');
    await run(session, `DEFINE BUCKET closed`);
    expect(await outcome(guest, `f"closed:/a".put('ab', { at: 0, size: 6 })`)).toMatchObject({
      error: { code: 'file_denied' },
    });
  });
});

it('is restored by users who may put any file, and only as it was', async () => {
  const session = await open();
  await run(
    session,
    'DEFINE BUCKET files PERMISSIONS FULL; DEFINE USER viewer ON DATABASE PASSWORD "secret" ROLES VIEWER',
  );
  const digest = createHash('sha256').update('x').digest('hex');
  const text = (bytes: string) =>
    `f"files:/a".put('${bytes}', { restored: { digest: 'sha-256:${digest}', updated: d'2020-01-01T00:00:00Z', owner: user:1 } })`;
  expect((await session.query(text('y')))[0]?.outcome).toMatchObject({ error: { code: 'file_digest' } });
  await run(session, text('x'));
  expect(toText(await answer(session, 'RETURN f"files:/a".head().{ owner, updated }'))).toBe(
    "{ owner: user:1, updated: d'2020-01-01T00:00:00Z' }",
  );
  for (const wrong of ['{}', '1', '{ digest: "x" }'])
    expect((await session.query(`f"files:/a".put('x', { restored: ${wrong} })`))[0]?.outcome).toMatchObject({
      error: { code: 'file_operand' },
    });
  const viewer = opened[0]?.session({}) as Session;
  await viewer.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'viewer', pass: 'secret' }));
  await viewer.use('test', 'test');
  expect((await viewer.query(text('x')))[0]?.outcome).toMatchObject({ error: { code: 'file_restore' } });
});
