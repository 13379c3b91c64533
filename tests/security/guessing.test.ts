/** Guesses of passwords, and whether the owner of the right one can still sign in (74). Through HTTP, on a clock that the test moves. */
import type { FastifyInstance } from 'fastify';
import { afterEach, expect } from 'vitest';
import { DEFAULT_RULES } from '../../src/auth/attempts/throttle-rules.js';
import { createPasswordHasher } from '../../src/auth/passwords/passwords.js';
import { realEnvironment } from '../../src/env/real.js';
import type { ClientAddressSource } from '../../src/http/base/client-address.js';
import { createHttpServer } from '../../src/http/server.js';
import { readNetworks } from '../../src/server/setting.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run } from '../support/world.js';
import { attack } from './attack.js';

const PROXY = '10.0.0.1';
const BEHIND: ClientAddressSource = { from: 'header', header: 'x-forwarded-for', trusted: readNetworks('10.0.0.0/8') };
const WRONG = 130;
/** Of libuv. */
const THREADS = 4;

let app: FastifyInstance | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await app?.close();
  await close?.();
});

let environment: StubbedEnvironment;
async function open(clientAddress: ClientAddressSource): Promise<void> {
  environment = new StubbedEnvironment();
  const database = await openDatabase(new MemoryEngine(environment), {
    environment,
    authentication: { failureDelay: { minimum: 0, step: 1 } },
    // All go to the threads at once, so that `hashed` comes behind them.
    hashing: { maxRunning: 1_000 },
  });
  close = () => database.close();
  await run(
    database.ownerSession(),
    "DEFINE USER root ON ROOT PASSWORD 'right password' ROLES OWNER; DEFINE USER other ON ROOT PASSWORD 'right password' ROLES VIEWER",
  );
  app = createHttpServer({ database, options: { clientAddress } });
  await app.ready();
}

const hasher = createPasswordHasher(realEnvironment, { maxRunning: THREADS });
/** Waits until all passwords are hashed that are being hashed now: no time passes meanwhile. */
async function hashed(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
  await Promise.all(Array.from({ length: THREADS }, () => hasher.verifyCredential(undefined, 'x')));
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
}

/** The status of the answer, as soon as there is one; time passes as long as there is none. */
async function ended(status: Promise<number>): Promise<number> {
  let found: number | undefined;
  void status.then((each) => {
    found = each;
  });
  for (;;) {
    await hashed();
    if (found !== undefined) return found;
    environment.advance(1_000);
  }
}

interface Sender {
  readonly remoteAddress: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const behindProxy = (address: string): Sender => ({ remoteAddress: PROXY, headers: { 'x-forwarded-for': address } });

async function signIn(user: string, pass: string, { remoteAddress, headers }: Sender): Promise<number> {
  const answer = (app as FastifyInstance).inject({
    method: 'POST',
    url: '/signin',
    remoteAddress,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ user, pass }),
  });
  return (await answer).statusCode;
}

async function basic(user: string, pass: string, { remoteAddress, headers }: Sender): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`;
  const request = { method: 'POST' as const, url: '/sql', remoteAddress, payload: 'RETURN 1' };
  const answer = (app as FastifyInstance).inject({
    ...request,
    headers: { accept: 'application/json', authorization, ...headers },
  });
  return (await answer).statusCode;
}

/** So many wrong tries, all at once: what waits for its turn goes on waiting. */
function guess(times: number, tryOne: (at: number) => Promise<number>): void {
  for (let at = 0; at < times; at++) void tryOne(at);
}

attack(74, '130 wrong sign-ins from one address, then the right one, without a proxy', async () => {
  const from = { remoteAddress: '192.0.2.7' };
  await open({ from: 'socket' });
  for (const way of [signIn, basic]) {
    guess(WRONG, (at) => way(`user${at}`, 'wrong', from));
    expect(await ended(way('root', 'right password', from))).toBe(200);
    guess(WRONG, (at) => way('root', `wrong ${at}`, from));
    expect(await ended(way('root', 'right password', from))).toBe(200);
    expect(await ended(way('other', 'right password', from))).toBe(200);
  }
});

attack(74, '130 wrong sign-ins through a proxy that tells the address, then the right one', async () => {
  await open(BEHIND);
  guess(WRONG, (at) => signIn(`user${at}`, 'wrong', behindProxy('192.0.2.7')));
  const before = environment.clock.monotonic();
  // Another client behind the proxy doesn't wait at all; one with the guesser's address does.
  expect(await ended(signIn('root', 'right password', behindProxy('192.0.2.8')))).toBe(200);
  expect(await ended(signIn('other', 'right password', behindProxy('192.0.2.7')))).toBe(200);
  expect(environment.clock.monotonic() - before).toBeLessThan(DEFAULT_RULES.longestWait);
  // A header that the guesser wrote makes no other address of his.
  guess(WRONG, (at) => signIn('root', `wrong ${at}`, behindProxy(`198.51.100.${at}, 192.0.2.7`)));
  expect(await ended(signIn('root', 'right password', behindProxy('192.0.2.8')))).toBe(200);
});

attack(74, '130 wrong sign-ins through a proxy that nobody was told of, then the right one', async () => {
  await open({ from: 'socket' });
  guess(WRONG, (at) => signIn(`user${at}`, 'wrong', behindProxy('192.0.2.7')));
  expect(await ended(signIn('root', 'right password', behindProxy('192.0.2.8')))).toBe(200);
});
