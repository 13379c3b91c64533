/**
 * A59: an access method whose way is another one now. What a record has proved by the former way counts for nothing: it
 * is no obstacle, no factor and no proof.
 */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/session/contract.js';
import { MemoryEngine } from '../../../src/storage/memory/memory.js';
import { parseJson } from '../../../src/value/codecs/json-parse.js';
import { type ObjectValue, objectFrom, type Value } from '../../../src/value/value.js';
import { failureOf } from '../../nodes/two-nodes.js';
import { type Options, SoftAuthenticator } from '../../support/authenticator.js';
import { totpCode } from '../../support/authenticator-app.js';
import { waitingMails } from '../../support/mailbox.js';
import { type Owned, openOwned } from '../../support/owned.js';

const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const AT_ONCE = { minimum: 0, step: 1, maximum: 1 };
const PLACE = { NS: 'test', DB: 'test' };
const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'shop@shop.example' SMTP 'smtps://mail.invalid'; DEFINE CONFIG AUTH NOTIFY NONE;
  DEFINE TABLE user; CREATE user:ann SET email = 'ann@x.example';
  DEFINE ACCESS password ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:ann)`;

/** By ways, the clauses of an access method `x`. */
const WAYS = {
  mail: 'SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE',
  passkey: "WITH PASSKEY DOMAIN 'shop.example' ORIGIN 'https://shop.example'",
  totp: 'WITH TOTP',
  recovery: 'WITH RECOVERY CODES 3',
} as const;
type Way = keyof typeof WAYS;
const NAMES = Object.keys(WAYS) as Way[];

const authenticator = new SoftAuthenticator('https://shop.example');
let store: MemoryEngine;
let owned: Owned;
beforeEach(async () => {
  store = new MemoryEngine();
  owned = await openOwned({ engine: store, authentication: { failureDelay: AT_ONCE, startDelay: AT_ONCE } });
  await owned.value(SCHEMA);
});
afterEach(() => owned.database.close());

const define = (way: Way) => owned.value(`DEFINE ACCESS OVERWRITE x ON DATABASE TYPE RECORD ${WAYS[way]}`);

async function signIn(access: string, variables: Readonly<Record<string, Value>> = {}): Promise<Session> {
  const session = owned.database.session({});
  await session.signIn(objectFrom({ ...PLACE, AC: access, ...variables }));
  return session;
}

function started(session: Session, body: Readonly<Record<string, Value>>) {
  const databasePath = { namespace: 'test', database: 'test' };
  return session.startSignIn({ databasePath, access: 'x', body: objectFrom({ challenge: CHALLENGE, ...body }) });
}

const plain = (credential: unknown): Value => parseJson(JSON.stringify(credential));

/** What proves a request, by the way. */
const PROOFS: Readonly<Record<Way, (shown: ObjectValue) => Promise<Readonly<Record<string, Value>>>>> = {
  mail: async () => ({ code: (await waitingMails(store)).at(-1)?.code }),
  passkey: async ({ options }) => {
    const { credential } = authenticator.create(options as unknown as Options);
    return { credential: plain(credential) };
  },
  totp: async ({ secret }) => ({ code: totpCode(secret as string, Math.floor(owned.environment.seconds / 30)) }),
  recovery: async ({ codes }) => ({ code: (codes as readonly string[])[0] }),
};

/** Adds a proof by the present way of `x` to the record of a session. */
async function linked(way: Way, session: Session): Promise<Session> {
  const { request, options, shown } = await started(session, {
    link: true,
    ...(way === 'mail' && { email: 'ann@x.example' }),
  });
  return signIn('x', { request, ...(await PROOFS[way](objectFrom({ ...(shown as object), options }))) });
}

describe.each(NAMES)('what was proved by %s', (former) => {
  test.each(NAMES.filter((way) => way !== former))('is no obstacle to %s, and no factor', async (way) => {
    await define(former);
    await linked(former, await signIn('password'));
    await define(way);
    const again = await linked(way, await signIn('password'));
    expect(again.identity.auth).toMatchObject({ key: 'ann' });
    const kinds = await owned.value('RETURN access::identities(user:ann).map(|$each| $each.kind)');
    expect(kinds).toContain(way);
    expect(await failureOf(() => signIn('password'))).toBe(way === 'totp' ? 'second_factor_required' : 'none');
  });
});

test('a record that had a passkey gets mails there', async () => {
  await define('passkey');
  await linked('passkey', await signIn('password'));
  await define('mail');
  const { request } = await started(owned.database.session({}), { email: 'ann@x.example' });
  const signedIn = await signIn('x', { request, code: (await waitingMails(store)).at(-1)?.code });
  expect(signedIn.identity.auth).toMatchObject({ key: 'ann' });
});

test('a way in that is gone doesn’t count beside the last one', async () => {
  await define('mail');
  await linked('mail', await signIn('password'));
  await owned.value('REMOVE ACCESS x ON DATABASE');
  await owned.value(`DEFINE ACCESS x ON DATABASE TYPE RECORD ${WAYS.passkey}`);
  const making = await started(await signIn('password'), { link: true });
  const { passkey, credential } = authenticator.create(making.options as unknown as Options);
  await signIn('x', { request: making.request, credential: plain(credential) });
  const signing = await started(owned.database.session({}), {});
  const signed = plain(authenticator.get(passkey, signing.options as unknown as Options));
  const session = await signIn('x', { request: signing.request, credential: signed });
  const [revoked] = await session.query(`ACCESS x REVOKE WHERE type = 'passkey'`);
  expect(revoked?.outcome).toMatchObject({ ok: false, error: { code: 'last_identity' } });
});
