/** Backups in S3. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { openBackup } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import { readS3Address, S3Blobs } from '../../src/storage/backup/s3-blobs.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { S3Server } from '../support/s3-server.js';

let root: string;
let server: S3Server;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tessera-s3-'));
  server = await S3Server.start('backups');
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});

const variables = () => server.variables;
const blobsAt = (address: string, more: object = {}) =>
  new S3Blobs(readS3Address(address, { ...variables(), ...more }));

async function filledStore(): Promise<string> {
  const folder = join(root, 'source');
  const engine = openLmdb(folder, { sync: 'never' });
  const transaction = engine.begin({ writable: true });
  for (let each = 0; each < 40; each++) transaction.put(`key/${each}`, `${each} `.repeat(250_000));
  await transaction.commit();
  await engine.close();
  return folder;
}

describe('a bucket', () => {
  it('keeps backups of several parts, each under its prefix', async () => {
    const source = await filledStore();
    const blobs = blobsAt('s3://backups/shop/tuesday');
    const { manifest } = await createBackup(source, blobs);
    expect(manifest.parts.length).toBeGreaterThan(1);
    await expect(createBackup(source, blobs)).rejects.toThrow('holds something already');
    await createBackup(source, blobsAt('s3://backups/shop/monday'));
    await expect(openBackup(blobsAt('s3://backups/shop'))).rejects.toMatchObject({ code: 'backup_missing' });
    const target = join(root, 'target');
    await restoreStore(await openBackup(blobs), target, {
      finish: async () => undefined,
      progress: () => undefined,
      replayed: () => undefined,
    });
    const engine = openLmdb(target, { readOnly: true });
    const transaction = engine.begin({ writable: false });
    for (let each = 0; each < 40; each++) expect(transaction.get(`key/${each}`)).toBe(`${each} `.repeat(250_000));
    transaction.cancel();
    await engine.close();
  });

  it('takes any name', async () => {
    const blobs = blobsAt("s3://backups/a day's (first) + more/ö");
    expect(await blobs.isEmpty()).toBe(true);
    expect(await blobs.read('part-1', 100)).toBeUndefined();
    await blobs.write('part-1', Buffer.from('some bytes'));
    expect(Buffer.from((await blobs.read('part-1', 10)) as Uint8Array).toString()).toBe('some bytes');
    await expect(blobs.read('part-1', 9)).rejects.toMatchObject({ code: 'backup_damaged' });
  });

  it('refuses wrong keys and other buckets, in its own words and without a secret', async () => {
    const wrong = blobsAt('s3://backups/x', { AWS_SECRET_ACCESS_KEY: 'another secret' });
    const refusal = await wrong.write('part-1', Buffer.from('x')).catch((error: Error) => error);
    expect(refusal).toMatchObject({ code: 'backup_remote', message: expect.stringContaining('SignatureDoesNotMatch') });
    expect(String(refusal)).not.toContain('another secret');
    await expect(blobsAt('s3://nothing/x').isEmpty()).rejects.toThrow('NoSuchBucket');
  });
});

describe('a server that fails at first', () => {
  it('is asked again', async () => {
    let asked = 0;
    const flaky = createServer((request, response) => {
      request.resume();
      if (++asked === 1) request.socket.destroy();
      else response.writeHead(asked === 2 ? 503 : 200).end();
    }).listen(0, '127.0.0.1');
    await once(flaky, 'listening');
    const AWS_ENDPOINT_URL = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`;
    await blobsAt('s3://backups/x', { AWS_ENDPOINT_URL }).write('part-1', Buffer.from('x'));
    expect(asked).toBe(3);
    flaky.close();
  });
});

describe('an address of a bucket', () => {
  it.each([
    ['s3://', {}, 's3://bucket/prefix'],
    ['s3://Upper_Case/x', {}, 's3://bucket/prefix'],
    ['s3://backups/x', { AWS_ACCESS_KEY_ID: '' }, 'AWS_ACCESS_KEY_ID'],
  ])('%s with %j is refused', (address, more, text) => {
    expect(() => readS3Address(address, { ...variables(), ...more })).toThrow(text);
  });
});
