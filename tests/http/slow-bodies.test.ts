/** Bodies that don't come in. */
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { SILENT } from '../../src/http/base/log.js';
import { createHttpServer } from '../../src/http/server.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';

const ALLOWED = 12_345;
/** What would be called when time is up. */
const waiting = new Set<() => void>();
const timers = {
  ...realEnvironment.timers,
  after: (milliseconds: number, callback: () => void) => {
    if (milliseconds === ALLOWED) waiting.add(callback);
    return () => void waiting.delete(callback);
  },
};

let database: OpenDatabase;
beforeEach(async () => {
  waiting.clear();
  database = await openDatabase(new MemoryEngine(realEnvironment));
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query("DEFINE USER root ON ROOT PASSWORD 'root' ROLES OWNER");
});
afterEach(() => database.close());

const HEAD = [
  'host: x',
  'connection: close',
  `authorization: Basic ${Buffer.from('root:root').toString('base64')}`,
  'surreal-ns: test',
  'surreal-db: test',
  'content-length: 9',
].join('\r\n');

const timeIsUp = () => {
  for (const callback of waiting) callback();
};

it.each(['/sql', '/import'])('are waited for as long as is allowed, by %s', async (path) => {
  const app = createHttpServer({
    database,
    environment: { ...realEnvironment, timers },
    options: { requestTimeout: ALLOWED },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (finish: (write: (text: string) => void) => void) => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\n${HEAD}\r\n\r\nRETURN`);
    await expect.poll(() => waiting.size).toBe(1);
    finish((text) => socket.write(text));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  };
  expect(await ask(timeIsUp)).toMatch(/^HTTP\/1.1 408 .*request_timeout/s);
  waiting.clear();
  expect(await ask((write) => write(' 1;'))).toMatch(/^HTTP\/1.1 200 /);
  expect(waiting.size).toBe(0);
  await app.close();
});

it('take no timer where they come with the head', async () => {
  const asked: number[] = [];
  const counted: typeof timers = {
    ...timers,
    after: (milliseconds, callback) => {
      asked.push(milliseconds);
      return timers.after(milliseconds, callback);
    },
  };
  const app = createHttpServer({
    database,
    environment: { ...realEnvironment, timers: counted },
    options: { requestTimeout: ALLOWED },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST /sql HTTP/1.1\r\n${HEAD}\r\n\r\nRETURN 1;`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(asked).not.toContain(ALLOWED);
  await app.close();
});

it('are not waited for where there are none, however long the answer takes', async () => {
  let answer: (() => void) | undefined;
  const slow = Object.create(database, {
    check: { value: () => new Promise<void>((resolve) => (answer = resolve)) },
  }) as OpenDatabase;
  const app = createHttpServer({
    database: slow,
    environment: { ...realEnvironment, timers },
    options: { requestTimeout: ALLOWED },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const asked = fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/health`);
  await expect.poll(() => answer).toBeDefined();
  timeIsUp();
  answer?.();
  expect((await asked).status).toBe(200);
  await app.close();
});

it.each([
  ['refused', 'POST /sql HTTP/1.1\r\nhost: x\r\ncontent-length: 6000000\r\n\r\n', /^HTTP\/1.1 413 /],
  ['cut off', 'POST /sql HTTP/1.1\r\nhost: x\r\ncontent-length: 60\r\n\r\n', /^$/],
])('leave no timer and no complaint behind when they are %s', async (how, head, expected) => {
  const complaints: unknown[] = [];
  const app = createHttpServer({
    database,
    environment: { ...realEnvironment, timers },
    options: { requestTimeout: ALLOWED },
    log: { ...SILENT, error: (...told) => void complaints.push(told) },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(head);
  socket.write('RETURN');
  if (how === 'cut off') {
    await expect.poll(() => waiting.size).toBe(1);
    socket.destroy();
  } else {
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(expected);
  }
  await expect.poll(() => waiting.size).toBe(0);
  expect(complaints).toEqual([]);
  await app.close();
});
