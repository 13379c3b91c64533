/**
 * Uploads by the usual client of tus through a proxy that cuts connections: the file is whole, whatever is cut. For a
 * long run `TUS_RUNS=200`; `TUS_SEED` draws the same again.
 */
import fc from 'fast-check';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { RunningServer } from '../../src/server/server.js';
import { CuttingProxy, type Moment } from '../support/cutting-proxy.js';
import { ROOT, startTestServer } from '../support/server.js';
import { temporaryFolder } from '../support/server-process.js';

const RUNS = Number(process.env['TUS_RUNS'] ?? 4);
const SEED = Number(process.env['TUS_SEED'] ?? (realEnvironment.clock.now() / 1_000_000n) % 1_000_000n);
const AS_ROOT = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
/** What is cut at: the file has it in many places. */
const MARKER = 'cut it here';
const folder = temporaryFolder();

let server: RunningServer;
let proxy: CuttingProxy;
beforeAll(async () => {
  server = await startTestServer({ SVC_ALLOW_BUCKET_FOLDERS: folder });
  proxy = await CuttingProxy.start(Number(new URL(server.url).port), MARKER);
  const headers = { authorization: AS_ROOT, 'surreal-ns': 'test', 'surreal-db': 'test' };
  const body = `DEFINE BUCKET store; DEFINE BUCKET folder BACKEND 'file:${folder}'`;
  await fetch(`${server.url}/sql`, { method: 'POST', headers, body });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

/** Uploads bytes; each moment cuts one request. */
function upload(endpoint: string, bytes: Buffer, chunkSize: number, moments: Moment[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = () => {
      const moment = moments.shift();
      if (moment !== undefined) proxy.cutNext(moment);
    };
    new Upload(bytes, {
      endpoint,
      chunkSize,
      headers: { authorization: AS_ROOT },
      metadata: { filename: 'a.bin', filetype: 'image/png' },
      retryDelays: Array.from({ length: 20 }, () => 0),
      onBeforeRequest: (request) => {
        if (request.getMethod() === 'PATCH') next();
      },
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
  });
}

describe.each(['store', 'folder'])('tus-js-client, in the bucket %s', (bucket) => {
  it(`has put the same bytes after every cut (TUS_SEED=${SEED})`, async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2_500_000 }),
        fc.integer({ min: 100_000, max: 3_000_000 }),
        fc.array(fc.constantFrom<Moment>('before', 'during', 'after'), { maxLength: 6 }),
        fc.array(fc.nat(2_500_000), { minLength: 5, maxLength: 20 }),
        async (size, chunkSize, moments, places) => {
          const bytes = Buffer.from(realEnvironment.random.bytes(size));
          for (const place of places) bytes.write(MARKER, place % size);
          const key = `${bucket}/f${count++}`;
          await upload(`http://127.0.0.1:${proxy.port}/files/test/test/${key}`, bytes, chunkSize, moments);
          const got = await fetch(`${server.url}/files/test/test/${key}`, { headers: { authorization: AS_ROOT } });
          expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), bytes)).toBe(0);
          expect(got.headers.get('content-type')).toBe('image/png');
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    expect(proxy.cuts).toBeGreaterThan(0);
  });
});
