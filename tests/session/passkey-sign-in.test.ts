/** Making passkeys, and signing in by them: DEFINE ACCESS … WITH PASSKEY. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { ED25519, ES256, type Options, RS256, SoftAuthenticator } from '../support/authenticator.js';
import { type Owned, openOwned } from '../support/owned.js';

const INVALID = { code: 'invalid_auth' };
const DATABASE = { NS: 'test', DB: 'test' };
const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const ORIGIN = 'https://shop.example';
const SCHEMA = `
  DEFINE CONFIG AUTH NAME 'The Shop';
  DEFINE TABLE user; DEFINE FIELD name ON user; DEFINE FIELD pass ON user;
  DEFINE ACCESS account ON DATABASE TYPE RECORD
    SIGNUP (CREATE user SET name = $name, pass = crypto::argon2::generate($pass))
    SIGNIN (SELECT * FROM user WHERE name = $name AND pass = $pass);
  DEFINE ACCESS passkey ON DATABASE TYPE RECORD
    SIGNUP (CREATE user SET name = $name) WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}' WITH REFRESH;
  DEFINE ACCESS soft ON DATABASE TYPE RECORD
    WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}' VERIFICATION PREFERRED;
  CREATE user:ann SET name = 'ann', pass = 'secret'; CREATE user:bob SET name = 'bob', pass = 'secret';
`;

let environment: Owned['environment'];
let database: Owned['database'];
let value: Owned['value'];
beforeEach(async () => {
  const delay = { minimum: 0, step: 1, maximum: 1 };
  ({ environment, database, value } = await openOwned({ authentication: { failureDelay: delay, startDelay: delay } }));
  await value(SCHEMA);
  strong = undefined;
});

const start = async (body: Record<string, Value>, session: Session = database.session({}), access = 'passkey') => {
  const { request, options } = await session.startSignIn({
    databasePath: { namespace: 'test', database: 'test' },
    access,
    body: objectFrom({ challenge: CHALLENGE, ...body }),
  });
  return { request, options: options as unknown as Options };
};

const signIn = async (body: Record<string, unknown>, access = 'passkey') => {
  const session = database.session({});
  await session.signIn(plain({ ...DATABASE, AC: access, ...body }) as ObjectValue);
  return session;
};

function plain(value: unknown): Value {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value as Value;
  return objectFrom(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])));
}

const byPassword = (name = 'ann') => signIn({ name, pass: 'secret' }, 'account');
const claims = (session: { identity: { token: Value } }) => session.identity.token as ObjectValue;

/** The session that Ann's last passkey has given. */
let strong: Session | undefined;

/** A session that may make a passkey: one that was proved by the last one, if there is one. */
const mayLink = async () => strong ?? (await byPassword());

/** Ann with a passkey. */
async function registered(authenticator = new SoftAuthenticator(ORIGIN), access = 'passkey', name?: string) {
  const { request, options } = await start({ link: true }, await mayLink(), access);
  const { passkey, credential } = authenticator.create(options);
  strong = await signIn({ request, credential, ...(name !== undefined && { name }) }, access);
  return { authenticator, passkey, options };
}

describe('a passkey', () => {
  test.each([ED25519, ES256, RS256])('is made and signs in without a name (%i)', async (algorithm) => {
    const { authenticator, passkey } = await registered(new SoftAuthenticator(ORIGIN, algorithm));
    const { request, options } = await start({});
    expect(options).toMatchObject({ rpId: 'shop.example', allowCredentials: [], userVerification: 'required' });
    const credential = authenticator.get(passkey, options);
    const session = await signIn({ request, credential });
    expect(session.identity.auth).toMatchObject({ table: 'user', key: 'ann' });
    expect(claims(session)).toMatchObject({
      amr: ['swk', 'user', 'mfa'],
      acr: 'aal2',
      auth_time: environment.seconds,
    });
    // The challenge counts once.
    await expect(signIn({ request, credential })).rejects.toMatchObject(INVALID);
  });

  test('is asked for by options that browsers take', async () => {
    const { options, passkey } = await registered();
    expect(options).toEqual({
      rp: { id: 'shop.example', name: 'The Shop' },
      user: { id: expect.stringMatching(/^[\w-]{43}$/), name: 'The Shop', displayName: 'The Shop' },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    });
    const again = await start({ link: true }, await mayLink());
    expect(again.options).toMatchObject({
      excludeCredentials: [{ type: 'public-key', id: passkey.id, transports: ['hybrid', 'internal'] }],
    });
  });

  test('is named, listed and removed with its sessions', async () => {
    const { authenticator, passkey } = await registered(undefined, 'passkey', ' Ann’s\u0007phone ');
    const { request, options } = await start({});
    const session = await signIn({ request, credential: authenticator.get(passkey, options) });
    const listed = { kind: 'passkey', access: 'passkey', subject: passkey.id, name: 'Ann’s phone' };
    expect(await value('RETURN access::identities(user:ann)')).toMatchObject([listed]);
    const [shown] = (await value('ACCESS passkey SHOW ALL')) as [ObjectValue];
    const shownToo = { type: 'passkey', identity: passkey.id, name: 'Ann’s phone' };
    const grants = (await value('ACCESS passkey SHOW WHERE type = "passkey"')) as ObjectValue[];
    expect(grants).toMatchObject([shownToo]);
    expect(JSON.stringify(shown)).not.toContain('challenge');
    environment.advance(5_000);
    await value(`ACCESS passkey REVOKE GRANT ${String(grants[0]?.['id'])}`);
    await expect(session.revalidate()).rejects.toMatchObject({ code: 'session_expired' });
    const again = await start({});
    const credential = authenticator.get(passkey, again.options);
    await expect(signIn({ request: again.request, credential })).rejects.toMatchObject(INVALID);
  });

  test('is a step for its record', async () => {
    const { authenticator, passkey } = await registered();
    const session = await byPassword();
    const { request, options } = await start({ step: true }, session);
    expect(options).toMatchObject({ allowCredentials: [{ id: passkey.id }] });
    // One that is asked for by its id needn't say whose it is.
    const credential = authenticator.get(passkey, options, { handle: undefined });
    const stepped = await signIn({ request, credential });
    expect(claims(stepped)).toMatchObject({ amr: ['pwd', 'swk', 'user', 'mfa'], acr: 'aal2' });
    expect(claims(session)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    await expect(start({ step: true }, await byPassword('bob'))).rejects.toMatchObject({ code: 'identity_missing' });
  });

  test('is made for the record that SIGNUP makes', async () => {
    const authenticator = new SoftAuthenticator(ORIGIN);
    const { request, options } = await start({ signup: true, variables: objectFrom({ name: 'eve' }) });
    expect(options).toMatchObject({ user: { name: 'eve', displayName: 'eve' } });
    const { passkey, credential } = authenticator.create(options);
    const session = await signIn({ request, credential });
    expect(claims(session)).toMatchObject({ amr: ['swk', 'user', 'mfa'], acr: 'aal2' });
    const back = await start({});
    const again = await signIn({ request: back.request, credential: authenticator.get(passkey, back.options) });
    expect(again.identity.auth).toEqual(session.identity.auth);
    // Its next one has the same handle.
    const second = await start({ link: true }, again);
    expect(second.options.user?.id).toBe(options.user?.id);
    await expect(start({ signup: true }, undefined, 'soft')).rejects.toMatchObject({ code: 'access_signup_missing' });
  });

  test('that is bound to its device, or has not verified its user, is worth less', async () => {
    const bound = await registered(new SoftAuthenticator(ORIGIN, ES256, ['UP', 'UV']));
    const one = await start({});
    const hard = await signIn({
      request: one.request,
      credential: bound.authenticator.get(bound.passkey, one.options),
    });
    expect(claims(hard)['amr']).toEqual(['hwk', 'user', 'mfa']);
    const touched = await registered(new SoftAuthenticator(ORIGIN, ES256, ['UP', 'BE']), 'soft');
    const two = await start({}, undefined, 'soft');
    expect(two.options).toMatchObject({ userVerification: 'preferred' });
    const credential = touched.authenticator.get(touched.passkey, two.options);
    const soft = await signIn({ request: two.request, credential }, 'soft');
    expect(claims(soft)).toMatchObject({ amr: ['swk'], acr: 'aal1' });
  });
});

test('a record has ten passkeys at most', async () => {
  for (let count = 0; count < 10; count++) await registered();
  expect(await value('RETURN count(access::identities(user:ann))')).toBe(10);
  const code = 'too_many_identities';
  await expect(start({ link: true }, await mayLink())).rejects.toMatchObject({ code });
});
