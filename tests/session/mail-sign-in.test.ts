/** Signing in by a code or link by mail: DEFINE ACCESS … WITH MAIL. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WaitingMail } from '../../src/catalog/mail/outbox.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { appUrl, waitingMails } from '../support/mailbox.js';
import { type Owned, openOwned } from '../support/owned.js';

const INVALID = { code: 'invalid_auth' };
const DATABASE = { NS: 'test', DB: 'test' };
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const REDIRECT = 'https://shop.example/in';
const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'Shop <shop@shop.example>' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH NAME 'The Shop' REDIRECT '${REDIRECT}';
  DEFINE TABLE user; DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE ACCESS mail ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK WITH REFRESH;
  DEFINE ACCESS open ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $email, name = $name)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name);
  CREATE user:ann SET email = 'ann@example.com', name = 'ann';
`;

let engine: MemoryEngine;
let environment: Owned['environment'];
let database: Owned['database'];
let value: Owned['value'];
beforeEach(async () => {
  engine = new MemoryEngine();
  ({ environment, database, value } = await openOwned({
    engine,
    authentication: {
      failureDelay: { minimum: 0, step: 1, maximum: 1 },
      startDelay: { minimum: 0, step: 1, maximum: 1 },
      publicUrls: ['https://db.example'],
    },
  }));
  await value(SCHEMA);
});

const start = (body: Record<string, Value>, { access = 'mail', ip }: { access?: string; ip?: string } = {}) =>
  database.session(ip === undefined ? {} : { ip }).startSignIn({
    databasePath: { namespace: 'test', database: 'test' },
    access,
    body: objectFrom({ challenge: CHALLENGE, ...body }),
  });

/** The last mail to an address. */
const mailTo = async (to: string): Promise<WaitingMail | undefined> => {
  const mails = (await waitingMails(engine)).filter((mail) => mail.to === to);
  return mails.sort((a, b) => Number(a.created - b.created)).at(-1);
};

const signIn = async (body: Record<string, Value>, access = 'mail') => {
  const session = database.session({});
  await session.signIn(objectFrom({ ...DATABASE, AC: access, ...body }));
  return session;
};

const claims = (session: { identity: { token: Value } }) => session.identity.token as ObjectValue;

describe('a code', () => {
  test('signs its record in, once', async () => {
    const { request } = await start({ email: 'Ann@Example.com' });
    const mail = await mailTo('ann@example.com');
    expect(mail).toMatchObject({ kind: 'code', access: 'mail', subject: 'Sign in to The Shop' });
    const code = mail?.code as string;
    expect(code).toMatch(/^\d{8}$/);
    const session = await signIn({ request, code });
    expect(session.identity.auth).toMatchObject({ table: 'user', key: 'ann' });
    expect(claims(session)).toMatchObject({ amr: ['mail'], acr: 'aal1', auth_time: environment.seconds });
    await expect(signIn({ request, code })).rejects.toMatchObject(INVALID);
    expect(await value('RETURN access::identities(user:ann).map(|$i| $i.subject)')).toEqual(['ann@example.com']);
  });

  test('can be tried five times', async () => {
    const { request } = await start({ email: 'ann@example.com' });
    const code = (await mailTo('ann@example.com'))?.code as string;
    for (let round = 0; round < 5; round++)
      await expect(signIn({ request, code: '00000000' })).rejects.toMatchObject(INVALID);
    await expect(signIn({ request, code })).rejects.toMatchObject(INVALID);
  });

  test('is void after ten minutes, and after a newer one', async () => {
    const first = await start({ email: 'ann@example.com' });
    const code = (await mailTo('ann@example.com'))?.code as string;
    environment.advance(600_000);
    await expect(signIn({ request: first.request, code })).rejects.toMatchObject(INVALID);
    const second = await start({ email: 'ann@example.com' });
    const older = (await mailTo('ann@example.com'))?.code as string;
    environment.advance(1_000);
    const third = await start({ email: 'ann@example.com' });
    await expect(signIn({ request: second.request, code: older })).rejects.toMatchObject(INVALID);
    await signIn({ request: third.request, code: (await mailTo('ann@example.com'))?.code as string });
  });

  test('of an unknown address is never sent', async () => {
    const { request } = await start({ email: 'eve@example.com' });
    expect(request).toHaveLength(22);
    expect(await waitingMails(engine)).toEqual([]);
    await expect(signIn({ request, code: '00000000' })).rejects.toMatchObject(INVALID);
  });

  test('signs an unknown address up where there is a SIGNUP', async () => {
    const { request } = await start(
      { email: 'bob@example.com', variables: objectFrom({ name: 'bob' }) },
      { access: 'open' },
    );
    const code = (await mailTo('bob@example.com'))?.code as string;
    const session = await signIn({ request, code }, 'open');
    expect(await value('SELECT VALUE [email, name] FROM user WHERE name = "bob"')).toEqual([
      ['bob@example.com', 'bob'],
    ]);
    expect(session.identity.auth).toMatchObject({ table: 'user' });
    // The next time it is the same record.
    environment.advance(60_000);
    const again = await start({ email: 'bob@example.com' }, { access: 'open' });
    const back = await signIn(
      { request: again.request, code: (await mailTo('bob@example.com'))?.code as string },
      'open',
    );
    expect(back.identity.auth).toEqual(session.identity.auth);
  });

  test('is mailed to an address that the record has, whatever else SIGNIN finds it by', async () => {
    await value(`
      DEFINE ACCESS named ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name) WITH MAIL CODE`);
    const variables = objectFrom({ name: 'ann' });
    await start({ email: 'eve@example.com', variables }, { access: 'named' });
    expect(await waitingMails(engine)).toEqual([]);
    await start({ email: 'ann@example.com', variables }, { access: 'named' });
    expect(await mailTo('ann@example.com')).toBeDefined();
  });

  test('isn’t replaced by knowing the address', async () => {
    await expect(signIn({ email: 'ann@example.com' })).rejects.toMatchObject(INVALID);
    await expect(
      database.session({}).signUp(objectFrom({ ...DATABASE, AC: 'open', email: 'eve@example.com' })),
    ).rejects.toMatchObject({ code: 'access_method_mismatch' });
  });
});

describe('a link', () => {
  const linkOf = async (to: string) => {
    const [page, fragment = ''] = ((await mailTo(to))?.link ?? '').split('#');
    return { page, link: fragment.split('.')[0] as string };
  };

  test('leads on to the app, where only the verifier redeems it', async () => {
    await start({ email: 'ann@example.com', redirect: REDIRECT });
    const { page, link } = await linkOf('ann@example.com');
    expect(page).toBe('https://db.example/auth/test/test/mail/confirm');
    const path = { namespace: 'test', database: 'test' };
    const to = appUrl(await database.confirmLink(path, 'mail', link));
    expect(`${to.origin}${to.pathname}`).toBe(REDIRECT);
    const code = to.searchParams.get('code') as string;
    await expect(signIn({ code })).rejects.toMatchObject(INVALID);
    await expect(signIn({ code, verifier: 'w'.repeat(43) })).rejects.toMatchObject(INVALID);
    const session = await signIn({ code, verifier: VERIFIER });
    expect(session.identity.auth).toMatchObject({ key: 'ann' });
    await expect(signIn({ code, verifier: VERIFIER })).rejects.toMatchObject(INVALID);
    await expect(database.confirmLink(path, 'mail', link)).rejects.toMatchObject(INVALID);
  });
});

describe('a linked address', () => {
  test('takes the place of the former one, which gets a notice', async () => {
    const first = await start({ email: 'ann@example.com' });
    const session = await signIn({ request: first.request, code: (await mailTo('ann@example.com'))?.code as string });
    const { request } = await session.startSignIn({
      databasePath: { namespace: 'test', database: 'test' },
      access: 'mail',
      body: objectFrom({ challenge: CHALLENGE, email: 'ann@new.example', link: true }),
    });
    const code = (await mailTo('ann@new.example'))?.code as string;
    environment.advance(5_000);
    const linked = await signIn({ request, code });
    expect(claims(linked)['auth_time']).toBe(claims(session)['auth_time']);
    expect((await mailTo('ann@example.com'))?.kind).toBe('notice');
    expect(await value('RETURN access::identities(user:ann).map(|$i| $i.subject)')).toEqual(['ann@new.example']);
    // The session was signed in by the former address.
    await expect(session.revalidate()).rejects.toMatchObject({ code: 'session_expired' });
    await linked.revalidate();
    await value('UPDATE user:ann SET email = "eve@example.com"');
    environment.advance(60_000);
    await start({ email: 'eve@example.com' });
    expect(await mailTo('eve@example.com')).toBeUndefined();
  });
});

describe('a record that is signed in', () => {
  const signedIn = async (email = 'ann@example.com', access = 'mail') => {
    const { request } = await start({ email }, { access });
    const session = await signIn({ request, code: (await mailTo(email))?.code as string }, access);
    environment.advance(60_000);
    return session;
  };
  const begin = async (session: Awaited<ReturnType<typeof signIn>>, body: Record<string, Value>, access = 'mail') => {
    const target = { databasePath: { namespace: 'test', database: 'test' }, access };
    return session.startSignIn({ ...target, body: objectFrom({ challenge: CHALLENGE, ...body }) });
  };

  test('is mailed nothing for an address that another has proved', async () => {
    await value("CREATE user:bob SET email = 'bob@example.com'");
    await signedIn('bob@example.com');
    const ann = await signedIn();
    const before = await waitingMails(engine);
    const { request } = await begin(ann, { email: 'bob@example.com', link: true });
    expect(await waitingMails(engine)).toHaveLength(before.length);
    await expect(signIn({ request, code: '00000000' })).rejects.toMatchObject(INVALID);
    // Its own may be proved again.
    await begin(ann, { email: 'ann@example.com', link: true });
    expect(await waitingMails(engine)).toHaveLength(before.length + 1);
  });

  test('steps up by the address that it has proved at the access method, without a SIGNIN there, too', async () => {
    await value('DEFINE ACCESS step ON DATABASE TYPE RECORD WITH MAIL CODE');
    const ann = await signedIn();
    await expect(begin(ann, { step: true }, 'step')).rejects.toMatchObject({ code: 'identity_missing' });
    await begin(ann, { email: 'other@example.com', link: true }, 'step');
    const linking = await begin(ann, { email: 'ann@example.com', link: true }, 'step');
    await signIn({ request: linking.request, code: (await mailTo('ann@example.com'))?.code as string }, 'step');
    environment.advance(60_000);
    const { request } = await begin(ann, { step: true }, 'step');
    const stepped = await signIn({ request, code: (await mailTo('ann@example.com'))?.code as string }, 'step');
    expect(claims(stepped)).toMatchObject({ amr: ['mail'], acr: 'aal1', auth_time: environment.seconds });
    // Who has proved nothing there isn't mailed to.
    await value("CREATE user:bob SET email = 'bob@example.com'");
    await start({ email: 'bob@example.com' }, { access: 'step' });
    expect(await mailTo('bob@example.com')).toBeUndefined();
  });

  test('is signed in by no code for an address that was replaced meanwhile', async () => {
    const ann = await signedIn();
    const former = await start({ email: 'ann@example.com' });
    const code = (await mailTo('ann@example.com'))?.code as string;
    const { request } = await begin(ann, { email: 'ann@new.example', link: true });
    await signIn({ request, code: (await mailTo('ann@new.example'))?.code as string });
    await expect(signIn({ request: former.request, code })).rejects.toMatchObject(INVALID);
  });

  test.each([
    ['DEFINE CONFIG OVERWRITE AUTH NOTIFY NONE', 'says so'],
    ['REMOVE CONFIG MAIL', 'sends no mails'],
  ])('gets no notice after %s, since the database %s', async (statement) => {
    const ann = await signedIn();
    const { request } = await begin(ann, { email: 'ann@new.example', link: true });
    const code = (await mailTo('ann@new.example'))?.code as string;
    await value(statement);
    await signIn({ request, code });
    expect((await waitingMails(engine)).map(({ kind }) => kind)).not.toContain('notice');
    expect(await value('RETURN access::identities(user:ann).map(|$i| $i.subject)')).toEqual(['ann@new.example']);
  });
});

describe('what is mailed', () => {
  test('has no code WITH MAIL LINK, whose link is needed', async () => {
    await value(`DEFINE ACCESS linked ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL LINK`);
    const { request } = await start({ email: 'ann@example.com' }, { access: 'linked' });
    const mail = await mailTo('ann@example.com');
    expect(mail?.code).toBeUndefined();
    expect(mail?.text).toMatch(/Open this link, valid for ten minutes:\n\nhttps:.*#[\w-]{32}\n/);
    expect(mail?.text).not.toMatch(/\d{8}|Your code/);
    await expect(signIn({ request, code: '00000000' }, 'linked')).rejects.toMatchObject(INVALID);
    await value('DEFINE CONFIG OVERWRITE AUTH NAME "The Shop"');
    await expect(start({ email: 'ann@example.com' }, { access: 'linked' })).rejects.toMatchObject({
      code: 'redirect_unknown',
    });
  });

  test('has no link where there is no app to lead to, unless one was asked for', async () => {
    await value('DEFINE CONFIG OVERWRITE AUTH NAME "The Shop"');
    await start({ email: 'ann@example.com' });
    const mail = await mailTo('ann@example.com');
    expect([mail?.link, mail?.text.includes('https://')]).toEqual([undefined, false]);
    expect(mail?.code).toMatch(/^\d{8}$/);
    await expect(start({ email: 'ann@example.com', redirect: REDIRECT })).rejects.toMatchObject({
      code: 'redirect_unknown',
    });
  });
});

describe('an invitation', () => {
  test('is a link that is used once', async () => {
    const granted = (await value('ACCESS mail GRANT FOR RECORD user:ann')) as ObjectValue;
    expect(granted).toMatchObject({ type: 'invitation', address: 'ann@example.com', grant: { key: '[REDACTED]' } });
    const mail = await mailTo('ann@example.com');
    const link = mail?.link?.split('#')[1] as string;
    const path = { namespace: 'test', database: 'test' };
    const to = appUrl(await database.confirmLink(path, 'mail', link));
    const session = await signIn({ code: to.searchParams.get('code') as string });
    expect(session.identity.auth).toMatchObject({ key: 'ann' });
    await expect(database.confirmLink(path, 'mail', link)).rejects.toMatchObject(INVALID);
  });

  test('needs no refresh tokens, and is for records', async () => {
    const granted = (await value('ACCESS open GRANT FOR RECORD user:ann')) as ObjectValue;
    expect(granted).toMatchObject({ type: 'invitation', address: 'ann@example.com' });
    await expect(value('ACCESS open GRANT FOR USER root')).rejects.toMatchObject({ code: 'grant_subject_invalid' });
  });
});
