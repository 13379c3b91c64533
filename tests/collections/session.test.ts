/** Sessions of users, as a page has them: kept over reloads, renewed, ended from elsewhere, and without a connection. */
import type { Surreal } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { BrowserStore, MemoryStorage } from '../../collections/browser-store.js';
import type { Session, SessionState } from '../../collections/session.js';
import type { RunningServer } from '../../src/server/server.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { startTestServer } from '../support/server.js';
import { newApp, newSession, PASSWORD, type Person } from './app.js';

let server: RunningServer;
let proxy: CuttingProxy;
let owner: Surreal;
let url: string;
const stops: (() => void)[] = [];

beforeAll(async () => {
  server = await startTestServer();
  proxy = await CuttingProxy.start(Number(new URL(server.url).port), 'nothing that is sent');
  url = `http://127.0.0.1:${proxy.port}`;
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(async () => {
  owner = await newApp(server);
});
afterEach(async () => {
  proxy.accept();
  for (const stop of stops.splice(0)) stop();
  await owner.close();
});

function started(storage = new MemoryStorage()): Session<Person> {
  const session = newSession(url, storage);
  stops.push(session.start());
  return session;
}

const ANN = { email: 'ann@example.com', password: PASSWORD };
const statusOf = ({ state }: Session<Person>) =>
  `${state.status}${state.user ? ` as ${state.user.email}` : ''}${state.isConnected ? '' : ', not connected'}`;
const becomes = (session: Session<Person>, status: string) => expect.poll(() => statusOf(session)).toBe(status);
const kept = (storage: MemoryStorage) => new BrowserStore(storage, 'tessera:test/tasks/account:');

test('a user signs up, out and in, and the page follows', async () => {
  const session = started();
  const seen: SessionState<Person>[] = [];
  session.subscribe(() => seen.push(session.state));
  await becomes(session, 'signed-out');
  await session.signUp(ANN);
  expect(statusOf(session)).toBe('signed-in as ann@example.com');
  expect(session.state.user?.id.table.name).toBe('person');
  await session.signOut();
  await becomes(session, 'signed-out');
  await expect(session.client.query('SELECT * FROM task')).rejects.toThrow('Not enough permissions');
  await session.signIn(ANN);
  expect(await session.client.query('RETURN $auth')).toEqual([session.state.user?.id]);
  expect(seen.map(({ status }) => status)).toEqual(expect.arrayContaining(['loading', 'signed-in', 'signed-out']));
});

test('what fails has a code, and the field', async () => {
  const session = started();
  await session.signUp(ANN);
  await session.signOut();
  await expect(session.signUp(ANN)).rejects.toMatchObject({ code: 'signup_conflict', field: 'email' });
  expect(session.state.error).toMatchObject({ code: 'signup_conflict' });
  await expect(session.signUp({ ...ANN, email: 'no' })).rejects.toMatchObject({ code: 'signup_invalid' });
  await expect(session.signIn({ ...ANN, password: 'wrong' })).rejects.toMatchObject({ code: 'invalid_auth' });
  await expect(session.signIn(ANN, { access: 'none' })).rejects.toHaveProperty('code');
  await session.signIn(ANN);
  expect(session.state.error).toBeUndefined();
  proxy.refuse();
  await expect(session.signIn(ANN)).rejects.toMatchObject({ code: 'unreachable' });
});

test('lasts over a reload, and over times without a connection', async () => {
  const storage = new MemoryStorage();
  const first = started(storage);
  await first.signUp(ANN);
  stops.pop()?.();
  proxy.refuse();
  const second = started(storage);
  expect(statusOf(second)).toBe('signed-in as ann@example.com, not connected');
  proxy.accept();
  await becomes(second, 'signed-in as ann@example.com');
  expect(await second.client.query('RETURN $auth')).toEqual([second.state.user?.id]);
  proxy.refuse();
  await becomes(second, 'signed-in as ann@example.com, not connected');
  proxy.accept();
  await becomes(second, 'signed-in as ann@example.com');
});

test('renews what has expired, and not what was revoked', async () => {
  const storage = new MemoryStorage();
  const first = started(storage);
  await first.signUp(ANN);
  stops.pop()?.();
  const store = kept(storage);
  const signIn = store.get<{ tokens: { access: string; refresh: string } }>('sign-in');
  const expired = `e30.${btoa(JSON.stringify({ exp: 1_700_000_000 }))}.e30`;
  const aged = { ...signIn, tokens: { ...signIn?.tokens, access: expired } };
  store.set('sign-in', aged);
  const second = started(storage);
  await becomes(second, 'signed-in as ann@example.com');
  const renewed = store.get<{ tokens: { refresh: string } }>('sign-in');
  expect(renewed?.tokens.refresh).not.toBe(signIn?.tokens.refresh);
  stops.pop()?.();
  await owner.query('KILL SESSIONS FOR RECORD $id', { id: second.state.user?.id });
  store.set('sign-in', { ...aged, ...renewed, tokens: { ...renewed?.tokens, access: expired } });
  const third = started(storage);
  await becomes(third, 'signed-out');
  expect(third.state.error).toMatchObject({ code: 'session_ended' });
  expect(store.get('sign-in')).toBeUndefined();
});

test('a renewal that fails for want of an answer is tried again, and ends nothing', async () => {
  const storage = new MemoryStorage();
  const session = started(storage);
  await session.signUp(ANN);
  const store = kept(storage);
  const signIn = store.get<{ tokens: object }>('sign-in');
  const expired = `e30.${btoa(JSON.stringify({ exp: 1_700_000_000 }))}.e30`;
  store.set('sign-in', { ...signIn, tokens: { ...signIn?.tokens, access: expired } });
  const fetch = vi.spyOn(globalThis, 'fetch');
  fetch.mockRejectedValueOnce(new TypeError('fetch failed'));
  fetch.mockResolvedValueOnce(new Response('{}', { status: 503 }));
  // The next connection asks for a token.
  await session.client.close();
  await becomes(session, 'signed-in as ann@example.com');
  await expect.poll(() => fetch.mock.calls.length).toBe(3);
  fetch.mockRestore();
  expect(await session.client.query('RETURN $auth')).toEqual([session.state.user?.id]);
});

test('lasts as long as its token, where there is none to renew it', async () => {
  await owner.query(`DEFINE ACCESS short ON DATABASE TYPE RECORD SIGNUP (CREATE person SET email = $email, password = $password)
    DURATION FOR TOKEN 20s, FOR SESSION 12h`);
  const session = started();
  await session.signUp(ANN, { access: 'short' });
  expect(statusOf(session)).toBe('signed-in as ann@example.com');
});

test('signing out ends the sign-in of a copy, too', async () => {
  const storage = new MemoryStorage();
  const session = started(storage);
  await session.signUp(ANN);
  const copy = new MemoryStorage();
  kept(copy).set('sign-in', kept(storage).get('sign-in'));
  const thief = started(copy);
  await becomes(thief, 'signed-in as ann@example.com');
  await session.signOut();
  await expect
    .poll(async () => {
      await thief.check();
      return statusOf(thief);
    })
    .toBe('signed-out');
});

test('stops, and starts again as React’s StrictMode has it', async () => {
  const session = newSession(url);
  session.start()();
  stops.push(session.start());
  await becomes(session, 'signed-out');
  await session.signUp(ANN);
  stops.pop()?.();
  await becomes(session, 'signed-in as ann@example.com, not connected');
  expect(session.client.status).toBe('disconnected');
});
