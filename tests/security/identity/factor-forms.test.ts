/** Second factors in all their forms: what enrolling shows, what is no proof, and which proofs together are two (A44). */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Options, SoftAuthenticator } from '../../support/authenticator.js';
import { FactorDoors } from './factor-doors.js';
import { ALL_TRANSPORTS, type From, PLACE, WRONG } from './mail-doors.js';

const ORIGIN = 'https://shop.example';
const KEY = 'the key of another issuer, which is long enough for HS512 and no secret here';
const SCHEMA = `
  DEFINE ACCESS passkey ON DATABASE TYPE RECORD WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}';
  DEFINE ACCESS touched ON DATABASE TYPE RECORD
    WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}' VERIFICATION PREFERRED;
  DEFINE ACCESS app ON DATABASE TYPE RECORD WITH TOTP;
  DEFINE ACCESS foreign ON DATABASE TYPE RECORD WITH JWT ALGORITHM HS512 KEY '${KEY}';
`;

let factors: FactorDoors;
beforeEach(async () => {
  factors = await FactorDoors.open();
  await factors.doors.value(SCHEMA);
});
afterEach(() => factors.close());

const identities = () => factors.doors.value('RETURN access::identities(user:ann).map(|$each| $each.access)');
const byPassword = async () => (await factors.password()).token ?? '';

describe('enrolling an app', () => {
  test('names the account in it: by the address that was proved, that of the record, or the record', async () => {
    const account = async (token: string) => {
      const { uri } = (await factors.doors.start({ link: true }, { access: 'totp', token })).json() as { uri: string };
      return decodeURIComponent(new URL(uri).pathname);
    };
    const token = await byPassword();
    expect(await account(token)).toBe('/The Shop:ann@example.com');
    const byMail = await factors.doors.signedIn('bob@example.com');
    await factors.doors.value("UPDATE user:bob SET email = 'other@example.com'");
    expect(await account(byMail)).toBe('/The Shop:bob@example.com');
    await factors.doors.value("UPDATE user:ann SET email = 'no address'");
    expect(await account(token)).toBe('/The Shop:user:ann');
  });

  test.each(ALL_TRANSPORTS)('needs a right code, which is a text, over %s', async (transport) => {
    const { request, secret } = await factors.started({ link: true }, { access: 'totp', token: await byPassword() });
    const code = await factors.code(secret);
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    for (const shown of [wrong, Number(code), [code], null])
      expect(await factors.doors.signIn({ request, code: shown }, { access: 'totp' }, transport)).toMatchObject({
        error: WRONG,
        token: undefined,
      });
    expect(await identities()).toEqual([]);
    expect((await factors.complete(request, code, 'totp', transport)).token).toBeDefined();
    expect(await identities()).toEqual(['totp']);
  });

  test('that a sign-in owes is completed where its secret was made', async () => {
    const { due } = await factors.password({ access: 'strict' });
    expect(due?.enrol).toEqual(['app', 'totp']);
    const { request, secret } = await factors.started({ request: due?.request }, { access: 'totp' });
    expect((await factors.complete(request, await factors.code(secret), 'app')).error).toBe(WRONG);
    expect((await factors.complete(request, await factors.code(secret), 'recovery')).error).toBe(WRONG);
    expect((await factors.complete(request, await factors.code(secret), 'totp')).token).toBeDefined();
  });

  test.each(['totp', 'passkey'])('or asking for one at %s needs a request that owes it', async (access) => {
    const { doors } = factors;
    const other = await doors.begun({ email: 'ann@example.com' });
    await factors.enrolled();
    const owing = await factors.password();
    for (const request of ['r'.repeat(22), other.request, ...(access === 'passkey' ? [owing.due?.request] : [])]) {
      const refused = await doors.start({ request }, { access });
      expect([refused.statusCode, refused.json().error]).toEqual([401, 'invalid_auth']);
    }
    doors.pass(600_000);
    expect((await doors.start({ request: owing.due?.request }, { access })).statusCode).toBe(401);
  });
});

describe('recovery codes', () => {
  test('that are made again leave the former ones until one of them was typed', async () => {
    const { token } = await factors.enrolled();
    const [former = ''] = (await factors.recovery(token)).slice(1);
    const { request } = await factors.started({ link: true }, { access: 'recovery', token });
    for (const code of ['aaaa-bbbb-cccc-dddd', '', 7, null])
      expect((await factors.doors.signIn({ request, code }, { access: 'recovery' })).error).toBe(WRONG);
    const { due } = await factors.password();
    expect((await factors.complete(due?.request ?? '', former, 'recovery')).token).toBeDefined();
  });

  test('step a session up, once each', async () => {
    await factors.enrolled();
    const { token } = await factors.doors.signIn(
      { email: 'ann@example.com', password: 'correct horse battery' },
      { access: 'company' },
    );
    const step = await factors.doors.start({ step: true }, { access: 'recovery', token });
    expect(step.json().error).toBe('identity_missing');
    const whole = await factors.password();
    const { secret } = await enrolledAgain(whole.due?.request ?? '');
    const codes = await factors.recovery(secret);
    const { request } = await factors.started({ step: true }, { access: 'recovery', token });
    const higher = await factors.complete(request, codes[1] ?? '', 'recovery');
    expect(await factors.claims(higher.token)).toMatchObject({ amr: ['pwd', 'recovery'], acr: 'aal2', ac: 'company' });
    const again = await factors.started({ step: true }, { access: 'recovery', token });
    expect((await factors.complete(again.request, codes[1] ?? '', 'recovery')).error).toBe(WRONG);
  });

  /** A session with both proofs, of a record whose app is known to no one here. */
  async function enrolledAgain(request: string): Promise<{ secret: string }> {
    await factors.doors.value("ACCESS app LINK RECORD user:ann SUBJECT 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'");
    const { token } = await factors.complete(request, await factors.code('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'), 'app');
    return { secret: token ?? '' };
  }

  test('that are brought from elsewhere are digests, a hundred at most', async () => {
    const digest = 'A'.repeat(43);
    const texts = ['', 'abcd-efgh-ijkl-mnop', `${digest}=`, `${digest}  ${digest}`, `${digest} x`];
    for (const text of [...texts, Array.from({ length: 101 }, () => digest).join(' ')])
      await expect(factors.doors.value(`ACCESS recovery LINK RECORD user:ann SUBJECT '${text}'`)).rejects.toMatchObject(
        { code: 'subject_invalid' },
      );
    await factors.doors.value(`ACCESS recovery LINK RECORD user:ann SUBJECT '${digest} ${digest.toLowerCase()}'`);
    expect(await identities()).toEqual(['recovery']);
  });

  test('that are used up are in no export', async () => {
    const { token } = await factors.enrolled();
    const codes = await factors.recovery(token);
    const exported = async () => {
      let text = '';
      for await (const piece of factors.doors.owned.owner.export()) text += piece;
      return text;
    };
    expect(await exported()).toContain('ACCESS recovery ON DATABASE LINK');
    for (const code of codes) {
      const { due } = await factors.password();
      await factors.complete(due?.request ?? '', code, 'recovery');
    }
    expect(await exported()).not.toContain('ACCESS recovery ON DATABASE LINK');
    expect(await exported()).toContain('ACCESS totp ON DATABASE LINK');
  });
});

describe('two proofs of one kind are one factor (A44):', () => {
  test('a passkey that verifies no one, and an app', async () => {
    const authenticator = new SoftAuthenticator(ORIGIN, undefined, ['UP']);
    const asked = async (body: object, from: From) =>
      (await factors.doors.start({ ...body }, from)).json() as { request: string; options: Options };
    const { request, options } = await asked({ link: true }, { access: 'touched', token: await byPassword() });
    const { passkey, credential } = authenticator.create(options);
    const made = await factors.doors.signIn({ request, credential }, { access: 'touched' });
    const { secret } = await factors.enrolled('ann@example.com', made.token);
    const sign = await asked({}, { access: 'touched' });
    const shown = { request: sign.request, credential: authenticator.get(passkey, sign.options) };
    const half = await factors.doors.signIn(shown, { access: 'touched' });
    expect(half.due?.access).toEqual(['totp', 'touched']);
    const code = await factors.code(secret);
    expect((await factors.complete(half.due?.request ?? '', code)).error).toBe(WRONG);
    // After a password the same code makes two.
    const { due } = await factors.password();
    expect((await factors.complete(due?.request ?? '', await factors.nextCode(secret))).token).toBeDefined();
  });
});

describe('a session that another issuer has proved (A48)', () => {
  const foreign = () => {
    const { seconds } = factors.doors.owned.environment;
    const claims = { NS: 'test', DB: 'test', AC: 'foreign', ID: 'user:ann', iat: seconds, exp: seconds + 600 };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS512', typ: 'JWT' })}.${part({ ...claims, amr: ['hwk'], acr: 'aal2' })}`;
    return `${text}.${createHmac('sha512', KEY).update(text).digest('base64url')}`;
  };

  test('links no way, and steps up by no factor', async () => {
    const token = foreign();
    expect(await factors.doors.query('RETURN [$auth, $token.amr, $token.acr]', token)).toEqual([
      'user:ann',
      null,
      null,
    ]);
    await factors.doors.value("ACCESS totp LINK RECORD user:ann SUBJECT 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'");
    for (const [access, body] of [
      ['totp', { step: true }],
      ['recovery', { step: true }],
      ['mail', { link: true, email: 'eve@example.com' }],
      ['passkey', { link: true }],
    ] as const) {
      const { statusCode, body: text } = await factors.doors.start(body, { access, token });
      expect([access, statusCode, /recent_sign_in_required|second_factor_required/.test(text)]).toEqual([
        access,
        401,
        true,
      ]);
    }
  });

  test('stepped up by a mailbox is worth that proof alone', async () => {
    await factors.doors.signedIn();
    const { request, code } = await factors.doors.begun({ step: true }, { token: foreign() });
    const { token } = await factors.doors.signIn({ request, code });
    expect(await factors.claims(token)).toMatchObject({ amr: ['mail'], acr: 'aal1' });
  });
});

test('a passkey is begun without an address', async () => {
  const refused = await factors.doors.start({ email: 'ann@example.com' }, { access: 'passkey' });
  expect([refused.statusCode, refused.json().error]).toEqual([400, 'start_malformed']);
  const { error } = await factors.doors.startByRpc({ email: 'ann@example.com' }, { access: 'passkey' });
  expect(error?.['message']).toContain("'email' proves nothing here");
  expect((await factors.doors.inject('/signin', {}, { ...PLACE, AC: 'passkey', email: 'x' })).statusCode).toBe(401);
});
