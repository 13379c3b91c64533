/**
 * Attacks on passkeys, over every transport (A34 to A42 of the list for identities). The authenticator is one in
 * software, which lies where a test says so; the clock stands still until a test moves it.
 */
import { generateKeyPairSync } from 'node:crypto';
import { decode, encode } from 'cborg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/base/options.js';
import {
  coseKey,
  ED25519,
  ES256,
  type Flag,
  type Lies,
  type Options,
  RS256,
  SoftAuthenticator,
  type SoftPasskey,
} from '../../support/authenticator.js';
import { ALL_TRANSPORTS, type Answer, type From, MailDoors, type Transport, WRONG } from './mail-doors.js';

const ORIGIN = 'https://shop.example';
const SCHEMA = `
  DEFINE TABLE passkey_user PERMISSIONS FOR select WHERE id = $auth;
  DEFINE ACCESS password ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name));
  DEFINE ACCESS passkey ON DATABASE TYPE RECORD SIGNUP (CREATE passkey_user SET name = $name)
    WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}' WITH REFRESH;
  DEFINE ACCESS second ON DATABASE TYPE RECORD WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}';
  DEFINE ACCESS plain ON DATABASE TYPE RECORD
    WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}' VERIFICATION PREFERRED;
`;
const PASSKEY: From = { access: 'passkey' };
const refused = { error: WRONG, token: undefined };

let doors: MailDoors;
beforeEach(async () => {
  // Larger bodies are refused before anything of them is read.
  doors = await MailDoors.open({}, { limits: { ...DEFAULT_HTTP_LIMITS, guestBody: 1_000_000 } });
  await doors.value(SCHEMA);
});
afterEach(() => doors.close());

interface Started {
  readonly request: string;
  readonly options: Options & { readonly user?: { readonly id: string } };
}

/** Sources take turns, of which each has twenty open requests. */
let sources = 0;

async function start(body: object = {}, from: From = PASSKEY): Promise<Started> {
  const answer = await doors.start({ ...body }, { ip: `192.0.2.${sources++ % 200}`, ...from });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json();
}

/** A session of a user that was proved by a password just now. */
async function byPassword(name = 'ann'): Promise<string> {
  const { token, error } = await doors.signIn({ name }, { access: 'password' });
  if (token === undefined) throw new Error(error);
  return token;
}

/** Of those who have made a passkey: the session that it has given. */
const strong = new Map<string, string>();

/** A session that may make a passkey: one that was proved by the last one, if there is one. */
async function mayLink(name = 'ann'): Promise<string> {
  const count = await doors.value(`RETURN count(access::identities(user:${name}))`);
  return count === 0 ? byPassword(name) : (strong.get(name) ?? '');
}

const authenticator = new SoftAuthenticator(ORIGIN);

/** A passkey of a user. */
async function registered(name = 'ann', by = authenticator, access = 'passkey'): Promise<SoftPasskey> {
  const { request, options } = await start({ link: true }, { access, token: await mayLink(name) });
  const { passkey, credential } = by.create(options);
  const { token, error } = await doors.signIn({ request, credential }, { access });
  if (token === undefined) throw new Error(error);
  strong.set(name, token);
  return passkey;
}

/** What the server says to a passkey that signs, with lies. */
async function signed(passkey: SoftPasskey, lies: Lies = {}, from: From = PASSKEY, transport?: Transport) {
  const { request, options } = await start({}, from);
  return doors.signIn({ request, credential: authenticator.get(passkey, options, lies) }, from, transport);
}

/** What it says to one that is made for a user, with lies. */
async function made(lies: Lies, transport?: Transport): Promise<Answer> {
  const { request, options } = await start({ link: true }, { ...PASSKEY, token: await mayLink() });
  const answer = await doors.signIn(
    { request, credential: authenticator.create(options, lies).credential },
    PASSKEY,
    transport,
  );
  if (answer.token !== undefined) strong.set('ann', answer.token);
  return answer;
}

describe('A34: a challenge', () => {
  test.each(ALL_TRANSPORTS)('counts once, over %s', async (transport) => {
    const passkey = await registered();
    const { request, options } = await start();
    const credential = authenticator.get(passkey, options);
    expect((await doors.signIn({ request, credential }, PASSKEY, transport)).token).toBeDefined();
    expect(await doors.signIn({ request, credential }, PASSKEY, transport)).toMatchObject(refused);
    // What was recorded is of no use for another request.
    const later = await start();
    expect(await doors.signIn({ request: later.request, credential }, PASSKEY, transport)).toMatchObject(refused);
  });

  test('lets one of ten in that show it at once', async () => {
    const passkey = await registered();
    const { request, options } = await start();
    const credential = authenticator.get(passkey, options);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => doors.signIn({ request, credential }, PASSKEY, ALL_TRANSPORTS[at % 3])),
    );
    expect(answers.filter(({ token }) => token !== undefined)).toHaveLength(1);
  });

  test('is for its request, its access method and five minutes', async () => {
    const passkey = await registered();
    const [one, two] = [await start(), await start()];
    const crossed = authenticator.get(passkey, one.options);
    expect(await doors.signIn({ request: two.request, credential: crossed }, PASSKEY)).toMatchObject(refused);
    expect(await doors.signIn({ request: one.request, credential: crossed }, { access: 'second' })).toMatchObject(
      refused,
    );
    const { request, options } = await start();
    doors.pass(300_000);
    const credential = authenticator.get(passkey, options);
    expect(await doors.signIn({ request, credential }, PASSKEY)).toMatchObject(refused);
  });

  test('never comes from the client', async () => {
    const passkey = await registered();
    const challenge = Buffer.alloc(32).toString('base64url');
    expect(await signed(passkey, { challenge })).toMatchObject(refused);
    const { request, options } = await start();
    const credential = authenticator.get(passkey, options, { challenge });
    expect(await doors.signIn({ request, credential, passkey: { challenge } }, PASSKEY)).toMatchObject(refused);
    for (const body of [{ passkey: { challenge } }, { options: { challenge } }, { origin: 'https://evil.example' }])
      expect((await doors.start(body, PASSKEY)).statusCode).toBe(400);
  });

  test('is over after five wrong answers', async () => {
    const passkey = await registered();
    const { request, options } = await start();
    for (let round = 0; round < 5; round++) {
      const credential = authenticator.get(passkey, options, { signature: Buffer.alloc(70) });
      expect(await doors.signIn({ request, credential }, PASSKEY)).toMatchObject(refused);
    }
    const credential = authenticator.get(passkey, options);
    expect(await doors.signIn({ request, credential }, PASSKEY)).toMatchObject(refused);
  });
});

const PLACES: readonly (readonly [string, Lies])[] = [
  ['another port', { origin: 'https://shop.example:444' }],
  ['no TLS', { origin: 'http://shop.example' }],
  ['a subdomain', { origin: 'https://www.shop.example' }],
  ['a stranger', { origin: 'https://evil.example' }],
  ['a longer name', { origin: 'https://shop.example.evil.example' }],
  ['a path', { origin: 'https://shop.example/' }],
  ['capitals', { origin: 'https://SHOP.example' }],
  ['a list', { client: { origin: [ORIGIN] } }],
  ['another domain', { domain: 'evil.example' }],
  ['the domain above', { domain: 'example' }],
  ['a frame', { client: { crossOrigin: true } }],
  ['a frame by its text', { client: { crossOrigin: 'false' } }],
  ['a frame with its page', { client: { topOrigin: 'https://evil.example' } }],
];

describe('A35: a passkey of another place', () => {
  test.each(PLACES)('%s', async (_, lies) => {
    expect(await made(lies)).toMatchObject(refused);
    const passkey = await registered();
    expect(await signed(passkey, lies)).toMatchObject(refused);
    expect((await signed(passkey)).token).toBeDefined();
  });

  test('one that was made in place of one that signs, and the other way round', async () => {
    const passkey = await registered();
    expect(await signed(passkey, { type: 'webauthn.create' })).toMatchObject(refused);
    expect(await made({ type: 'webauthn.get' })).toMatchObject(refused);
    const signing = await start();
    const { credential } = authenticator.create(signing.options);
    expect(await doors.signIn({ request: signing.request, credential }, PASSKEY)).toMatchObject(refused);
    const making = await start({ link: true }, { ...PASSKEY, token: await mayLink() });
    const get = authenticator.get(passkey, making.options);
    expect(await doors.signIn({ request: making.request, credential: get }, PASSKEY)).toMatchObject(refused);
  });
});

describe('A36: presence and verification', () => {
  test.each<readonly Flag[]>([['UP'], ['UV'], [], ['UP', 'UV', 'BS']])('%s %s %s', async (...flags) => {
    expect(await made({ flags })).toMatchObject(refused);
    const passkey = await registered();
    expect(
      await signed(passkey, { flags: [...flags, ...(flags.includes('BS') ? [] : (['BE'] as const))] }),
    ).toMatchObject(refused);
  });

  test('are asked for by the server, whatever the page asks for', async () => {
    const passkey = await registered();
    const { request, options } = await start();
    const lax = { ...options, userVerification: 'discouraged' };
    const credential = authenticator.get(passkey, lax, { flags: ['UP', 'BE', 'BS'] });
    expect(await doors.signIn({ request, credential, verification: 'preferred' }, PASSKEY)).toMatchObject(refused);
  });

  test('where verification is PREFERRED presence is needed, and one without verification isn’t worth two', async () => {
    const touched = new SoftAuthenticator(ORIGIN, ES256, ['UP']);
    const passkey = await registered('ann', touched, 'plain');
    const from = { access: 'plain' };
    expect(await signed(passkey, { flags: [] }, from)).toMatchObject(refused);
    const { token = '' } = await signed(passkey, { flags: ['UP'] }, from);
    expect(await doors.query('RETURN [$token.acr, $token.amr]', token)).toEqual(['aal1', ['hwk']]);
  });

  test('a passkey can’t begin to be backed up', async () => {
    const bound = await registered('ann', new SoftAuthenticator(ORIGIN, ES256, ['UP', 'UV']));
    expect(await signed(bound, { flags: ['UP', 'UV', 'BE', 'BS'] })).toMatchObject(refused);
  });
});

describe('A37: whose it is', () => {
  test('one with the handle of another user, or with none', async () => {
    const [ann, bob] = [await registered('ann'), await registered('bob')];
    expect(await signed(ann, { handle: bob.handle })).toMatchObject(refused);
    expect(await signed(ann, { handle: undefined })).toMatchObject(refused);
    expect(await signed(ann, { handle: '' })).toMatchObject(refused);
    expect(await signed(ann, { id: bob.id })).toMatchObject(refused);
    expect(await signed(ann, { id: bob.id, handle: bob.handle })).toMatchObject(refused);
  });

  test('one that is not known', async () => {
    const { options } = await start({ link: true }, { ...PASSKEY, token: await byPassword() });
    const { passkey } = authenticator.create(options);
    expect(await signed(passkey)).toMatchObject(refused);
  });

  test('the id of another user’s, or of one’s own, is not made again', async () => {
    const { id } = await registered('bob');
    expect(await made({ id })).toMatchObject(refused);
    const own = await registered('ann');
    expect(await made({ id: own.id })).toMatchObject(refused);
    expect((await signed(own)).token).toBeDefined();
  });

  test('a passkey of one access method is none of another', async () => {
    const passkey = await registered();
    expect(await signed(passkey, {}, { access: 'second' })).toMatchObject(refused);
  });

  test('a passkey of a record that was made again is void', async () => {
    const passkey = await registered();
    await doors.value("DELETE user:ann; CREATE user:ann SET email = 'ann@example.com'");
    expect(await signed(passkey)).toMatchObject(refused);
    expect(await doors.value('RETURN access::identities(user:ann)')).toEqual([]);
    // Nor does the new one have its handle.
    const again = await registered();
    expect(again.handle).not.toBe(passkey.handle);
  });
});

describe('A38: a counter', () => {
  test('goes up, or stays 0', async () => {
    const passkey = await registered();
    for (const counter of [0, 0, 5, 6])
      expect([counter, (await signed(passkey, { counter })).token]).toEqual([counter, expect.any(String)]);
    for (const counter of [6, 5, 0, 1]) expect(await signed(passkey, { counter })).toMatchObject(refused);
    expect((await signed(passkey, { counter: 2 ** 32 - 1 })).token).toBeDefined();
    expect(await signed(passkey, { counter: 2 ** 32 - 1 })).toMatchObject(refused);
  });

  test('that goes back is in the audit log', async () => {
    const lines: string[] = [];
    await doors.close();
    doors = await MailDoors.open({ audit: { sink: { write: (written) => void lines.push(...written) } } });
    await doors.value(SCHEMA);
    const passkey = await registered();
    await signed(passkey, { counter: 7 });
    expect(await signed(passkey, { counter: 3 })).toMatchObject(refused);
    expect(await signed(passkey, { origin: 'https://evil.example' })).toMatchObject(refused);
    const causes = () => lines.flatMap((line) => (JSON.parse(line) as { what?: { cause?: string } }).what?.cause ?? []);
    await expect
      .poll(causes)
      .toEqual([
        'A passkey was refused: its counter has gone from 7 to 3, so it may have a copy',
        'A passkey was refused: its page is at an origin that is not listed',
      ]);
  });
});

describe('A39: making one', () => {
  test('needs a session that has just signed in', async () => {
    expect((await doors.start({ link: true }, PASSKEY)).json()).toMatchObject({ error: 'record_user_required' });
    const token = await byPassword();
    doors.pass(601_000);
    const stale = await doors.start({ link: true }, { ...PASSKEY, token });
    expect(stale.json()).toMatchObject({ error: 'recent_sign_in_required' });
    const byRpc = await doors.startByRpc({ link: true }, { ...PASSKEY, token });
    expect(byRpc.error).toMatchObject({ details: { details: { kind: 'RecentSignInRequired' } } });
  });

  test('needs one that is still valid when it ends', async () => {
    const token = await byPassword();
    const { request, options } = await start({ link: true }, { ...PASSKEY, token });
    doors.pass(1_000);
    await doors.value('KILL SESSIONS FOR RECORD user:ann');
    const { credential } = authenticator.create(options);
    expect(await doors.signIn({ request, credential }, PASSKEY)).toMatchObject(refused);
    expect(await doors.value('RETURN access::identities(user:ann)')).toEqual([]);
  });

  test('isn’t possible by a request that has expired', async () => {
    const { request, options } = await start({ link: true }, { ...PASSKEY, token: await byPassword() });
    doors.pass(300_000);
    const { credential } = authenticator.create(options);
    expect(await doors.signIn({ request, credential }, PASSKEY)).toMatchObject(refused);
  });

  test('is for the record of the session alone', async () => {
    const token = await byPassword();
    for (const body of [
      { link: true, record: 'user:bob' },
      { link: true, user: 'user:bob' },
    ])
      expect((await doors.start(body, { ...PASSKEY, token })).statusCode).toBe(400);
    const passkey = await registered('ann');
    expect(await doors.value('RETURN access::identities(user:bob)')).toEqual([]);
    const { token: own = '' } = await signed(passkey);
    expect(await doors.query('RETURN $auth', own)).toBe('user:ann');
    // With the handle of another user as well: a handle that was offered is no proof.
    const { request, options } = await start({ link: true }, { ...PASSKEY, token: own });
    const { credential } = authenticator.create({ ...options, user: { id: (await registered('bob')).handle } });
    expect((await doors.signIn({ request, credential }, PASSKEY)).token).toBeDefined();
    expect(await doors.value('RETURN count(access::identities(user:bob))')).toBe(1);
  });

  test('and a step are refused to a record of another database with the same id', async () => {
    await doors.owned.owner.use('test', 'elsewhere');
    await doors.value(`CREATE user:ann;
      DEFINE ACCESS password ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name))`);
    await doors.owned.owner.use('test', 'test');
    const answer = await doors.inject('/signin', {}, { NS: 'test', DB: 'elsewhere', AC: 'password', name: 'ann' });
    const { token } = answer.json() as { token: string };
    for (const access of ['passkey', 'mail']) {
      for (const purpose of ['link', 'step']) {
        const refusal = await doors.start({ [purpose]: true, email: 'eve@example.com' }, { access, token });
        expect(refusal.json()).toMatchObject({ error: 'record_user_required' });
      }
    }
  });

  test('for a new account needs SIGNUP, which no variable of the redemption replaces', async () => {
    const refusal = await doors.start({ signup: true }, { access: 'second' });
    expect(refusal.json()).toMatchObject({ error: 'access_signup_missing' });
    const { request, options } = await start({ signup: true, variables: { name: 'eve' } });
    const { passkey, credential } = authenticator.create(options);
    expect((await doors.signIn({ request, credential, id: 'user:ann' }, PASSKEY)).token).toBeDefined();
    const { token = '' } = await signed(passkey);
    expect(await doors.query('RETURN [$auth.name, record::tb($auth)]', token)).toEqual(['eve', 'passkey_user']);
  });

  test('for new accounts is limited', async () => {
    const answers: number[] = [];
    for (let count = 0; count < 40; count++) {
      const from = { ...PASSKEY, ip: '203.0.113.9' };
      const answer = await doors.start({ signup: true }, from);
      answers.push(answer.statusCode);
      if (answer.statusCode !== 200) continue;
      const { request, options } = answer.json() as Started;
      await doors.signIn({ request, credential: authenticator.create(options).credential }, from);
    }
    expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(31);
    expect(answers.at(-1)).toBe(429);
  });
});

/** Levels of arrays within each other. */
const nested = (levels: number) => Buffer.concat([Buffer.alloc(levels, 0x81), Buffer.from([0xf6])]);

describe('A40: keys and attestations', () => {
  const rsa = (modulusLength: number, publicExponent = 0x10001) =>
    coseKey(RS256, generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey);
  const ed25519 = () => coseKey(ED25519, generateKeyPairSync('ed25519').publicKey);
  const p256 = () => coseKey(ES256, generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
  const with_ = (key: Map<number, unknown>, ...changes: (readonly [number, unknown])[]) =>
    new Map([...key, ...changes]);
  const p384 = () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;

  test.each<[string, () => Map<number, unknown>]>([
    ['ES384', () => with_(coseKey(ES256, p384()), [3, -35], [-1, 2])],
    ['RS1', () => with_(rsa(2048), [3, -65535])],
    ['PS256', () => with_(rsa(2048), [3, -37])],
    ['RSA 1024', () => rsa(1024)],
    ['RSA with a modulus of 8,192 bits', () => with_(rsa(2048), [-1, new Uint8Array(1024).fill(255)])],
    ['RSA with a long exponent', () => with_(rsa(2048), [-2, new Uint8Array(256).fill(255)])],
    ['P-384 said to be P-256', () => with_(coseKey(ES256, p384()), [-1, 1])],
    ['a point that isn’t on the curve', () => with_(p256(), [-3, new Uint8Array(32)])],
    ['EdDSA with P-256', () => with_(p256(), [3, ED25519])],
    ['no algorithm', () => new Map([...p256()].filter(([label]) => label !== 3))],
    ['no key', () => new Map()],
    ['labels without end', () => new Map(Array.from({ length: 40 }, (_, at) => [at + 10, 0]))],
    ['an algorithm by its name', () => with_(p256(), [3, 'ES256'])],
    ['a key of lists', () => with_(p256(), [-2, [1, 2, 3]])],
    ['X25519 said to be EdDSA', () => with_(ed25519(), [-1, 4])],
    ['P-384 that says so', () => with_(p256(), [-1, 2])],
    ['a label that is a text', () => with_(p256(), ['kid' as never, 1])],
    ['a number of four bytes', () => with_(p256(), [5, 2 ** 20])],
  ])('%s', async (_, cose) => {
    expect(await made({ cose: cose() })).toMatchObject(refused);
  });

  /** Where the length of the id is: after the digest, the flags, the counter and the model. */
  const LENGTH_AT = 32 + 1 + 4 + 16;

  test.each<[string, (data: Buffer) => Buffer]>([
    [
      'without its key',
      (data) => {
        data[32] = (data[32] as number) & ~0x40;
        return data;
      },
    ],
    [
      'without an id',
      (data) => Buffer.concat([data.subarray(0, LENGTH_AT), Buffer.alloc(2), data.subarray(LENGTH_AT + 34)]),
    ],
    [
      'with an id of 1,024 bytes',
      (data) => {
        const length = Buffer.from([4, 0]);
        return Buffer.concat([data.subarray(0, LENGTH_AT), length, Buffer.alloc(1024), data.subarray(LENGTH_AT + 34)]);
      },
    ],
    ['with bytes after its key', (data) => Buffer.concat([data, Buffer.from([0xa0])])],
    ['that ends within its key', (data) => data.subarray(0, -1)],
    ['with the id of another', (data) => data.fill(7, LENGTH_AT + 2, LENGTH_AT + 34)],
  ])('authenticator data %s', async (_, change) => {
    const { request, options } = await start({ link: true }, { ...PASSKEY, token: await mayLink() });
    const { credential } = authenticator.create(options);
    const response = credential['response'] as { attestationObject: string };
    const attestation = decode(Buffer.from(response.attestationObject, 'base64url')) as { authData: Uint8Array };
    const authData = change(Buffer.from(attestation.authData));
    const attestationObject = Buffer.from(encode({ ...attestation, authData })).toString('base64url');
    const changed = { ...credential, response: { ...response, attestationObject } };
    expect(await doors.signIn({ request, credential: changed }, PASSKEY)).toMatchObject(refused);
    // What was changed is all that was wrong.
    expect((await doors.signIn({ request, credential }, PASSKEY)).token).toBeDefined();
  });

  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['half of one', Buffer.from('a363666d74646e6f6e65', 'hex')],
    ['60,000 levels', Buffer.concat([Buffer.from('a1', 'hex'), Buffer.from('6161', 'hex'), nested(60_000)])],
    ['a list of four thousand million', Buffer.from('a161619affffffff', 'hex')],
    ['a text of all memory', Buffer.from('a161617bffffffffffffffff', 'hex')],
    ['no end', Buffer.from('bf', 'hex')],
    ['40,000 values', Buffer.concat([Buffer.from('a16161999c40', 'hex'), Buffer.alloc(40_000)])],
    ['no authenticator data', Buffer.from('a163666d74646e6f6e65', 'hex')],
    ['authenticator data that are short', Buffer.from('a1686175746844617461434142ff', 'hex')],
    ['a number', Buffer.from('01', 'hex')],
  ])('an attestation of %s', async (_, attestation) => {
    // Bodies of sign-ins over HTTP are shorter than that anyway.
    expect(await made({ attestation }, 'RPC')).toMatchObject(refused);
  });

  test('one of 64 KiB at most, 16 levels deep', async () => {
    const levels = (depth: number): unknown => (depth === 0 ? 0 : [levels(depth - 1)]);
    const stating = (x: unknown) => made({ statement: { x } }, 'RPC');
    expect((await stating(levels(13))).token).toBeDefined();
    expect(await stating(levels(16))).toMatchObject(refused);
    expect((await stating(new Uint8Array(60_000))).token).toBeDefined();
    expect(await stating(new Uint8Array(66_000))).toMatchObject(refused);
  });

  test('what is no credential', async () => {
    const { credential: right } = authenticator.create({ challenge: 'AAAA', rp: { id: 'shop.example' } });
    const response = right['response'] as object;
    const wrong = [
      undefined,
      null,
      'text',
      7,
      [],
      {},
      { ...right, type: 'password' },
      { ...right, id: 'AAAA', rawId: right['id'] },
      { ...right, id: `${String(right['id'])}==` },
      { ...right, id: 'A'.repeat(2_000), rawId: 'A'.repeat(2_000) },
      { ...right, response: null },
      { ...right, response: { ...response, clientDataJSON: 'e30' } },
      { ...right, response: { ...response, clientDataJSON: 'bnVsbA' } },
      { ...right, response: { ...response, clientDataJSON: '_w' } },
      { ...right, response: { ...response, clientDataJSON: 'A'.repeat(10_000) } },
      { ...right, response: { ...response, attestationObject: { length: 7 } } },
    ];
    const token = await byPassword();
    for (const [at, credential] of wrong.entries()) {
      const making = await start({ link: true }, { ...PASSKEY, token });
      const signing = await start();
      for (const { request } of [making, signing]) {
        const { token: given } = await doors.signIn({ request, credential }, PASSKEY, ALL_TRANSPORTS[at % 3]);
        expect([at, given]).toEqual([at, undefined]);
      }
    }
    expect(await doors.value('RETURN access::identities(user:ann)')).toEqual([]);
  });

  test('ten passkeys, of which two are made at once', async () => {
    for (let count = 0; count < 9; count++) await registered();
    const token = await mayLink();
    const open = [
      await start({ link: true }, { ...PASSKEY, token }),
      await start({ link: true }, { ...PASSKEY, token }),
    ];
    const answers = await Promise.all(
      open.map(({ request, options }) =>
        doors.signIn({ request, credential: authenticator.create(options).credential }, PASSKEY),
      ),
    );
    expect(answers.filter(({ token: given }) => given !== undefined)).toHaveLength(1);
    expect(await doors.value('RETURN count(access::identities(user:ann))')).toBe(10);
    const eleventh = await doors.start({ link: true }, { ...PASSKEY, token });
    expect([eleventh.statusCode, eleventh.json()]).toMatchObject([400, { error: 'too_many_identities' }]);
  });
});

describe('A41: a handle', () => {
  test('is random, and the same over ten passkeys, whichever are removed', async () => {
    const handles: string[] = [];
    for (let count = 0; count < 10; count++) {
      handles.push((await registered()).handle);
      if (count % 3 === 2) await doors.value('ACCESS passkey REVOKE ALL');
    }
    expect(new Set(handles).size).toBe(1);
    expect(Buffer.from(handles[0] ?? '', 'base64url')).toHaveLength(32);
    const [bob, other] = [await registered('bob'), await registered('ann', authenticator, 'second')];
    expect(bob.handle).not.toBe(handles[0]);
    expect(other.handle).toBe(handles[0]);
  });

  test('is the same after a sign-up whose passkey was removed', async () => {
    const { request, options } = await start({ signup: true, variables: { name: 'eve' } });
    const { token } = await doors.signIn({ request, credential: authenticator.create(options).credential }, PASSKEY);
    const id = String(await doors.query('RETURN $auth', token));
    await doors.value('ACCESS passkey REVOKE ALL');
    await doors.value(`DEFINE ACCESS back ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM ${id})`);
    const back = await doors.signIn({}, { access: 'back' });
    const next = await start({ link: true }, { ...PASSKEY, token: back.token });
    expect(next.options.user?.id).toBe(options.user?.id);
  });
});

test('A42: the sessions of a passkey that is removed end, and those of others stay', async () => {
  const [one, two] = [await registered(), await registered()];
  const [first, second] = [(await signed(one)).token, (await signed(two)).token];
  const all = (await doors.query('ACCESS passkey SHOW ALL', second)) as { id: string; identity?: string }[];
  // Beside them are refresh tokens.
  const grants = all.filter(({ identity }) => identity !== undefined);
  expect(grants.map(({ identity }) => identity).sort()).toEqual([one.id, two.id].sort());
  doors.pass(1_000);
  const { id } = grants.find(({ identity }) => identity === one.id) ?? {};
  await doors.query(`ACCESS passkey REVOKE GRANT ${id}`, second);
  expect(await doors.query('RETURN $auth', first)).not.toBe('user:ann');
  expect(await doors.query('RETURN $auth', second)).toBe('user:ann');
  expect(await signed(one)).toMatchObject(refused);
  // The last way in stays.
  const { id: last } = grants.find(({ identity }) => identity === two.id) ?? {};
  await doors.query(`ACCESS passkey REVOKE GRANT ${last}`, second);
  expect((await signed(two)).token).toBeDefined();
});

test('the name of a passkey is one line of a hundred characters, or none', async () => {
  const named = async (name: unknown) => {
    const { request, options } = await start({ link: true }, { ...PASSKEY, token: await mayLink() });
    const { credential } = authenticator.create(options);
    const { token = '' } = await doors.signIn({ request, credential, name }, PASSKEY);
    strong.set('ann', token);
    const [shown] = (await doors.value(
      `RETURN access::identities(user:ann)[WHERE subject = '${String(credential['id'])}']`,
    )) as readonly { name?: string }[];
    return shown?.name;
  };
  expect(await named('My phone')).toBe('My phone');
  expect(await named('  a\u202e\nb  ')).toBe('a  b');
  expect(await named('x'.repeat(300))).toHaveLength(100);
  for (const none of ['', ' \n\u0000 ', 7, { name: 'x' }, null]) expect(await named(none)).toBeUndefined();
});

test('nothing that is shown of a passkey holds its key or its handle', async () => {
  const passkey = await registered();
  const { token } = await signed(passkey);
  for (const who of [token, undefined]) {
    const run = (text: string) => (who === undefined ? doors.value(text) : doors.query(text, who));
    const shown = JSON.stringify([
      await run('RETURN access::identities(user:ann)'),
      await run('ACCESS passkey SHOW ALL'),
    ]);
    expect(shown).toContain(passkey.id);
    expect(shown).not.toContain(passkey.handle);
    for (const member of ['counter', 'algorithm', 'handle', 'kept']) expect(shown).not.toContain(member);
  }
});
