/** Attacks on second factors: A43 to A47 and A49, over each transport. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toText } from '../../../src/value/text/text.js';
import { objectFrom } from '../../../src/value/value.js';
import { type Options, SoftAuthenticator } from '../../support/authenticator.js';
import { FactorDoors, PASSWORD } from './factor-doors.js';
import { ALL_TRANSPORTS, CHALLENGE, type From, PLACE, WRONG } from './mail-doors.js';

const DUE = 'A second factor is required';
const RECENT = 'This needs a sign-in of the last ten minutes: sign in again';
const LOCKED = 'Too many failed attempts to sign in. Try again later';

let factors: FactorDoors;
beforeEach(async () => {
  factors = await FactorDoors.open();
});
afterEach(() => factors.close());

describe('one of two proofs (A43)', () => {
  test.each(ALL_TRANSPORTS)('a password opens nothing over %s', async (transport) => {
    const { secret } = await factors.enrolled();
    const half = await factors.password({}, transport);
    expect(half).toMatchObject({ error: DUE, token: undefined, due: { access: ['totp'] } });
    expect(half.text).not.toMatch(/eyJ|surreal-refresh/);
    expect(half.text).not.toContain(secret);
    if (transport === 'HTTP') expect(half.status).toBe(401);
    const { request } = half.due as { request: string };
    // What names the request is no token, nor a code of anything.
    expect(await factors.doors.query('SELECT * FROM user', request)).not.toContain('ann');
    for (const variables of [{ code: request }, { request, code: request }, { refresh: request }])
      expect((await factors.doors.signIn(variables, { access: 'password' }, transport)).token).toBeUndefined();
    const whole = await factors.complete(request, await factors.code(secret), 'totp', transport);
    expect(whole.token).toBeDefined();
    expect(await factors.claims(whole.token)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2', ac: 'password' });
    expect((await factors.complete(request, await factors.nextCode(secret))).error).toBe(WRONG);
  });

  test('neither does a mail, a link, an invitation, a sign-up, nor a way that is added later', async () => {
    const { secret } = await factors.enrolled();
    const { doors } = factors;
    const mailed = await doors.begun({ email: 'ann@example.com' });
    const byCode = await doors.signIn({ request: mailed.request, code: mailed.code });
    expect(byCode).toMatchObject({ error: DUE, token: undefined, due: { access: ['totp'] } });
    doors.pass(60_000);
    const { link } = await doors.begun({ email: 'ann@example.com' });
    const byLink = await doors.signIn({ code: await doors.codeOf(link), verifier: 'v'.repeat(43) });
    expect(byLink).toMatchObject({ error: DUE, token: undefined });
    // The youngest mail is the one that is read.
    doors.pass(1_000);
    await doors.value('ACCESS mail GRANT FOR RECORD user:ann');
    const invited = (await doors.lastMail())?.link?.split('#')[1] ?? '';
    expect(await doors.signIn({ code: await doors.codeOf(invited) })).toMatchObject({ error: DUE, token: undefined });
    const signUp = await doors.inject('/signup', {}, { ...PLACE, AC: 'password' });
    expect(signUp.json()).toMatchObject({ information: DUE, error: 'second_factor_required' });
    await doors.value('DEFINE ACCESS later ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name)');
    await doors.value('UPDATE user:ann SET name = "ann"');
    expect(await doors.signIn({ name: 'ann' }, { access: 'later' })).toMatchObject({ error: DUE, token: undefined });
    expect(await doors.signIn({ email: 'ann@example.com' }, { access: 'account' })).toMatchObject({ error: DUE });
    // The newest request of a record from one source ends the ones before.
    const code = await factors.code(secret);
    expect((await factors.complete(byLink.due?.request ?? '', code)).error).toBe(WRONG);
    doors.pass(60_000);
    const last = await doors.begun({ email: 'ann@example.com' });
    const half = await doors.signIn({ request: last.request, code: last.code });
    const whole = await factors.complete(half.due?.request ?? '', await factors.code(secret));
    expect(await factors.claims(whole.token)).toMatchObject({ amr: ['mail', 'otp'], acr: 'aal2', ac: 'mail' });
  });

  test('an access method may be exempt, and others owe nothing', async () => {
    await factors.enrolled();
    const exempt = await factors.password({ access: 'company' });
    expect(await factors.claims(exempt.token)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    const bob = await factors.password({}, 'HTTP', 'bob@example.com');
    expect(bob.token).toBeDefined();
  });

  test('nothing opens by the second factor alone', async () => {
    const { secret } = await factors.enrolled();
    const code = await factors.code(secret);
    for (const variables of [{ code }, { code, email: 'ann@example.com' }, { request: 'x'.repeat(22), code }])
      expect(await factors.doors.signIn(variables, { access: 'totp' })).toMatchObject({ error: WRONG });
    expect((await factors.doors.start({}, { access: 'totp' })).json()).toMatchObject({ error: 'record_user_required' });
    expect((await factors.doors.inject('/signup', {}, { ...PLACE, AC: 'totp' })).statusCode).toBeGreaterThan(399);
  });

  test('AUTHENTICATE, lifetimes and refresh tokens are those of the first access method', async () => {
    const { secret } = await factors.enrolled();
    const { doors } = factors;
    const { due } = await factors.password();
    const code = await factors.code(secret);
    const answer = await doors.inject('/signin', {}, { ...PLACE, AC: 'totp', request: due?.request, code });
    const { token: pair } = answer.json() as { token: { access: string; refresh: string } };
    expect(pair.refresh).toContain('surreal-refresh');
    doors.pass(60_000);
    const refreshed = await doors.signIn({ refresh: pair.refresh }, { access: 'password' });
    expect(await factors.claims(refreshed.token)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2' });
    await doors.value(`DEFINE ACCESS closed ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM user WHERE email = $email AND password = $password) AUTHENTICATE { THROW 'closed' }`);
    const half = await factors.password({ access: 'closed' });
    const refused = await factors.complete(half.due?.request ?? '', await factors.nextCode(secret));
    expect(refused).toMatchObject({ token: undefined });
    expect(refused.error).toContain('closed');
  });
});

describe('proofs of others, and twice (A44)', () => {
  test('a request isn’t completed by another record, or by a factor that its record doesn’t have', async () => {
    await factors.enrolled();
    const eve = await factors.enrolled('bob@example.com');
    const { due } = await factors.password();
    expect((await factors.complete(due?.request ?? '', await factors.code(eve.secret))).error).toBe(WRONG);
    const mailed = await factors.doors.begun({ email: 'ann@example.com' });
    expect((await factors.doors.signIn({ request: due?.request, code: mailed.code })).error).toBe(WRONG);
  });

  test('no code counts twice, one after the other or at once', async () => {
    const { secret } = await factors.enrolled();
    const code = await factors.code(secret);
    const requests: string[] = [];
    for (let at = 0; at < 8; at++)
      requests.push((await factors.password({ ip: `192.0.2.${at + 10}` })).due?.request ?? '');
    const answers = await Promise.all(requests.map((request) => factors.complete(request, code)));
    expect(answers.filter(({ token }) => token !== undefined)).toHaveLength(1);
  });

  test('a recovery code is good once, at once too, and new ones replace the old', async () => {
    const { token } = await factors.enrolled();
    const [first = '', second = '', third = ''] = await factors.recovery(token);
    const requests: string[] = [];
    for (let at = 0; at < 4; at++)
      requests.push((await factors.password({ ip: `192.0.2.${at + 10}` })).due?.request ?? '');
    const answers = await Promise.all(requests.map((request) => factors.complete(request, first, 'recovery')));
    const [whole, ...others] = answers.filter(({ token: found }) => found !== undefined);
    expect(others).toEqual([]);
    expect(await factors.claims(whole?.token)).toMatchObject({ amr: ['pwd', 'recovery'], acr: 'aal2' });
    factors.doors.pass(3_600_000);
    const half = await factors.password();
    const again = await factors.complete(
      half.due?.request ?? '',
      second.toUpperCase().replaceAll('-', ' '),
      'recovery',
    );
    expect(again.token).toBeDefined();
    const [fresh = ''] = await factors.recovery(again.token ?? '');
    const later = await factors.password();
    expect((await factors.complete(later.due?.request ?? '', third, 'recovery')).error).toBe(WRONG);
    expect((await factors.complete(later.due?.request ?? '', fresh, 'recovery')).token).toBeDefined();
  });

  test('codes that are used up, and an access method that is gone, complete nothing', async () => {
    const { token, secret } = await factors.enrolled();
    for (const code of await factors.recovery(token)) {
      const { due } = await factors.password();
      expect(due?.access).toEqual(['recovery', 'totp']);
      expect((await factors.complete(due?.request ?? '', code, 'recovery')).token).toBeDefined();
    }
    const { due } = await factors.password();
    expect(due?.access).toEqual(['totp']);
    await factors.doors.value('DEFINE ACCESS OVERWRITE password ON DATABASE TYPE JWT URL "https://x.example/keys"');
    expect((await factors.complete(due?.request ?? '', await factors.code(secret))).error).toBe(WRONG);
  });
});

describe('guessing (A45)', () => {
  test('wrong codes for a record that is gone don’t count for a later one of its id', async () => {
    const { doors } = factors;
    await factors.enrolled();
    const { due } = await factors.password();
    await doors.value(`DELETE user:ann; CREATE user:ann SET email = 'ann@example.com', password = '${PASSWORD}'`);
    const { secret } = await factors.enrolled();
    for (let at = 0; at < 5; at++) expect((await factors.complete(due?.request ?? '', '000000')).error).toBe(WRONG);
    const half = await factors.password();
    expect((await factors.complete(half.due?.request ?? '', await factors.code(secret))).token).toBeDefined();
  });

  test('wrong codes lock the record on all ways, whatever first proof was right in between', async () => {
    const { token, secret } = await factors.enrolled();
    const [spare = ''] = await factors.recovery(token);
    const { doors } = factors;
    for (let at = 0; at < 5; at++) {
      const { due } = await factors.password({ ip: `192.0.2.${at + 10}` });
      expect((await factors.complete(due?.request ?? '', '000000')).error).toBe(WRONG);
    }
    const half = await factors.password();
    expect((await factors.complete(half.due?.request ?? '', await factors.code(secret))).error).toBe(LOCKED);
    expect((await factors.complete(half.due?.request ?? '', spare, 'recovery')).error).toBe(LOCKED);
    const mailed = await doors.begun({ email: 'ann@example.com' });
    const byMail = await doors.signIn({ request: mailed.request, code: mailed.code });
    expect((await factors.complete(byMail.due?.request ?? '', await factors.code(secret))).error).toBe(LOCKED);
    const step = await factors.started({ step: true }, { access: 'totp', token });
    expect((await factors.complete(step.request, await factors.code(secret))).error).toBe(LOCKED);
    // Others aren't locked, and the record isn't for long.
    expect((await factors.password({}, 'HTTP', 'bob@example.com')).token).toBeDefined();
    doors.pass(60_000);
    const later = await factors.password();
    expect((await factors.complete(later.due?.request ?? '', await factors.nextCode(secret))).token).toBeDefined();
  });

  test('fifty at once get five tries', async () => {
    const { secret } = await factors.enrolled();
    const { due } = await factors.password();
    const right = await factors.code(secret);
    const guesses = Array.from({ length: 50 }, (_, at) => String(at).padStart(6, '0')).filter((code) => code !== right);
    const answers = await Promise.all(guesses.map((code) => factors.complete(due?.request ?? '', code)));
    expect(answers.every(({ token }) => token === undefined)).toBe(true);
    expect((await factors.complete(due?.request ?? '', right)).token).toBeUndefined();
    const next = await factors.password();
    expect((await factors.complete(next.due?.request ?? '', right)).error).toBe(LOCKED);
  });
});

describe('changing factors (A46)', () => {
  test('needs a recent sign-in, and both factors where there are two', async () => {
    const low = (await factors.password()).token;
    const { token, secret } = await factors.enrolled();
    const { doors } = factors;
    const id = await factors.identity('totp');
    for (const [access, body] of [
      ['totp', {}],
      ['recovery', {}],
      ['mail', { email: 'eve@example.com' }],
    ] as const) {
      const begun = await doors.start({ ...body, link: true }, { access, token: low });
      expect(begun.json()).toMatchObject({ error: 'second_factor_required', access: ['totp'] });
      const params = [{ ...PLACE, AC: access, challenge: CHALLENGE, link: true, ...body }];
      const byRpc = await factors.rpc('auth_start', params, { token: low });
      expect(byRpc.json()).toMatchObject({ error: { message: DUE } });
    }
    expect(await doors.query(`ACCESS totp REVOKE GRANT ${id}`, low)).toBe(DUE);
    expect(await doors.query('ACCESS totp REVOKE ALL', low)).toBe(DUE);
    doors.pass(601_000);
    expect((await doors.start({ link: true }, { access: 'totp', token })).json()).toMatchObject({
      information: RECENT,
    });
    expect(await doors.query(`ACCESS totp REVOKE GRANT ${id}`, token)).toBe(RECENT);
    const whole = await factors.both(secret);
    expect(await doors.query(`ACCESS totp REVOKE GRANT ${id}`, whole)).toMatchObject({ id });
    expect((await factors.password()).token).toBeDefined();
  });

  test('a request that a session began before there was a second factor adds nothing after', async () => {
    const low = (await factors.password()).token;
    const { doors } = factors;
    const own = await factors.started({ link: true }, { access: 'totp', token: low });
    const mailed = await doors.begun({ email: 'eve@example.com', link: true }, { token: low });
    const recovery = await factors.started({ link: true }, { access: 'recovery', token: low });
    const { secret } = await enrolledBy(low ?? '', own);
    expect(await doors.signIn({ request: mailed.request, code: mailed.code })).toMatchObject({ error: WRONG });
    expect((await factors.complete(recovery.request, recovery.codes[0] ?? '', 'recovery')).error).toBe(WRONG);
    // The app that counts is replaced by another with both proofs alone.
    const whole = await factors.both(secret);
    const next = await factors.started({ link: true }, { access: 'totp', token: whole });
    expect((await factors.complete(next.request, await factors.code(next.secret))).token).toBeDefined();
    const { due } = await factors.password();
    expect((await factors.complete(due?.request ?? '', await factors.nextCode(secret))).error).toBe(WRONG);
    expect((await factors.complete(due?.request ?? '', await factors.nextCode(next.secret))).token).toBeDefined();
  });

  const enrolledBy = async (_: string, { request, secret }: { request: string; secret: string }) => {
    const { error } = await factors.complete(request, await factors.code(secret));
    if (error !== undefined) throw new Error(error);
    return { secret };
  };

  test('no session of another adds one, nor does one that has ended', async () => {
    const ann = (await factors.password()).token ?? '';
    const { request, secret } = await factors.started({ link: true }, { access: 'totp', token: ann });
    await factors.doors.query('KILL SESSIONS', ann);
    expect((await factors.complete(request, await factors.code(secret))).error).toBe(WRONG);
    expect((await factors.doors.start({ link: true }, { access: 'totp' })).statusCode).toBe(401);
    expect(await factors.doors.value('RETURN access::identities(user:ann)')).toEqual([]);
  });

  test('no code that is stored, and none within an expression, changes them', async () => {
    const { token } = await factors.enrolled();
    const { doors } = factors;
    for (const change of ['ACCESS totp REVOKE ALL', "ACCESS totp LINK RECORD user:ann SUBJECT 'x'"]) {
      for (const stored of [
        `DEFINE API '/change' FOR post THEN { ${change} }`,
        `DEFINE FUNCTION fn::change() { ${change} } PERMISSIONS FULL`,
        `DEFINE EVENT change ON user THEN { ${change} }`,
        `RETURN { ${change} }`,
        `SELECT (${change}) FROM user`,
        `{ ${change} }`,
      ])
        for (const run of [() => doors.value(stored), () => doors.query(stored, token).then(refusedBy)])
          await expect(run()).rejects.toThrow(/Parse error|not enough permissions/i);
    }
    expect(await doors.value('RETURN access::identities(user:ann).map(|$each| $each.kind)')).toEqual(['totp']);
  });

  const refusedBy = (told: unknown) => {
    throw new Error(JSON.stringify(told));
  };

  test('each change is mailed to the address that was proved', async () => {
    const { doors } = factors;
    const byMail = await doors.signedIn();
    const { request, secret } = await factors.started({ link: true }, { access: 'totp', token: byMail });
    await factors.complete(request, await factors.code(secret));
    expect((await doors.lastMail())?.subject).toBe('A second factor was added at The Shop');
    doors.pass(30_000);
    await doors.value('ACCESS totp REVOKE ALL');
    expect((await doors.lastMail())?.subject).toBe('A second factor was removed at The Shop');
  });

  test('the last way in can’t be removed, and a second factor is none', async () => {
    const { doors } = factors;
    const byMail = await doors.signedIn();
    const { request, secret } = await factors.started({ link: true }, { access: 'totp', token: byMail });
    const { token } = await factors.complete(request, await factors.code(secret));
    expect(await doors.query('ACCESS mail REVOKE ALL', token)).toContain('the last way to sign in');
  });

  test('an owner can’t enrol for others, and secrets are shown to no one', async () => {
    const { secret, token } = await factors.enrolled();
    const codes = await factors.recovery(token);
    const { doors } = factors;
    await expect(doors.value('ACCESS totp GRANT FOR RECORD user:ann')).rejects.toMatchObject({
      code: 'access_method_mismatch',
    });
    const statements = ['ACCESS totp SHOW ALL', 'ACCESS recovery SHOW ALL', 'RETURN access::identities(user:ann)'];
    await doors.value("CREATE user:cat SET email = 'cat@example.com'");
    const linked = toText(await doors.value(`ACCESS totp LINK RECORD user:cat SUBJECT '${secret}'`));
    expect(linked).not.toContain(secret);
    for (const statement of [...statements, 'INFO FOR DB', 'INFO FOR DB STRUCTURE', 'SELECT * FROM user']) {
      const shown = toText(await doors.value(statement));
      expect(shown).not.toContain(secret);
      for (const code of codes) expect(shown).not.toContain(code);
    }
  });
});

describe('an export', () => {
  const exported = async () => {
    const pieces: string[] = [];
    for await (const piece of factors.doors.owned.owner.export()) pieces.push(piece);
    return pieces.join('');
  };

  test('of an owner has the secrets and digests of codes, and what is imported is owed', async () => {
    const { secret, token } = await factors.enrolled();
    const codes = await factors.recovery(token);
    const text = await exported();
    expect(text).toContain(`ACCESS totp ON DATABASE LINK RECORD user:ann SUBJECT '${secret}';`);
    for (const code of codes) expect(text).not.toContain(code);
    const other = await FactorDoors.open();
    try {
      await other.doors.value('REMOVE ACCESS totp ON DATABASE; REMOVE ACCESS recovery ON DATABASE');
      const links = text.match(/^(DEFINE ACCESS (totp|recovery)|ACCESS \w+ ON DATABASE LINK RECORD) .*;$/gm) ?? [];
      await other.doors.value(links.join('\n'));
      const { due } = await other.password();
      expect(due?.access).toEqual(['recovery', 'totp']);
      expect((await other.complete(due?.request ?? '', await other.code(secret))).token).toBeDefined();
      const again = await other.password();
      expect((await other.complete(again.due?.request ?? '', codes[0] ?? '', 'recovery')).token).toBeDefined();
    } finally {
      await other.close();
    }
  });

  test('of others has none, and none of it is linked by others', async () => {
    const { secret, token } = await factors.enrolled();
    const { doors } = factors;
    await doors.value('DEFINE USER editor ON DATABASE PASSWORD "editor of this" ROLES EDITOR');
    const session = doors.owned.database.session({});
    await session.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'editor', pass: 'editor of this' }));
    const pieces: string[] = [];
    try {
      for await (const piece of session.export()) pieces.push(piece);
    } catch {
      // It may not export at all.
    }
    expect(pieces.join('')).not.toContain(secret);
    const link = `ACCESS totp LINK RECORD user:bob SUBJECT '${secret}'`;
    expect(await doors.query(link, token)).toContain('Not enough permissions');
    const [{ outcome } = { outcome: undefined }] = await session.query(link);
    expect(outcome).toMatchObject({ ok: false });
  });
});

describe('SECOND FACTOR ALWAYS', () => {
  test('lets a record without one enrol, and do nothing else', async () => {
    const half = await factors.password({ access: 'strict' });
    expect(half).toMatchObject({ error: DUE, token: undefined, due: { access: [], enrol: ['totp'] } });
    const { request = '' } = half.due ?? {};
    expect((await factors.complete(request, '000000')).error).toBe(WRONG);
    const begun = await factors.started({ request }, { access: 'totp' });
    expect(begun.request).toBe(request);
    const whole = await factors.complete(request, await factors.code(begun.secret));
    expect(await factors.claims(whole.token)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2', ac: 'strict' });
    expect((await factors.complete(request, await factors.nextCode(begun.secret))).error).toBe(WRONG);
    const again = await factors.password({ access: 'strict' });
    expect(again.due).toMatchObject({ access: ['totp'] });
    expect(again.due?.enrol).toBeUndefined();
  });

  test('isn’t a way to a factor for a record that has one, or gets one meanwhile', async () => {
    const early = await factors.password({ access: 'strict' });
    const { request = '' } = early.due ?? {};
    const begun = await factors.started({ request }, { access: 'totp' });
    const { secret } = await factors.enrolled();
    expect((await factors.complete(request, await factors.code(begun.secret))).error).toBe(WRONG);
    const { due } = await factors.password({ access: 'strict' });
    const refused = await factors.doors.start({ request: due?.request }, { access: 'totp' });
    expect(refused.json()).toMatchObject({ error: 'invalid_auth' });
    expect((await factors.complete(due?.request ?? '', await factors.nextCode(secret))).token).toBeDefined();
  });
});

describe('a passkey', () => {
  const ORIGIN = 'https://shop.example';
  const PASSKEY = { access: 'passkey' };

  const withPasskey = async (email: string, ip: string) => {
    const { token } = await factors.password({ ip }, 'HTTP', email);
    const begun = await asked({ link: true }, { ...PASSKEY, token, ip });
    const authenticator = new SoftAuthenticator(ORIGIN);
    const { passkey, credential } = authenticator.create(begun.options);
    const made = await factors.doors.signIn({ request: begun.request, credential }, PASSKEY);
    if (made.error !== undefined) throw new Error(made.text);
    return { authenticator, passkey, token: made.token };
  };

  const asked = async (body: Record<string, unknown>, from: From) => {
    const answer = await factors.doors.start(body, from);
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return answer.json() as { readonly request: string; readonly options: Options };
  };

  beforeEach(() =>
    factors.doors.value(
      `DEFINE ACCESS passkey ON DATABASE TYPE RECORD WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}'`,
    ),
  );

  test('completes a sign-in that owes a second proof, once, and only its own', async () => {
    const ann = await withPasskey('ann@example.com', '192.0.2.7');
    await factors.enrolled('ann@example.com', ann.token);
    const { due } = await factors.password();
    expect(due?.access).toEqual(['passkey', 'totp']);
    const { request, options } = await asked({ request: due?.request }, PASSKEY);
    expect(request).toBe(due?.request);
    const credential = ann.authenticator.get(ann.passkey, options);
    const whole = await factors.doors.signIn({ request, credential }, PASSKEY);
    expect(await factors.claims(whole.token)).toMatchObject({ amr: ['pwd', 'swk', 'user', 'mfa'], acr: 'aal2' });
    expect(await factors.claims(whole.token)).toMatchObject({ ac: 'password' });
    expect((await factors.doors.signIn({ request, credential }, PASSKEY)).error).toBe(WRONG);
  });

  test('of another record, or that was not asked for, completes nothing and ends no count', async () => {
    const bob = await withPasskey('bob@example.com', '192.0.2.8');
    const { token } = await withPasskey('ann@example.com', '192.0.2.7');
    const { secret } = await factors.enrolled('ann@example.com', token);
    for (let at = 0; at < 4; at++) {
      const { due } = await factors.password({ ip: `192.0.2.${at + 10}` });
      await factors.complete(due?.request ?? '', '000000');
    }
    const first = await factors.password();
    const unasked = bob.authenticator.get(bob.passkey, { challenge: '', rpId: 'shop.example' } as Options);
    const { request = '' } = first.due ?? {};
    expect((await factors.doors.signIn({ request, credential: unasked }, PASSKEY)).error).toBe(WRONG);
    const { due } = await factors.password({ ip: '192.0.2.40' });
    const begun = await asked({ request: due?.request }, PASSKEY);
    const foreign = bob.authenticator.get(bob.passkey, begun.options);
    const locked = await factors.doors.signIn({ request: begun.request, credential: foreign }, PASSKEY);
    expect(locked.error).toBe(LOCKED);
    expect((await factors.complete(request, await factors.code(secret))).error).toBe(LOCKED);
  });

  test('guards the ways of its record against a password', async () => {
    await withPasskey('ann@example.com', '192.0.2.7');
    const { token } = await factors.password();
    for (const access of ['passkey', 'totp', 'recovery', 'mail']) {
      const begun = await factors.doors.start({ link: true, email: 'eve@example.com' }, { access, token });
      expect(begun.json()).toMatchObject({ error: 'second_factor_required', access: ['passkey'] });
    }
    expect(await factors.doors.query('ACCESS passkey REVOKE ALL', token)).toBe(DUE);
  });

  test('is a factor where ALWAYS asks for one, so that a password adds none', async () => {
    await withPasskey('ann@example.com', '192.0.2.7');
    const { due } = await factors.password({ access: 'strict' });
    expect(due).toMatchObject({ access: ['passkey'] });
    expect(due?.enrol).toBeUndefined();
    const refused = await factors.doors.start({ request: due?.request }, { access: 'totp' });
    expect(refused.json()).toMatchObject({ error: 'invalid_auth' });
  });
});

describe('a reset (A47)', () => {
  test('by mail asks for the second factor, and ends what was begun', async () => {
    const { secret } = await factors.enrolled();
    const { doors } = factors;
    const half = await factors.password();
    await doors.value('UPDATE user:ann SET password = "another"');
    expect((await factors.complete(half.due?.request ?? '', await factors.nextCode(secret))).error).toBe(WRONG);
    const mailed = await doors.begun({ email: 'ann@example.com' });
    const reset = await doors.signIn({ request: mailed.request, code: mailed.code });
    expect(reset).toMatchObject({ error: DUE, token: undefined });
  });

  test('a SIGNIN that ends other sessions leaves the request that it begins', async () => {
    const { secret } = await factors.enrolled();
    await factors.doors.value(`DEFINE ACCESS single ON DATABASE TYPE RECORD SIGNIN {
      LET $user = (SELECT VALUE id FROM ONLY user WHERE email = $email AND password = $password LIMIT 1);
      KILL SESSIONS FOR RECORD $user; RETURN $user }`);
    const half = await factors.password({ access: 'single' });
    const whole = await factors.complete(half.due?.request ?? '', await factors.code(secret));
    expect(whole.token).toBeDefined();
  });

  test('a record that is made again owes what it has enrolled itself', async () => {
    const { secret } = await factors.enrolled();
    const half = await factors.password();
    await factors.doors.value(`DELETE user:ann`);
    await factors.doors.value(`CREATE user:ann SET email = 'ann@example.com', password = '${PASSWORD}'`);
    expect((await factors.complete(half.due?.request ?? '', await factors.code(secret))).error).toBe(WRONG);
    expect((await factors.password()).token).toBeDefined();
  });
});

describe('a step (A49)', () => {
  test('raises the new token alone', async () => {
    const { secret } = await factors.enrolled();
    const { doors } = factors;
    const low = (await factors.password({ access: 'company' })).token;
    expect(await doors.query('CREATE payment', low)).toEqual([]);
    const { request } = await factors.started({ step: true }, { access: 'totp', token: low });
    const { token: high } = await factors.complete(request, await factors.code(secret));
    expect(await factors.claims(high)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2', ac: 'company' });
    expect(await doors.query('CREATE payment', high)).toHaveLength(1);
    expect(await factors.claims(low)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    expect(await doors.query('CREATE payment', low)).toEqual([]);
    expect((await factors.complete(request, await factors.nextCode(secret))).error).toBe(WRONG);
  });

  test('needs a factor of the record, and a session that was proved here', async () => {
    const low = (await factors.password()).token;
    expect((await factors.doors.start({ step: true }, { access: 'totp', token: low })).json()).toMatchObject({
      error: 'identity_missing',
    });
    expect((await factors.doors.start({ step: true }, { access: 'totp' })).json()).toMatchObject({
      error: 'record_user_required',
    });
  });
});
