/** Tokens that must be refused on every transport, and key sets at private addresses (11, 12, 59, 60). */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { realEnvironment } from '../../src/env/real.js';
import { type NetworkTarget, readTarget } from '../../src/functions/network/targets.js';
import { createHttpServer } from '../../src/http/server.js';
import type { Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { isObject, objectFrom } from '../../src/value/value.js';
import { type FakeInternet, type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';

const GENERIC = 'There was a problem with authentication';
const pem = ({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }) => ({
  publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const [p256, p384, p521] = ['P-256', 'P-384', 'P-521'].map((namedCurve) =>
  pem(generateKeyPairSync('ec', { namedCurve })),
) as [Pem, Pem, Pem];
type Pem = ReturnType<typeof pem>;
const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }));
/** Those of the attacker. */
const eve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const inSet = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const SECRET = 'a secret of this database, and of no other one at all';
const OTHER_SECRET = 'a secret of the other database, and of no other one';
const FAR = 9_999_999_999;

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const claimed = (claims: object = {}) => ({ exp: FAR, ns: 'test', db: 'test', ac: 'hs', ...claims });

function hmac(payload: unknown, key: string = SECRET, header: unknown = { alg: 'HS256' }, hash = 'sha256'): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`;
}

function signed(payload: unknown, key: KeyObject | string, header: unknown, hash = 'sha256'): string {
  const input = `${part(header)}.${part(payload)}`;
  const signature = sign(hash, Buffer.from(input), { key: key as string, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

const es = (claims: object, key: KeyObject | string, header: object = {}) =>
  signed(claimed({ ac: 'es', ...claims }), key, { alg: 'ES256', ...header });

let world: World;
let app: FastifyInstance;
let socket: WebSocket;
let refresh: string;
let grant: string;
let formerUser: string;

const KEY_SET = 'https://issuer.example/keys';
const NAMES = { 'issuer.example': ['93.184.215.14'] };
const ISSUER_OF_KEYS: FakeInternet = {
  names: NAMES,
  servers: {
    '93.184.215.14:443': () => ({
      body: Buffer.from(JSON.stringify({ keys: [{ ...inSet.publicKey.export({ format: 'jwk' }), kid: 'k' }] })),
    }),
  },
};

beforeAll(async () => {
  const network = fakeNetwork(ISSUER_OF_KEYS);
  world = await World.open({ environment: { ...realEnvironment, network }, network: { allow: 'all' }, guests: false });
  app = createHttpServer({
    database: world.database,
    graphql: async () => ({ status: 200, contentType: 'application/json', body: '{}' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  socket = new WebSocket(`ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/rpc`, 'json');
  await new Promise((resolve) => socket.once('open', resolve));
  await run(
    world.owner,
    `DEFINE ACCESS hs ON DATABASE TYPE JWT ALGORITHM HS256 KEY '${SECRET}';
     DEFINE ACCESS es ON DATABASE TYPE JWT ALGORITHM ES256 KEY '${p256.publicKey}';
     DEFINE ACCESS rs ON DATABASE TYPE JWT ALGORITHM RS256 KEY '${rsa.publicKey}';
     DEFINE ACCESS set ON DATABASE TYPE JWT URL '${KEY_SET}';
     DEFINE ACCESS strict ON DATABASE TYPE JWT ALGORITHM HS256 KEY '${SECRET}'
       REQUIRE ISSUER 'https://id.example', 'https://id2.example' AUDIENCE 'shop', 'office';
     DEFINE ACCESS lasting ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name) WITH REFRESH;
     DEFINE ACCESS bearer ON DATABASE TYPE BEARER FOR USER;
     DEFINE USER robot ON DATABASE PASSWORD 'a password of a robot';
     CREATE user:ann SET name = 'ann';`,
  );
  ({ refresh = '' } = await world.guest().signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', name: 'ann' })));
  const [granted] = await run(world.owner, 'ACCESS bearer GRANT FOR USER robot');
  grant = isObject(granted) && isObject(granted['grant']) ? String(granted['grant']['key']) : '';
  const user = objectFrom({ NS: 'test', DB: 'test', user: 'robot', pass: 'a password of a robot' });
  formerUser = (await world.guest().signIn(user)).access;
  await run(
    world.owner,
    `DEFINE USER OVERWRITE robot ON DATABASE PASSWORD 'another password of it';
     USE NS test DB other; DEFINE ACCESS hs ON DATABASE TYPE JWT ALGORITHM HS256 KEY '${OTHER_SECRET}'; USE DB test`,
  );
});
afterAll(async () => {
  socket.terminate();
  await app.close();
  await world.close();
});

/** What each way to hand in a token answers: `in`, or the text of the refusal. */
const TRANSPORTS: Readonly<Record<string, (token: string) => Promise<string>>> = {
  embedded: async (token) => {
    const session = world.guest();
    try {
      await session.authenticate(token);
      return 'in';
    } catch (error) {
      expect(session.identity.principal).toEqual({ kind: 'guest' });
      return (error as Error).message;
    }
  },
  '/sql': (token) => post('/sql', token, 'RETURN 1'),
  '/rpc': (token) => post('/rpc', token, JSON.stringify({ id: 1, method: 'query', params: ['RETURN 1'] })),
  '/graphql': (token) => post('/graphql', token, '{"query":"{__typename}"}'),
  'authenticate over HTTP': async (token) => {
    const body = JSON.stringify({ id: 1, method: 'authenticate', params: [token] });
    const { error } = (await inject('/rpc', {}, body)).json();
    return error === undefined ? 'in' : error.message;
  },
  'authenticate over a WebSocket': async (token) => {
    const answered = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send(JSON.stringify({ id: 1, method: 'authenticate', params: [token] }));
    const { error } = JSON.parse(await answered);
    return error === undefined ? 'in' : error.message;
  },
};

function inject(url: string, headers: Record<string, string>, payload: string) {
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  return app.inject({ method: 'POST', url, headers: { ...json, ...headers }, payload });
}

async function post(url: string, token: string, payload: string): Promise<string> {
  const { statusCode, json } = await inject(url, { authorization: `Bearer ${token}` }, payload);
  if (statusCode !== 401) return 'in';
  return json().information;
}

async function told(token: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, hand] of Object.entries(TRANSPORTS)) found[name] = await hand(token);
  return found;
}

const everywhere = (text: string) => Object.fromEntries(Object.keys(TRANSPORTS).map((name) => [name, text]));

const GENUINE: Readonly<Record<string, () => string>> = {
  'of a secret': () => hmac(claimed()),
  'of a pair of keys': () => es({}, p256.privateKey),
  'of RSA': () => signed(claimed({ ac: 'rs' }), rsa.privateKey, { alg: 'RS256' }),
  'of a key set': () => es({ ac: 'set' }, inSet.privateKey, { kid: 'k' }),
  'of a required issuer': () => hmac(claimed({ ac: 'strict', iss: 'https://id2.example', aud: 'shop' })),
  'for several audiences': () => hmac(claimed({ ac: 'strict', iss: 'https://id.example', aud: ['x', 'office'] })),
};

const strict = (claims: object) => hmac(claimed({ ac: 'strict', ...claims }));
const MINE = { iss: 'https://id.example', aud: 'shop' };
const jwkOfEve = eve.publicKey.export({ format: 'jwk' });
const genuine = hmac(claimed());
const [header, payload, signature] = genuine.split('.') as [string, string, string];

/** The same bits in base64url that isn't the one text of its bytes. */
const stray = (text: string) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.at(-1) as string) + 1]}`;
};

const REFUSED: Readonly<Record<string, () => string>> = {
  'none, without a signature': () => `${part({ alg: 'none' })}.${part(claimed())}.`,
  'none, with one': () => `${part({ alg: 'None' })}.${payload}.${signature}`,
  'no algorithm at all': () => hmac(claimed(), SECRET, {}),
  'no signature': () => `${header}.${payload}.`,
  'half of a signature': () => `${header}.${payload}.${signature.slice(0, 20)}`,
  'the signature of another token': () => `${header}.${part(claimed({ rl: ['Owner'] }))}.${signature}`,
  'a public key as the secret': () => hmac(claimed({ ac: 'es' }), p256.publicKey),
  'an RSA public key as the secret': () => hmac(claimed({ ac: 'rs' }), rsa.publicKey),
  'a key of the set as the secret': () =>
    hmac(claimed({ ac: 'set' }), JSON.stringify(inSet.publicKey.export({ format: 'jwk' })), {
      alg: 'HS256',
      kid: 'k',
    }),
  'another hash of the same secret': () => hmac(claimed(), SECRET, { alg: 'HS512' }, 'sha512'),
  'another padding of the same RSA key': () => signed(claimed({ ac: 'rs' }), rsa.privateKey, { alg: 'PS256' }),
  'another curve': () => signed(claimed({ ac: 'es' }), p384.privateKey, { alg: 'ES384' }, 'sha384'),
  'another curve under the right name': () => signed(claimed({ ac: 'es' }), p384.privateKey, { alg: 'ES256' }),
  'a stranger’s key': () => es({}, eve.privateKey),
  'a key that the header brings along': () => es({}, eve.privateKey, { jwk: jwkOfEve }),
  'a key that the header points to': () =>
    es({}, eve.privateKey, { jku: KEY_SET, x5u: KEY_SET, x5c: ['AAAA'], kid: '/dev/null' }),
  'a stranger’s key under the name of one of the set': () => es({ ac: 'set' }, eve.privateKey, { kid: 'k' }),
  'a name that the set doesn’t have': () => es({ ac: 'set' }, inSet.privateKey, { kid: "k' OR true" }),
  'a name that is no text': () => es({ ac: 'set' }, inSet.privateKey, { kid: { $ne: null } }),
  'a set’s key for an access with a key': () => es({}, inSet.privateKey, { kid: 'k' }),
  'what must be understood': () => hmac(claimed(), SECRET, { alg: 'HS256', crit: ['exp'] }),
  'an unencoded payload': () => hmac(claimed(), SECRET, { alg: 'HS256', b64: false, crit: ['b64'] }),
  'a claim given twice': () => hmac(`{"exp":${FAR},"ns":"test","db":"test","ac":"x","ac":"hs"}`),
  'a claim given twice, once escaped': () => hmac(`{"exp":${FAR},"ns":"test","db":"test","\\u0061c":"x","ac":"hs"}`),
  'a claim in two spellings': () => hmac(claimed({ AC: 'es' })),
  'an algorithm given twice': () => hmac(claimed(), SECRET, '{"alg":"none","alg":"HS256"}'),
  'a padded signature': () => `${genuine}=`,
  'stray bits in the signature': () => `${header}.${payload}.${stray(signature)}`,
  'plain base64': () => `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
  'a fourth part': () => `${genuine}.`,
  'no end': () => hmac({ ...claimed(), exp: undefined }),
  'an end that is text': () => hmac(claimed({ exp: `${FAR}` })),
  'a beginning in the future': () => hmac(claimed({ nbf: FAR - 1 })),
  'an end in the past, badly signed': () => hmac(claimed({ exp: 1 }), OTHER_SECRET),
  'another database’s secret': () => hmac(claimed(), OTHER_SECRET),
  'another database’s name': () => hmac(claimed({ db: 'other' })),
  'a database that doesn’t exist': () => hmac(claimed({ db: 'nowhere' })),
  'a namespace that doesn’t exist': () => hmac(claimed({ ns: 'nowhere' })),
  'an access that doesn’t exist': () => hmac(claimed({ ac: 'nothing' })),
  'no database': () => hmac({ exp: FAR, ns: 'test', ac: 'hs' }),
  'no namespace': () => hmac({ exp: FAR, db: 'test', ac: 'hs' }),
  'no place': () => hmac({ exp: FAR, ac: 'hs' }),
  'a name that is no text, of an access': () => hmac(claimed({ ac: ['hs'] })),
  'another issuer': () => strict({ ...MINE, iss: 'https://evil.example' }),
  'an issuer that only begins alike': () => strict({ ...MINE, iss: 'https://id.example.evil' }),
  'a list of issuers': () => strict({ ...MINE, iss: ['https://id.example'] }),
  'no issuer': () => strict({ aud: 'shop' }),
  'another audience': () => strict({ ...MINE, aud: 'bank' }),
  'other audiences': () => strict({ ...MINE, aud: ['bank', ['shop'], null] }),
  'no audience': () => strict({ iss: 'https://id.example' }),
  'a refresh token': () => refresh,
  'the key of a grant': () => grant,
  'a token of before the password changed': () => formerUser,
  'a token that is far too long': () => hmac(claimed({ filling: 'x'.repeat(9_000) })),
  nonsense: () => 'nonsense',
};

describe('a genuine token', () => {
  it.each(Object.entries(GENUINE))('%s is let in everywhere', async (_, token) => {
    expect(await told(token())).toEqual(everywhere('in'));
  });

  it('that has expired is refused with that reason, as its bearer may know', async () => {
    expect(await told(hmac(claimed({ exp: 1 })))).toEqual(everywhere('The token has expired'));
  });
});

describe('refused everywhere with the one text', () => {
  it.each(Object.entries(REFUSED))('%s', async (_, token) => {
    expect(await told(token())).toEqual(everywhere(GENERIC));
  });
});

it('an access token refreshes nothing, and a refresh token of another access is refused', async () => {
  const body = (key: string) => objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', refresh: key });
  for (const key of [genuine, grant, refresh.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))]) {
    await expect(world.guest().signIn(body(key))).rejects.toMatchObject({ message: GENERIC });
  }
});

attack(11, 'CVE-2026-109342: revokes without possession', async () => {
  const others = world.guest();
  const pair = await others.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', name: 'ann' }));
  const held = pair.refresh as string;
  const id = held.split('-')[2] as string;
  await run(world.owner, "CREATE user:bob SET name = 'bob'");
  const record = world.guest();
  const own = await record.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', name: 'bob' }));
  const everybody: Record<string, Session> = {
    guest: world.guest(),
    record,
    viewer: await world.systemUser('DV'),
    editor: await world.systemUser('DE'),
  };
  for (const [who, session] of Object.entries(everybody)) {
    for (const text of [`GRANT ${id}`, 'ALL', 'WHERE true']) {
      expect([who, await answer(session, `ACCESS lasting ON DATABASE REVOKE ${text}`)]).toEqual([
        who,
        expect.stringMatching(/^not_allowed/),
      ]);
    }
    // The id alone, another's access token, a secret that is wrong: none of them is possession.
    const guess = `surreal-refresh-${id}-${'a'.repeat(24)}`;
    for (const attempt of [
      { access: pair.access, refresh: guess },
      { access: own.access, refresh: held },
      { access: own.access, refresh: guess },
      { access: genuine, refresh: held },
      { access: 'a.b.c', refresh: held },
    ]) {
      await expect(session.revoke(attempt)).rejects.toMatchObject({ message: GENERIC });
      const body = JSON.stringify({ id: 1, method: 'revoke', params: [attempt] });
      expect((await inject('/rpc', {}, body)).json().error.message).toBe(GENERIC);
    }
  }
  const [shown] = await run(world.owner, `ACCESS lasting SHOW GRANT ${id}`);
  expect(isObject(shown) && toText(shown['revocation'])).toBe('NONE');
  await world.guest().refresh({ access: pair.access, refresh: held });
});

attack(12, 'CVE-2026-63761: has one algorithm put in the place of another', async () => {
  const define = (algorithm: string, key: string) =>
    answer(world.owner, `DEFINE ACCESS OVERWRITE j ON DATABASE TYPE JWT ALGORITHM ${algorithm} KEY '${key}'`);
  expect(await define('ES512', p384.publicKey)).toMatch(/^invalid_key: .* it must lie on the curve secp521r1/);
  expect(await define('ES384', p521.publicKey)).toMatch(/^invalid_key/);
  for (const unknown of ['ES521', 'none', 'HS1', 'RS1']) expect(await define(unknown, 'x')).toMatch(/^parse_error/);
  expect(await define('ES512', p521.publicKey)).toBe('NONE');
  expect(await answer(world.owner, 'RETURN (INFO FOR DB).accesses.j')).toContain('ALGORITHM ES512 ');
  const with521 = (alg: string, hash: string) => signed(claimed({ ac: 'j' }), p521.privateKey, { alg }, hash);
  expect(await told(with521('ES512', 'sha512'))).toEqual(everywhere('in'));
  expect(await told(with521('ES384', 'sha384'))).toEqual(everywhere(GENERIC));
  expect(await told(signed(claimed({ ac: 'j' }), p384.privateKey, { alg: 'ES512' }, 'sha512'))).toEqual(
    everywhere(GENERIC),
  );
});

describe('keys that DEFINE refuses', () => {
  const weak = pem(generateKeyPairSync('rsa', { modulusLength: 1024 })).publicKey;
  it.each<[string, string, string]>([
    ['a secret shorter than its hash', 'HS512', 'x'.repeat(63)],
    ['an empty secret', 'HS256', ''],
    ['a public key as a secret', 'HS256', p256.publicKey],
    ['RSA of 1024 bits', 'RS256', weak],
    ['no key', 'RS256', 'nonsense'],
    ['a private key for all to see', 'ES256', p256.privateKey],
    ['a key of another kind', 'EDDSA', p256.publicKey],
  ])('%s', async (_, algorithm, key) => {
    const text = `DEFINE ACCESS bad ON DATABASE TYPE JWT ALGORITHM ${algorithm} KEY $key`.replace('$key', `'${key}'`);
    expect(await answer(world.owner, text)).toMatch(/^invalid_key: /);
    // What was defined elsewhere can be imported; it still admits no one who must not be admitted.
    expect(await answer(world.owner, `OPTION IMPORT; ${text}; REMOVE ACCESS bad ON DATABASE`)).toBe('NONE');
  });
});

it('weak keys are accepted where a setting says so, and still admit no one who has no key', async () => {
  const lenient = await World.open({ weakKeys: true });
  await run(
    lenient.owner,
    `DEFINE ACCESS short ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'short';
     DEFINE ACCESS junk ON DATABASE TYPE JWT ALGORITHM RS256 KEY 'junk';
     DEFINE ACCESS swapped ON DATABASE TYPE JWT ALGORITHM HS256 KEY '${p256.publicKey}'`,
  );
  await lenient.guest().authenticate(hmac(claimed({ ac: 'short' }), 'short'));
  for (const token of [hmac(claimed({ ac: 'junk' }), 'junk'), hmac(claimed({ ac: 'swapped' }), p256.publicKey)]) {
    await expect((async () => lenient.guest().authenticate(token))()).rejects.toMatchObject({ message: GENERIC });
  }
  await lenient.close();
});

/** What a token of a key set at an address leads to. */
async function fetched(url: string, internet: FakeInternet, allow: 'all' | readonly string[] = 'all') {
  const network: FakeNetwork = fakeNetwork(internet);
  const targets = allow === 'all' ? allow : allow.map((each) => readTarget(each) as NetworkTarget);
  const reported: string[] = [];
  const inner = await World.open({
    environment: { ...realEnvironment, network },
    network: { allow: targets },
    report: ({ message }) => reported.push(message),
  });
  try {
    await run(inner.owner, `DEFINE ACCESS set ON DATABASE TYPE JWT URL '${url}'`);
    const entered = await (async () => inner.guest().authenticate(es({ ac: 'set' }, inSet.privateKey, { kid: 'k' })))()
      .then(() => 'in')
      .catch((error: Error) => error.message);
    return { entered, sent: network.sent.map(({ address }) => address), reported: reported.join() };
  } finally {
    await inner.close();
  }
}

const keys = () => ({
  body: Buffer.from(JSON.stringify({ keys: [{ ...inSet.publicKey.export({ format: 'jwk' }), kid: 'k' }] })),
});
const INSIDE = Object.fromEntries(
  ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1'].flatMap((address) => [
    [`${address}:443`, keys],
    [`${address}:80`, keys],
  ]),
);

attack(59, 'CVE-2026-63744: a key set address that redirects inside', async () => {
  const names = { ...NAMES, 'inside.example': ['10.0.0.1'] };
  for (const location of [
    'https://127.0.0.1/',
    'https://inside.example/',
    'http://169.254.169.254/',
    'https://[::1]/',
  ]) {
    for (const status of [301, 302, 303, 307, 308]) {
      const servers = { ...INSIDE, '93.184.215.14:443': () => ({ status, headers: { location } }) };
      for (const allow of ['all', ['issuer.example']] as const) {
        const { entered, sent, reported } = await fetched(KEY_SET, { names, servers }, allow);
        expect({ entered, sent }).toEqual({ entered: GENERIC, sent: ['93.184.215.14'] });
        expect(reported).toContain('is not available');
      }
    }
  }
  const toPlain = { '93.184.215.14:443': () => ({ status: 302, headers: { location: 'http://issuer.example/keys' } }) };
  expect(await fetched(KEY_SET, { names, servers: { ...toPlain, '93.184.215.14:80': keys } })).toMatchObject({
    entered: GENERIC,
    sent: ['93.184.215.14'],
  });
});

attack(76, 'a key set address in a loop of redirects, or behind a host that is not allowed', async () => {
  const names = { ...NAMES, 'next.example': ['93.184.215.15'], 'last.example': ['93.184.215.16'] };
  const to = (location: string) => () => ({ status: 302, headers: { location } });
  const loop = { '93.184.215.14:443': to('https://next.example/'), '93.184.215.15:443': to(KEY_SET) };
  const looping = await fetched(KEY_SET, { names, servers: loop });
  expect(looping).toMatchObject({ entered: GENERIC, reported: expect.stringContaining('too many redirects') });
  expect(looping.sent).toHaveLength(11);

  const chained = {
    '93.184.215.14:443': to('https://next.example/'),
    '93.184.215.15:443': to('https://last.example/'),
    '93.184.215.16:443': keys,
  };
  expect(await fetched(KEY_SET, { names, servers: chained })).toMatchObject({ entered: 'in' });
  const [issuer, next] = ['issuer.example', 'next.example'];
  expect(await fetched(KEY_SET, { names, servers: chained }, [issuer])).toMatchObject({
    entered: GENERIC,
    sent: ['93.184.215.14'],
  });
  expect(await fetched(KEY_SET, { names, servers: chained }, [issuer, next])).toMatchObject({
    entered: GENERIC,
    sent: ['93.184.215.14', '93.184.215.15'],
  });
});

attack(60, 'CVE-2026-63736: a key set host with a private address', async () => {
  const names = { ...NAMES, 'inside.example': ['10.0.0.1'], 'both.example': ['93.184.215.14', '127.0.0.1'] };
  const internet = { names, servers: { ...INSIDE, '93.184.215.14:443': keys, '93.184.215.14:80': keys } };
  for (const host of ['inside.example', 'both.example', '127.0.0.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]']) {
    for (const allow of ['all', ['inside.example', 'both.example']] as const) {
      expect(await fetched(`https://${host}/keys`, internet, allow)).toMatchObject({ entered: GENERIC, sent: [] });
    }
  }
  // Nothing is called unless the rules say so, and nothing in the clear unless they name it.
  expect(await fetched(KEY_SET, internet, [])).toMatchObject({ entered: GENERIC, sent: [] });
  expect(await fetched(KEY_SET, internet)).toMatchObject({ entered: 'in', sent: ['93.184.215.14'] });
  expect(await fetched('http://issuer.example/keys', internet)).toMatchObject({ entered: GENERIC, sent: [] });
  expect(await fetched('http://issuer.example/keys', internet, ['issuer.example'])).toMatchObject({ entered: 'in' });
  expect(await fetched('https://10.0.0.1/keys', internet, ['10.0.0.1'])).toMatchObject({ entered: 'in' });
  for (const scheme of ['file', 'ftp', 'data', 'javascript']) {
    expect(await fetched(`${scheme}://issuer.example/keys`, internet)).toMatchObject({ entered: GENERIC, sent: [] });
  }
});

it('a key set is bounded in size', async () => {
  const servers = { '93.184.215.14:443': keys };
  const network = fakeNetwork({ names: NAMES, servers });
  const inner = await World.open({ environment: { ...realEnvironment, network }, network: { allow: 'all' } });
  await run(inner.owner, `DEFINE ACCESS set ON DATABASE TYPE JWT URL '${KEY_SET}'`);
  await inner.guest().authenticate(es({ ac: 'set' }, inSet.privateKey, { kid: 'k' }));
  expect(network.sent.map(({ maxBytes }) => maxBytes)).toEqual([64 * 1024]);
  await inner.close();
});
