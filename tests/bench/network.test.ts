/** The client over networks that the bench has: the server understands its requests, and it reads the answers as they were sent. */
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { useBuild } from '../../bench/harness/build.mjs';
import { requests } from '../../bench/harness/requests.mjs';
import { startServer } from '../../bench/servers/start.mjs';
import { WAYS } from '../../bench/targets/network.mjs';
import { createHttpServer } from '../../src/http/server.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';

useBuild((module) => import(new URL(`../../src/${module}.ts`, import.meta.url).href));

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const NOBODY = { headers: { 'svc-ns': 'bench', 'svc-db': 'bench' } };

test.each([
  ['HTTP', WAYS.http],
  ['WebSocket in JSON', WAYS.json],
  ['WebSocket in CBOR', WAYS.cbor],
  ['WebSocket in FlatBuffers', WAYS.flatbuffers],
])('%s, of Tessera', async (_name, way) => {
  const database = await openDatabase(new MemoryEngine(), { unauthenticated: true });
  const app = createHttpServer({ database });
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(
    () => app.close(),
    () => database.close(),
  );
  const { port } = app.server.address() as AddressInfo;
  const asked = requests({ port } as never, way, async () => NOBODY);
  closing.unshift(() => asked.disconnect());
  expect(asked.answer(await asked.request('RETURN { who: person:7, n: 1 }')())).toEqual({ n: 1, who: 7 });
});

test.each([
  ['bare-http.mjs', WAYS.http],
  ['bare-web-socket.mjs', WAYS.json],
])('%s', async (script, way) => {
  const server = await startServer(script);
  const asked = requests(server, way, async ({ gives }, text) => {
    await server.ask({ text, result: gives });
    return { ...NOBODY, path: '/' };
  });
  closing.push(
    () => asked.disconnect(),
    () => asked.close(),
  );
  expect(await asked.request('RETURN 1', { gives: [1] })()).toEqual([1]);
  expect(await server.processor()).toBeGreaterThan(0);
});
