/**
 * How often a client may sign up and call endpoints (attacks A52 and A56 of the list for identities): by whatever
 * transport, spelling of an address or of a path. The clock stands still until a test moves it.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { DEFAULT_REQUEST_RATES, type RequestRates, rateOf } from '../../../src/catalog/limits/request-rates.js';
import { GraphqlService } from '../../../src/graphql/service.js';
import { createGraphqlHandler } from '../../../src/graphql/transports/handler.js';
import type { ClientAddressSource } from '../../../src/http/base/client-address.js';
import { createHttpServer } from '../../../src/http/server.js';
import { readNetworks } from '../../../src/server/setting.js';
import { type Owned, openOwned } from '../../support/owned.js';

const HOUR = 3_600_000_000_000n;
const BEHIND: ClientAddressSource = { from: 'header', header: 'x-forwarded-for', trusted: readNetworks('10.0.0.0/8') };
const THREE: Partial<RequestRates> = { signUps: rateOf(3, HOUR), guestCalls: rateOf(3, HOUR) };

let app: FastifyInstance;
let owned: Owned;
afterEach(async () => {
  await app.close();
  await owned.database.close();
});

async function open(rates: Partial<RequestRates> = THREE, clientAddress: ClientAddressSource = { from: 'socket' }) {
  owned = await openOwned({ rates, guests: true });
  await owned.value(`
    DEFINE TABLE user PERMISSIONS NONE;
    DEFINE TABLE asked PERMISSIONS NONE;
    DEFINE CONFIG GRAPHQL AUTO;
    DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name = $name) SIGNIN (SELECT * FROM user);
    DEFINE ACCESS other ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name = $name);
    DEFINE ACCESS refusing ON DATABASE TYPE RECORD SIGNUP (SELECT * FROM user WHERE false);
    DEFINE ACCESS keys ON DATABASE TYPE BEARER FOR USER;
    DEFINE API '/ask' FOR get, post THEN { CREATE asked; { body: 1 } };
    DEFINE API '/for/:id<int>' FOR get THEN { { body: 1 } };
    DEFINE API '/limited' FOR get MIDDLEWARE api::limit(2, 1h) THEN { { body: 1 } };
    DEFINE API '/of-user' FOR get MIDDLEWARE api::limit(2, 1h, 'user') THEN { { body: 1 } };`);
  const graphql = createGraphqlHandler(new GraphqlService(), 'standard');
  app = createHttpServer({ database: owned.database, graphql, options: { clientAddress } });
  await app.ready();
}

const ACCOUNT = { NS: 'test', DB: 'test', AC: 'account', name: 'n' };

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

interface Request {
  readonly method?: 'GET' | 'POST';
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object;
}

async function send(url: string, { method, from = '192.0.2.1', headers, payload }: Request = {}): Promise<Answer> {
  const {
    statusCode,
    body,
    headers: answered,
  } = await app.inject({
    method: method ?? (payload === undefined ? 'GET' : 'POST'),
    url,
    remoteAddress: from,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  });
  const retryAfter = answered['retry-after'];
  return { status: statusCode, body, retryAfter: retryAfter === undefined ? undefined : String(retryAfter) };
}

const signUp = (from?: string, url = '/signup', headers: Readonly<Record<string, string>> = {}) =>
  send(url, { payload: ACCOUNT, headers, ...(from !== undefined && { from }) });
const ask = (from?: string, path = '/ask') => send(`/api/test/test${path}`, from === undefined ? {} : { from });

/** How many of them were let in. */
async function admitted(requests: readonly Promise<Answer>[], status = 200): Promise<number> {
  const answers = await Promise.all(requests);
  return answers.filter((each) => each.status === status).length;
}

const times = (count: number, ask: (at: number) => Promise<Answer>) =>
  Array.from({ length: count }, (_, at) => ask(at));
const users = () => owned.value('RETURN count((SELECT * FROM user))');
const statusOf = ({ status }: Answer) => status;

describe('Sign-ups', () => {
  test('are limited by default: a class signs up at once, a script doesn’t go on', async () => {
    await open({});
    expect(DEFAULT_REQUEST_RATES.signUps?.burst).toBe(30);
    expect(await admitted(times(60, () => signUp()))).toBe(30);
    expect(await users()).toBe(30);
    owned.environment.advance(120_000);
    expect(await admitted(times(5, () => signUp()))).toBe(1);
    expect(await admitted(times(5, () => signUp('192.0.2.2')))).toBe(5);
  });

  test('beyond get 429, a code, the seconds to wait, and no record', async () => {
    await open();
    expect(await admitted(times(3, () => signUp()))).toBe(3);
    const { status, body, retryAfter } = await signUp();
    expect([status, retryAfter]).toEqual([429, '1200']);
    expect(JSON.parse(body)).toMatchObject({
      error: 'rate_limited',
      information: 'Too many requests. Try again later',
    });
    expect(await users()).toBe(3);
    owned.environment.advance(1_200_000);
    expect(statusOf(await signUp())).toBe(200);
  });

  test('count on all transports and access methods together, whether or not they succeed', async () => {
    await open();
    const from = '127.0.0.1';
    expect(statusOf(await signUp(from))).toBe(200);
    const refused = { ...ACCOUNT, AC: 'refusing' };
    expect((await send('/signup', { from, payload: refused })).body).toContain('no_record_returned');
    expect(statusOf(await send('/signup', { from, payload: { ...ACCOUNT, AC: 'other' } }))).toBe(200);

    const rpc = { id: 1, method: 'signup', params: [ACCOUNT] };
    expect((await send('/rpc', { from, payload: rpc })).body).toContain('"RateLimited"');
    const query = 'mutation { a: signUp(access: "account", variables: {name: "n"}) { token } }';
    const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
    expect((await send('/graphql', { from, headers, payload: { query } })).body).toContain('rate_limited');

    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = new WebSocket(`ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/rpc`, ['json']);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const answer = new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));
    socket.send(JSON.stringify(rpc));
    expect(await answer).toMatchObject({
      error: { kind: 'NotAllowed', details: { kind: 'RateLimited', details: { retryAfter: 1200 } } },
    });
    socket.terminate();
    expect(await users()).toBe(2);
  });

  test('in aliases of one GraphQL operation count one by one', async () => {
    await open();
    const aliases = Array.from(
      { length: 8 },
      (_, at) => `a${at}: signUp(access: "account", variables: {name: "${at}"}) { token }`,
    );
    const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
    const { body } = await send('/graphql', { headers, payload: { query: `mutation { ${aliases.join('\n')} }` } });
    expect(body.match(/rate_limited/g)).toHaveLength(5);
    expect(await users()).toBe(3);
  });

  test('are limited in a database, from however many addresses', async () => {
    await open({ signUpsInDatabase: rateOf(10, HOUR) });
    const from = (at: number) => `192.0.${at >> 8}.${at & 0xff}`;
    expect(await admitted(times(500, (at) => signUp(from(at))))).toBe(10);
    expect(await users()).toBe(10);
    // Those of another one aren't.
    await owned.value(
      'DEFINE DATABASE two; USE DB two; DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user)',
    );
    expect(statusOf(await send('/signup', { payload: { ...ACCOUNT, DB: 'two' } }))).toBe(200);
  });

  test('of access methods that don’t exist, or don’t sign up, use nothing up', async () => {
    await open();
    const wrong = times(6, (at) => send('/signup', { payload: { ...ACCOUNT, AC: at % 2 === 0 ? 'nope' : 'keys' } }));
    expect(await admitted(wrong, 429)).toBe(0);
    expect(await admitted(times(5, () => signUp()))).toBe(3);
  });

  test('don’t hinder signing in', async () => {
    await open();
    expect(await admitted(times(4, () => signUp()))).toBe(3);
    expect(statusOf(await send('/signin', { payload: ACCOUNT }))).toBe(200);
  });

  test('are unlimited where that is asked for', async () => {
    await open({ signUps: undefined, signUpsInDatabase: undefined });
    expect(await admitted(times(100, () => signUp()))).toBe(100);
  });
});

/** Spellings of addresses of one source, and of one that isn't it. */
const SOURCES = [
  [
    'addresses of one /64',
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8::4:5:6:7'],
    '2001:db8:0:1::1',
  ],
  ['spellings of one address', ['2001:db8::1', '2001:DB8::1', '2001:0db8:0000::0001', '2001:db8:0:0:0:0:0:1'], '::1'],
  [
    'an IPv4 address on an IPv6 socket',
    ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201'],
    '192.0.2.2',
  ],
  ['scopes of one link', ['fe80::1', 'fe80::1%eth0', 'fe80::2%eth1', 'fe80::2'], 'fe80:1::1'],
] as const;

describe('A52: one source by other names', () => {
  test.each(SOURCES)('%s', async (_, addresses, another) => {
    await open();
    expect(await admitted(addresses.map((each) => signUp(each)))).toBe(3);
    expect(await admitted(addresses.map((each) => ask(each)))).toBe(3);
    expect(statusOf(await signUp(another))).toBe(200);
    expect(statusOf(await ask(another))).toBe(200);
  });

  test.each(SOURCES)('%s, in a header of a trusted proxy', async (_, addresses, another) => {
    await open(THREE, BEHIND);
    const behind = (address: string) => signUp('10.0.0.1', '/signup', { 'x-forwarded-for': address });
    // What isn't an address is the proxy's own.
    const known = addresses.filter((each) => !each.includes('%'));
    expect(await admitted([...known, ...known].map(behind))).toBe(3);
    expect(statusOf(await behind(another))).toBe(200);
  });

  test('headers of a client that is no trusted proxy', async () => {
    for (const source of [{ from: 'socket' } as const, BEHIND]) {
      await open(THREE, source);
      const names = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'];
      const forged = times(12, (at) =>
        signUp('192.0.2.1', '/signup', Object.fromEntries(names.map((name) => [name, `198.51.100.${at}`]))),
      );
      expect(await admitted(forged)).toBe(3);
      if (source !== BEHIND) {
        await app.close();
        await owned.database.close();
      }
    }
  });

  test('forged addresses before the one that the proxy has seen', async () => {
    await open(THREE, BEHIND);
    const forged = times(12, (at) =>
      signUp('10.0.0.1', '/signup', { 'x-forwarded-for': `198.51.100.${at}, 192.0.2.1` }),
    );
    expect(await admitted(forged)).toBe(3);
  });

  test('without addresses the limit of the database is left', async () => {
    await open({ ...THREE, signUpsInDatabase: rateOf(7, HOUR) }, { from: 'none' });
    expect(await admitted(times(12, () => signUp()))).toBe(7);
  });
});

/** Other ways to write a path: they lead nowhere, or to the same limit. */
const SIGN_UP_PATHS = [
  '//signup',
  '/signup/',
  '/%73ignup',
  '/signup?a=1',
  '/SIGNUP',
  '/./signup',
  '/x/../signup',
  '/signup;a',
];
const ASK_PATHS = [
  '/ask',
  '//ask',
  '/ask/',
  '///ask//',
  '/%61sk',
  '/%61%73%6B',
  '/ask?a=1',
  '/./ask',
  '/ASK',
  '/ask%2f',
];

describe('A52: one target by other names', () => {
  test('of sign-up', async () => {
    await open();
    const answers = await Promise.all([...SIGN_UP_PATHS, ...SIGN_UP_PATHS].map((path) => signUp(undefined, path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(new Set(answers.map(statusOf)).size).toBeGreaterThan(2);
    expect(await users()).toBe(3);
  });

  test('of an endpoint', async () => {
    await open({ guestCalls: undefined, guestCallsOfEndpoint: rateOf(3, HOUR) });
    const answers = await Promise.all([...ASK_PATHS, ...ASK_PATHS].map((path) => ask(undefined, path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await owned.value('RETURN count((SELECT * FROM asked))')).toBe(3);
    expect(statusOf(await ask(undefined, '/limited'))).toBe(200);
  });

  test('of an endpoint with parameters', async () => {
    await open({ guestCalls: undefined, guestCallsOfEndpoint: rateOf(3, HOUR) });
    expect(await admitted(times(12, (at) => ask(undefined, `/for/${at}`)))).toBe(3);
  });

  test('of a database', async () => {
    await open();
    const spelled = ['/api/test/test/ask', '/api/%74est/test/ask', '/api/test/%74%65st/ask', '/api/test/test//ask'];
    expect(await admitted([...spelled, ...spelled].map((url) => send(url)))).toBe(3);
  });
});

describe('Endpoints', () => {
  test('answer guests 429 with Retry-After before anything runs', async () => {
    await open();
    expect(await admitted(times(9, () => ask()))).toBe(3);
    const { status, body, retryAfter } = await ask();
    expect([status, retryAfter, body]).toEqual([429, '1200', '"Too many requests. Try again later"']);
    expect(await owned.value('RETURN count((SELECT * FROM asked))')).toBe(3);
    // Other endpoints share what an address has.
    expect(statusOf(await ask(undefined, '/for/1'))).toBe(429);
    expect(statusOf(await ask('192.0.2.2'))).toBe(200);
  });

  test('count what guests call by statements as well', async () => {
    await open();
    const statement = "RETURN api::invoke('/ask').status";
    const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
    const payload = {
      id: 1,
      method: 'query',
      params: [`USE NS test DB test; ${statement}; ${statement}; ${statement}; ${statement}`],
    };
    const { body } = await send('/rpc', { payload, headers });
    expect(body.match(/"result":(200|429)/g)).toEqual(['"result":200', '"result":200', '"result":200', '"result":429']);
  });

  test('don’t limit users who have signed in, nor the calls of an endpoint’s own code', async () => {
    await open();
    await owned.value(
      "DEFINE API '/many' FOR get THEN { { body: array::range(0, 10).map(|$at| api::invoke('/for/1').status) } }",
    );
    expect((await ask(undefined, '/many')).body).toBe(`[${Array.from({ length: 10 }, () => 200).join(',')}]`);
    const { body } = await signUp('192.0.2.7');
    const { token } = JSON.parse(body);
    const authorization = `Bearer ${token}`;
    expect(await admitted(times(12, () => send('/api/test/test/ask', { headers: { authorization } })))).toBe(12);
  });

  test('have limits of their own by api::limit, for users as well', async () => {
    await open();
    expect(await admitted(times(3, () => ask(undefined, '/limited')))).toBe(2);
    expect(await admitted(times(3, () => ask('192.0.2.2', '/limited')))).toBe(2);
    const tokens = await Promise.all(times(2, () => signUp('192.0.2.7')));
    const [ann, bob] = tokens.map(({ body }) => ({ authorization: `Bearer ${JSON.parse(body).token}` }));
    const as = (headers: Readonly<Record<string, string>> = {}, from = '192.0.2.3') =>
      send('/api/test/test/of-user', { headers, from });
    // Each user has two calls from wherever it calls, and guests two from each address.
    expect(await admitted(times(6, (at) => as(ann, `192.0.2.${at}`)))).toBe(2);
    expect(await admitted(times(6, () => as(bob)))).toBe(2);
    expect(await admitted(times(3, () => as()))).toBe(2);
  });
});

describe('A56: floods', () => {
  test('of sign-ups from 2,000 networks leave as many records as the database admits', async () => {
    await open({ signUpsInDatabase: rateOf(20, HOUR) });
    let let_in = 0;
    for (let block = 0; block < 20; block++)
      let_in += await admitted(times(100, (at) => signUp(`2001:db8:${block}:${at}::1`)));
    expect(let_in).toBe(20);
    expect(await users()).toBe(20);
  });

  test('of guests’ calls run no code of the endpoint', async () => {
    await open({ guestCallsInDatabase: rateOf(20, HOUR) });
    let let_in = 0;
    for (let block = 0; block < 20; block++)
      let_in += await admitted(times(100, (at) => ask(`2001:db8:${block}:${at}::1`)));
    expect(let_in).toBe(20);
    expect(await owned.value('RETURN count((SELECT * FROM asked))')).toBe(20);
  });
});
