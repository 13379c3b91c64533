/** Files in process, as streams. */
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Tessera } from '../../src/embedded/index.js';

let db: Tessera;
beforeEach(async () => {
  db = await Tessera.open();
  await db.use('test', 'test');
  await db.query("DEFINE BUCKET b; DEFINE BUCKET small MAXSIZE 3 TYPES 'text/*'");
});
afterEach(() => db.close());

const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251));

async function contentOf(key: string, ...range: [number, number] | []): Promise<Buffer> {
  const file = await db.openFile('b', key);
  return Buffer.from(await new Response(file?.stream(...range)).arrayBuffer());
}

it('puts bytes and streams, and gives them whole or in part', async () => {
  await db.putFile('b', 'bytes.png', bytes);
  await db.putFile('b', '/node.png', Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]));
  await db.putFile('b', '/web', new Response(bytes).body as ReadableStream<Uint8Array>, 'image/webp');
  for (const key of ['bytes.png', '/node.png', '/web']) {
    expect(Buffer.compare(await contentOf(key), bytes)).toBe(0);
    expect(Buffer.compare(await contentOf(key, 300_000, 300_005), bytes.subarray(300_000, 300_005))).toBe(0);
  }
  const types = ['bytes.png', 'web'].map(async (key) => (await db.openFile('b', key))?.facts['type']);
  expect(await Promise.all(types)).toEqual(['image/png', 'image/webp']);
  expect(await db.openFile('b', 'none')).toBeUndefined();
});

it('ends when its reader does', async () => {
  await db.putFile('b', 'a', bytes);
  const reader = (await db.openFile('b', 'a'))?.stream().getReader();
  await reader?.read();
  await reader?.cancel();
});

it('refuses what a bucket doesn’t take', async () => {
  await expect(db.putFile('small', 'a.txt', bytes)).rejects.toMatchObject({ code: 'file_too_large' });
  await expect(db.putFile('small', 'a.png', Buffer.from('x'))).rejects.toMatchObject({ code: 'file_type' });
  await expect(db.putFile('nope', 'a', bytes)).rejects.toMatchObject({ code: 'bucket_missing' });
  const failing = Readable.from(
    (function* () {
      yield bytes;
      throw new Error('the disk is gone');
    })(),
  );
  await expect(db.putFile('b', 'failing', failing)).rejects.toThrow('the disk is gone');
  expect(await db.query("RETURN file::list('b')")).toEqual([[]]);
});
