/** Whose record a sign-in at a provider is for: A11 to A17, word by word. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHALLENGE, ProviderWorld, REDIRECT, VERIFIER } from './provider-world.js';

let world: ProviderWorld;
beforeEach(async () => {
  world = await ProviderWorld.open();
});
afterEach(() => world.close());

const ANN = { sub: 'ann-1', email: 'ann@example.com', email_verified: true, name: 'Ann' };
const CORP = { access: 'corp' };
const atCorp = (over: object = {}) => ({ access: 'corp', provider: world.corp, ...over });

describe('an address that the provider vouches for', () => {
  test('leads to the record that has proved it by mail, whose owner gets a notice', async () => {
    await world.value("CREATE user:ann SET email = 'ann@example.com'");
    await world.byMail('ann@example.com');
    const signed = await world.signIn(ANN, atCorp());
    expect(signed.id).toBe('user:ann');
    expect(await world.notices()).toEqual(['ann@example.com']);
    expect(await world.identities('user:ann')).toMatchObject([
      { access: 'corp', kind: 'oidc', issuer: 'https://corp.example', subject: 'ann-1' },
      { access: 'mail', subject: 'ann@example.com' },
    ]);
    // From now on the subject counts, whatever its address is.
    expect((await world.signIn({ sub: 'ann-1' }, atCorp())).id).toBe('user:ann');
  });

  test('leads to the record that has proved it at another provider with the clause', async () => {
    const first = await world.signIn(ANN);
    expect((await world.signIn({ ...ANN, sub: 'other' }, atCorp())).id).toBe(first.id);
  });

  test('of a record that has proved it at the same access method alone: it isn’t linked', async () => {
    await world.signIn(ANN);
    expect(await world.refusal({ ...ANN, sub: 'ann-2' })).toMatch(/^409 There is an account with this address/);
  });

  test('that a field has, proves nothing, but its owner gets a notice (A13)', async () => {
    await world.value("CREATE user:eve SET email = 'ann@example.com', name = 'eve'");
    expect(await world.refusal(ANN)).toMatch(/^409 There is an account/);
    expect(await world.refusal(ANN, atCorp())).toBe('401 There was a problem with authentication');
    expect(await world.identities('user:eve')).toEqual([]);
  });

  test('that two records have proved leads to neither', async () => {
    await world.value("CREATE user:a SET email = 'ann@example.com'; CREATE user:b");
    await world.byMail('ann@example.com');
    await world.value("ACCESS corp LINK RECORD user:b SUBJECT 'b-1'");
    // At its own provider, so that the other record has the address, too.
    await world.signIn({ sub: 'b-1', email: 'ann@example.com', email_verified: true }, atCorp());
    expect(await world.refusal(ANN)).not.toBe('signed in');
  });

  test.each([false, undefined, 'true', 1, null, {}])('isn’t one if email_verified is %j (A12)', async (verified) => {
    await world.value("CREATE user:ann SET email = 'ann@example.com'");
    await world.byMail('ann@example.com');
    const person = { ...ANN, email_verified: verified };
    expect(await world.refusal(person, atCorp())).toBe('401 There was a problem with authentication');
    const signed = await world.signIn(person);
    expect(signed.id).not.toBe('user:ann');
    expect(await world.value(`RETURN (SELECT VALUE email FROM ONLY ${signed.id})`)).toBeUndefined();
  });

  test('of a record that is gone proves nothing, and signs up', async () => {
    await world.value("CREATE user:ann SET email = 'ann@example.com'");
    await world.byMail('ann@example.com');
    await world.value("DELETE user:ann; CREATE user:ann SET name = 'another'");
    const signed = await world.signIn(ANN);
    expect(signed.id).not.toBe('user:ann');
    expect(await world.query('RETURN $auth.email', signed.token)).toBe('ann@example.com');
  });

  test('of a way that has gone proves nothing', async () => {
    await world.value("CREATE user:ann SET email = 'ann@example.com'");
    await world.byMail('ann@example.com');
    await world.value('REMOVE ACCESS mail ON DATABASE');
    expect(await world.refusal(ANN, atCorp())).toBe('401 There was a problem with authentication');
  });
});

describe('pre-hijacking (A13): an account that a stranger made with the address', () => {
  const hijackers: Readonly<Record<string, () => Promise<unknown>>> = {
    password: async () =>
      world.inject('POST', '/signup', { NS: 'test', DB: 'test', AC: 'account', email: 'ann@example.com', name: 'eve' }),
    provider: () => world.signIn({ sub: 'eve', email: 'ann@example.com', email_verified: false }, { access: 'plain' }),
    // By the stranger's own mailbox, with the address of the victim in a field.
    mail: async () => {
      await world.value("CREATE user:eve SET email = 'eve@example.com'");
      const { token } = await world.byMail('eve@example.com');
      await world.query("UPDATE user:eve SET email = 'ann@example.com'", token);
    },
  };

  test.each(Object.keys(hijackers))('by %s is never shared', async (way) => {
    await hijackers[way]?.();
    const strangers = (await world.value('SELECT VALUE id FROM user')) as unknown[];
    expect(strangers).toHaveLength(1);
    const refused = await world.refusal(ANN);
    const signed = refused === 'signed in' ? await world.signIn(ANN) : undefined;
    expect(String(strangers[0])).not.toBe(signed?.id);
  });

  test('is removed by SIGNUP, and its sessions end', async () => {
    await world.value(`
      DEFINE ACCESS OVERWRITE id ON DATABASE TYPE RECORD SIGNUP {
        DELETE user WHERE email = $identity.email AND array::is_empty(access::identities(id));
        RETURN CREATE ONLY user SET email = $identity.email;
      } WITH OIDC ISSUER 'https://id.example' CLIENT 'the-shop' SECRET 'a secret of the client'`);
    const answer = await world.inject('POST', '/signup', {
      NS: 'test',
      DB: 'test',
      AC: 'account',
      email: 'ann@example.com',
      name: 'eve',
    });
    const stranger = answer.json().token as string;
    expect(await world.query('RETURN $auth.email', stranger)).toBe('ann@example.com');
    const signed = await world.signIn(ANN);
    expect(await world.query('RETURN $auth.email', signed.token)).toBe('ann@example.com');
    expect(await world.query('RETURN $auth.email', stranger)).not.toBe('ann@example.com');
  });
});

describe('SIGNUP', () => {
  test('that answers a record that exists is refused, and the log says so', async () => {
    await world.value(`
      CREATE user:bob;
      DEFINE ACCESS OVERWRITE id ON DATABASE TYPE RECORD SIGNUP (UPDATE ONLY user:bob SET name = $identity.name)
        WITH OIDC ISSUER 'https://id.example' CLIENT 'the-shop' SECRET 'a secret of the client'`);
    expect(await world.refusal(ANN)).toMatch(/signup query failed/);
    expect(await world.identities('user:bob')).toEqual([]);
    expect(await world.value('RETURN user:bob.name')).toBeUndefined();
  });

  test.each(['NONE', 'user:missing', '{ LET $made = (CREATE ONLY user); DELETE $made.id; RETURN $made.id }'])(
    'that answers no record signs no one up: %s',
    async (clause) => {
      await world.value(`DEFINE ACCESS OVERWRITE id ON DATABASE TYPE RECORD SIGNUP (${clause})
        WITH OIDC ISSUER 'https://id.example' CLIENT 'the-shop' SECRET 'a secret of the client'`);
      expect(await world.refusal(ANN)).toMatch(/^401|signup query failed|No record was returned/);
      expect(await world.value('SELECT * FROM user')).toEqual([]);
      expect(await world.value('ACCESS id SHOW ALL')).toEqual([]);
    },
  );

  test('sees what the provider said, whatever the client sends (A14)', async () => {
    for (const variables of [{ identity: { subject: 'bob' } }, { email: 'bob@example.com' }])
      expect((await world.start({ variables })).statusCode).toBe(400);
    const code = await world.code(ANN, { body: { variables: { claims: 'mine', subject: 'bob', name: 'Bob' } } });
    const answer = await world.redeem({ code, verifier: VERIFIER, identity: { email: 'bob@example.com' }, email: 'x' });
    expect(answer.statusCode).toBe(200);
    expect(await world.value('SELECT VALUE [email, subject, name] FROM user')).toEqual([
      ['ann@example.com', 'ann-1', 'Ann'],
    ]);
  });
});

describe('a subject', () => {
  test('of another issuer is another one (A11)', async () => {
    await world.value("CREATE user:corp; ACCESS corp LINK RECORD user:corp SUBJECT 'ann-1'");
    expect((await world.signIn({ sub: 'ann-1' })).id).not.toBe('user:corp');
    expect((await world.signIn({ sub: 'ann-1' }, atCorp())).id).toBe('user:corp');
    // The definition gets another issuer: subjects of the former one count no more.
    await world.value(`DEFINE ACCESS OVERWRITE corp ON DATABASE TYPE RECORD
      WITH OIDC ISSUER 'https://id.example' CLIENT 'the-shop' SECRET 'a secret of the client'`);
    expect(await world.refusal({ sub: 'ann-1' }, CORP)).toMatch(/^401/);
  });

  test('is compared octet by octet', async () => {
    const first = await world.signIn({ sub: 'Ann' });
    const others = [await world.signIn({ sub: 'ann' }), await world.signIn({ sub: 'Ann ' })];
    expect(others.map(({ id }) => id)).not.toContain(first.id);
  });

  test('of a record that was deleted and made again is no record’s (A17)', async () => {
    await world.value("CREATE user:ann; ACCESS corp LINK RECORD user:ann SUBJECT 'ann-1'");
    const before = await world.signIn({ sub: 'ann-1' }, atCorp());
    const code = await world.code({ sub: 'ann-1' }, atCorp());
    await world.value('DELETE user:ann; CREATE user:ann');
    expect((await world.redeem({ code, verifier: VERIFIER }, 'corp')).statusCode).toBe(401);
    expect(await world.refusal({ sub: 'ann-1' }, atCorp())).toMatch(/^401/);
    expect(await world.query('RETURN $auth', before.token)).not.toBe('user:ann');
  });
});

describe('linking (A15)', () => {
  test('adds the provider to the user who is signed in, who gets a notice', async () => {
    const ann = await world.byMailed('ann@example.com');
    const linked = await world.signIn({ sub: 'c-1' }, atCorp({ token: ann.token, body: { link: true } }));
    expect(linked.id).toBe(ann.id);
    expect(linked.claims).toMatchObject({ amr: ['mail'], auth_time: ann.claims['auth_time'] });
    expect(await world.notices()).toEqual(['ann@example.com']);
    expect((await world.signIn({ sub: 'c-1' }, atCorp())).id).toBe(ann.id);
  });

  test('is not for a subject of another record', async () => {
    await world.value("CREATE user:bob; ACCESS corp LINK RECORD user:bob SUBJECT 'b-1'");
    const ann = await world.byMailed('ann@example.com');
    expect(await world.refusal({ sub: 'b-1' }, atCorp({ token: ann.token, body: { link: true } }))).toMatch(/^401/);
    expect((await world.identities(ann.id)).map(({ access }) => access)).toEqual(['mail']);
  });

  test('needs a session of a record, with a recent sign-in', async () => {
    expect((await world.start({ link: true }, CORP)).statusCode).toBe(401);
    const ann = await world.byMailed('ann@example.com');
    world.pass(601_000);
    const answer = await world.start({ link: true }, { ...CORP, token: ann.token });
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'recent_sign_in_required']);
    // Nor by a plain link, which has no bearer.
    const plain = await world.inject('GET', `/auth/test/test/corp/start?challenge=${CHALLENGE}&link=true`);
    expect(plain.statusCode).toBe(401);
  });

  const endings: Readonly<Record<string, (token: string) => Promise<unknown>>> = {
    killed: () => world.value('KILL SESSIONS FOR RECORD user:ann'),
    // Before the code, which is good for a minute.
    expired: async () => world.pass(45_000),
    'of a record that is gone': () => world.value('DELETE user:ann'),
    'of a record that was made again': () => world.value('DELETE user:ann; CREATE user:ann'),
    'of an identity that was removed': async () => {
      const [identity] = (await world.value('ACCESS mail SHOW ALL')) as [{ id: string }];
      await world.value(`ACCESS mail REVOKE GRANT ${identity.id}`);
    },
  };
  test.each(Object.keys(endings))('by a session that is %s meanwhile is void', async (how) => {
    await world.value('ALTER ACCESS mail ON DATABASE DURATION FOR TOKEN 45s');
    const ann = await world.byMailed('ann@example.com');
    const code = await world.code({ sub: 'c-1' }, atCorp({ token: ann.token, body: { link: true } }));
    await endings[how]?.(ann.token);
    expect((await world.redeem({ code, verifier: VERIFIER }, 'corp')).statusCode).toBe(401);
    expect(await world.refusal({ sub: 'c-1' }, atCorp())).toMatch(/^401/);
  });

  test('that a stranger began gives the stranger nothing when another user goes on with it', async () => {
    const eve = await world.byMailed('ann@example.com');
    const url = await world.began({ link: true }, { ...CORP, token: eve.token });
    const to = (await world.back(world.corp.signIn(url, { sub: 'victim' }), 'corp')) as URL;
    // The code is in the browser of the victim, whose app has another verifier, or none.
    const code = to.searchParams.get('code');
    expect((await world.redeem({ code, verifier: 'w'.repeat(43) }, 'corp')).statusCode).toBe(401);
    expect((await world.redeem({ code }, 'corp')).statusCode).toBe(401);
    expect((await world.identities(eve.id)).map(({ access }) => access)).toEqual(['mail']);
  });

  test('ends at ten identities of an access method', async () => {
    const ann = await world.byMailed('ann@example.com');
    for (let at = 0; at < 10; at++) await world.value(`ACCESS corp LINK RECORD ${ann.id} SUBJECT 'c-${at}'`);
    await expect(world.value(`ACCESS corp LINK RECORD ${ann.id} SUBJECT 'more'`)).rejects.toMatchObject({
      code: 'too_many_identities',
    });
    expect(await world.refusal({ sub: 'more' }, atCorp({ token: ann.token, body: { link: true } }))).toMatch(/^401/);
  });
});

describe('a step', () => {
  test('adds a proof by the provider that the record has, which asks again', async () => {
    const ann = await world.byMailed('ann@example.com');
    const step = { token: ann.token, body: { step: true } };
    const missing = await world.start({ step: true }, { ...CORP, token: ann.token });
    expect(missing.json().error).toBe('identity_missing');
    await world.value(`ACCESS corp LINK RECORD ${ann.id} SUBJECT 'c-1'`);
    const url = await world.began({ step: true }, { ...CORP, token: ann.token });
    expect(new URL(url).searchParams.get('prompt')).toBe('login');
    expect((await world.signIn({ sub: 'c-1' }, atCorp(step))).claims).toMatchObject({
      amr: ['mail', 'fed'],
      acr: 'aal1',
    });
    // Another account at the provider than the one that was proved.
    expect(await world.refusal({ sub: 'c-2' }, atCorp(step))).toMatch(/^401/);
  });
});

describe('removing (A16)', () => {
  test('ends the sessions that were signed in by it, and not the last way in', async () => {
    const ann = await world.signIn(ANN);
    const shown = (await world.query('ACCESS id SHOW ALL', ann.token)) as { id: string; type: string }[];
    const identity = shown.find(({ type }) => type === 'oidc');
    expect(identity).toMatchObject({ identity: 'ann-1', issuer: 'https://id.example', type: 'oidc' });
    const revoke = `ACCESS id REVOKE GRANT ${identity?.id}`;
    expect(await world.query(revoke, ann.token)).toMatch(/last way to sign in/);
    const back = await world.byMailed('ann@example.com', ann.token);
    expect(back.id).toBe(ann.id);
    await world.query(revoke, back.token);
    expect(await world.query('RETURN $auth.email', ann.token)).not.toBe('ann@example.com');
    expect(await world.notices()).toEqual(['ann@example.com']);
    // The subject is no record's now, and signs up as any other.
    expect((await world.signIn({ sub: 'ann-1' })).id).not.toBe(ann.id);
  });
});

describe('ACCESS … LINK', () => {
  test('is for owners, is audited, and an export has it', async () => {
    await world.value("CREATE user:ann SET email = 'ann@example.com'; CREATE user:bob");
    await world.value("ACCESS corp LINK RECORD user:ann SUBJECT 'c-1'");
    await world.value("ACCESS mail LINK RECORD user:ann SUBJECT 'Ann@Example.com'");
    await expect(world.value("ACCESS corp LINK RECORD user:bob SUBJECT 'c-1'")).rejects.toMatchObject({
      code: 'identity_taken',
    });
    await expect(world.value("ACCESS corp LINK RECORD user:no SUBJECT 'c-2'")).rejects.toMatchObject({
      code: 'record_missing',
    });
    await expect(world.value("ACCESS mail LINK RECORD user:bob SUBJECT 'no address'")).rejects.toMatchObject({
      code: 'subject_invalid',
    });
    await expect(world.value("ACCESS account LINK RECORD user:bob SUBJECT 'x'")).rejects.toMatchObject({
      code: 'access_method_mismatch',
    });
    await expect(world.value('ACCESS corp GRANT FOR RECORD user:bob')).rejects.toMatchObject({
      code: 'access_method_mismatch',
    });
    const ann = await world.signIn({ sub: 'c-1' }, atCorp());
    expect(ann.id).toBe('user:ann');
    expect(await world.query("ACCESS corp LINK RECORD user:ann SUBJECT 'c-9'", ann.token)).toMatch(/permissions/);
    await world.value("DEFINE USER ed ON DATABASE PASSWORD 'an editor of it' ROLES EDITOR");
    const editor = (
      await world.inject('POST', '/signin', { NS: 'test', DB: 'test', user: 'ed', pass: 'an editor of it' })
    ).json();
    expect(await world.query("ACCESS corp LINK RECORD user:ann SUBJECT 'c-9'", editor.token)).toMatch(/permissions/);
    expect(world.audited.join('\n')).toMatch(/"action":"identity-link".*"kind":"access","name":"corp"/);

    const exported = await world.exported();
    expect(exported).toContain("ACCESS corp ON DATABASE LINK RECORD user:ann SUBJECT 'c-1';");
    expect(exported).toContain("ACCESS mail ON DATABASE LINK RECORD user:ann SUBJECT 'ann@example.com';");
    expect(await world.exported(editor.token)).not.toContain('LINK RECORD');
    await world.value('REMOVE TABLE user');
    await world.value(exported);
    expect((await world.signIn({ sub: 'c-1' }, atCorp())).id).toBe('user:ann');
  });
});

test('the redirect is one that is listed, the first without one', async () => {
  expect((await world.start({ redirect: `${REDIRECT}/../x` })).statusCode).toBe(400);
  const url = await world.began({ redirect: 'http://127.0.0.1:5173/in' });
  const to = (await world.back(world.id.signIn(url, ANN))) as URL;
  expect(to.origin).toBe('http://127.0.0.1:5173');
});
