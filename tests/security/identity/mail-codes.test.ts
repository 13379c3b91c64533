/**
 * Attacks on codes and links by mail, over every transport (A2, A3, A7, A8, A10, A20 to A27, A33, A48 to A50, A53, A54,
 * A56, A59 of the list for identities). The clock stands still until a test moves it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realEnvironment } from '../../../src/env/real.js';
import { SignInRetention } from '../../../src/session/background/sign-in-retention.js';
import type { Transaction } from '../../../src/storage/contract.js';
import { withRetries } from '../../../src/storage/retry.js';
import { objectFrom, type Value } from '../../../src/value/value.js';
import {
  ALL_TRANSPORTS,
  type Answer,
  CHALLENGE,
  MailDoors,
  PLACE,
  PUBLIC_URL,
  REDIRECT,
  VERIFIER,
  WRONG,
} from './mail-doors.js';

let doors: MailDoors;
beforeEach(async () => {
  doors = await MailDoors.open();
});
afterEach(() => doors.close());

const ANN = { email: 'ann@example.com' };
const refused = { error: WRONG, token: undefined };
const letIn = (answers: readonly Answer[]) => answers.filter(({ token }) => token !== undefined).length;

describe('A2: a code of a link', () => {
  test.each(ALL_TRANSPORTS)('needs its verifier, once, over %s', async (transport) => {
    const { link } = await doors.begun({ ...ANN, redirect: REDIRECT });
    const code = await doors.codeOf(link);
    for (const wrong of [
      { code },
      { code, verifier: 'w'.repeat(43) },
      { code, verifier: CHALLENGE },
      { code, verifier: '' },
    ])
      expect(await doors.signIn(wrong, {}, transport)).toMatchObject(refused);
    expect(await doors.signIn({ code, verifier: VERIFIER }, { access: 'other' }, transport)).toMatchObject(refused);
    const { token } = await doors.signIn({ code, verifier: VERIFIER }, {}, transport);
    expect(token).toBeDefined();
    expect(await doors.signIn({ code, verifier: VERIFIER }, {}, transport)).toMatchObject(refused);
  });

  test('lets one of twenty in that redeem it at once', async () => {
    const code = await doors.codeOf((await doors.begun({ ...ANN, redirect: REDIRECT })).link);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        doors.signIn({ code, verifier: VERIFIER }, { ip: `192.0.2.${at}` }, ALL_TRANSPORTS[at % 3]),
      ),
    );
    expect(letIn(answers)).toBe(1);
  });

  test('is void after a minute, and so is its link', async () => {
    const { link } = await doors.begun({ ...ANN, redirect: REDIRECT });
    const code = await doors.codeOf(link);
    doors.pass(60_000);
    expect(await doors.signIn({ code, verifier: VERIFIER })).toMatchObject(refused);
    expect((await doors.confirm(link)).statusCode).toBe(401);
  });

  test('begins with a challenge of S256 only', async () => {
    const challenges = [undefined, null, '', 'plain', 'a'.repeat(42), 'a'.repeat(44), '+'.repeat(43), 7, [], {}, true];
    for (const challenge of challenges) {
      const answer = await doors.start({ ...ANN, challenge });
      expect([challenge, answer.statusCode, answer.body]).toEqual([
        challenge,
        400,
        expect.stringContaining('challenge'),
      ]);
      const { error } = await doors.startByRpc({ ...ANN, challenge });
      expect(error?.['message']).toContain('challenge');
    }
    expect((await doors.start({ ...ANN, challenge_method: 'plain' })).statusCode).toBe(400);
    expect(await doors.mails()).toEqual([]);
  });
});

test('A3, A25: a link of an attacker gives the app of a victim nothing, since only its own browser has the verifier', async () => {
  const { link } = await doors.begun({ email: 'bob@example.com', redirect: REDIRECT });
  // The victim's browser opens it; its app has another verifier, or none.
  const code = await doors.codeOf(link);
  for (const verifier of [undefined, 'x'.repeat(43)])
    expect(await doors.signIn({ code, ...(verifier && { verifier }) })).toMatchObject(refused);
});

describe('A7: what an app or its user adds', () => {
  test('to the body is refused', async () => {
    for (const name of [
      'state',
      'redirect_uri',
      'scope',
      'nonce',
      'client_id',
      'response_type',
      'purpose',
      'record',
      'amr',
    ])
      expect([name, (await doors.start({ ...ANN, [name]: 'x' })).statusCode]).toEqual([name, 400]);
  });

  test('to the variables can’t replace what the server says', async () => {
    for (const name of ['identity', 'email', 'auth', 'token', 'session']) {
      const answer = await doors.start(
        { email: 'eve@example.com', variables: { [name]: { email: 'ann@example.com' } } },
        { access: 'open' },
      );
      expect([name, answer.statusCode]).toEqual([name, 400]);
    }
    const { request, code } = await doors.begun(
      { email: 'eve@example.com', variables: { note: 'n' } },
      { access: 'open' },
    );
    // Nor do variables of the redemption.
    expect((await doors.signIn({ request, code, note: 'other' }, { access: 'open' })).token).toBeDefined();
    expect(await doors.value("SELECT VALUE [email, note] FROM user WHERE note = 'n'")).toEqual([
      ['eve@example.com', 'n'],
    ]);
  });
});

describe('A8: a redirect', () => {
  test('is one of those that are listed, or no link is made', async () => {
    const redirects = [
      'https://shop.example/in/',
      'https://shop.example/in?a',
      'https://shop.example/in#a',
      'https://shop.example/x/../in',
      'https://shop.example@evil.example/in',
      'https://evil.example/in',
      'https://sub.shop.example/in',
      'https://shop.example:444/in',
      'https://shop.example.evil.example/in',
      '//shop.example/in',
      'https:\\\\shop.example\\in',
      'HTTPS://SHOP.EXAMPLE/in',
      'javascript:alert(1)',
      'http://127.0.0.1.evil.example/in',
      'http://127.0.0.1@evil.example/in',
      'http://127.0.0.1:99999/in',
      'http://localhost/in',
    ];
    for (const redirect of redirects) {
      const answer = await doors.start({ ...ANN, redirect });
      expect([redirect, answer.statusCode, answer.headers.location]).toEqual([redirect, 400, undefined]);
    }
    expect(await doors.mails()).toEqual([]);
    await doors.begun({ ...ANN, redirect: 'http://127.0.0.1:5173/in' });
  });

  test('follows no address that a link or an error has', async () => {
    for (const link of ['', 'x', 'https://evil.example', '//evil.example', '\r\nLocation: https://evil.example']) {
      const answer = await doors.confirm(link);
      expect([link, answer.statusCode, answer.headers.location]).toEqual([link, 401, undefined]);
    }
  });
});

test('A10: links begin with the public address, whatever a request says of the server', async () => {
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example;proto=http',
    origin: 'https://evil.example',
  };
  const answer = await doors.start({ ...ANN, redirect: REDIRECT }, {}, headers);
  expect(answer.statusCode).toBe(200);
  const mail = await doors.lastMail();
  expect(mail?.link?.startsWith(`${PUBLIC_URL}/auth/test/test/mail/confirm#`)).toBe(true);
  expect(JSON.stringify([mail?.text, mail?.html, mail?.subject])).not.toContain('evil');
  const page = await doors.app.inject({
    url: '/auth/test/test/mail/confirm',
    headers: { ...headers, accept: 'text/html' },
  });
  expect(page.body + JSON.stringify(page.headers)).not.toContain('evil.example/');
});

test('A20: answers with secrets are kept nowhere, and name no page', async () => {
  const { link } = await doors.begun({ ...ANN, redirect: REDIRECT });
  const started = await doors.start({ email: 'bob@example.com' });
  const page = await doors.app.inject({ url: '/auth/test/test/mail/confirm' });
  const pressed = await doors.confirm(link);
  for (const { headers } of [started, page, pressed])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
});

describe('A21: guessing', () => {
  test.each(ALL_TRANSPORTS)('ends after five tries over %s, also for the right code', async (transport) => {
    const { request, code } = await doors.begun(ANN);
    for (let at = 0; at < 5; at++)
      expect(await doors.signIn({ request, code: '00000000' }, { ip: `198.51.100.${at}` }, transport)).toMatchObject(
        refused,
      );
    expect(await doors.signIn({ request, code }, { ip: '198.51.100.9' }, transport)).toMatchObject(refused);
  });

  test('of fifty at once counts each', async () => {
    const { request, code } = await doors.begun(ANN);
    const guesses = Array.from({ length: 50 }, (_, at) =>
      doors.signIn({ request, code: `0000000${at % 10}` }, { ip: `198.51.100.${at}` }, ALL_TRANSPORTS[at % 3]),
    );
    const answers = await Promise.all(guesses);
    expect(letIn(answers)).toBe(0);
    expect(await doors.signIn({ request, code }, { ip: '198.51.100.99' })).toMatchObject(refused);
  });

  test('by aliases of one GraphQL operation counts each', async () => {
    const { request, code } = await doors.begun(ANN);
    const aliases = ['00000001', '00000002', '00000003', '00000004', '00000005', code].map(
      (guess, at) => `g${at}: signIn(access: "mail", variables: { request: "${request}", code: "${guess}" }) { token }`,
    );
    const answer = await doors.graphql(`mutation { ${aliases.join(' ')} }`);
    expect(answer.body).not.toContain('ey');
    expect(await doors.signIn({ request, code }, { ip: '198.51.100.99' })).toMatchObject(refused);
  });
});

describe('A22: a code', () => {
  test('is good for its own request', async () => {
    const ann = await doors.begun(ANN);
    const bob = await doors.begun({ email: 'bob@example.com' });
    expect(await doors.signIn({ request: ann.request, code: bob.code })).toMatchObject(refused);
    expect(await doors.signIn({ request: bob.request, code: ann.code })).toMatchObject(refused);
    expect((await doors.signIn(bob)).token).toBeDefined();
  });

  test('is good for its own access method, and database', async () => {
    const { request, code } = await doors.begun(ANN);
    expect(await doors.signIn({ request, code }, { access: 'other' })).toMatchObject(refused);
    expect(await doors.signIn({ request, code }, { access: 'account' })).toMatchObject(refused);
    await doors.value('DEFINE DATABASE second; USE DB second');
    const answer = await doors.inject('/signin', {}, { NS: 'test', DB: 'second', AC: 'mail', request, code });
    expect(answer.statusCode).toBe(401);
    expect((await doors.signIn({ request, code })).token).toBeDefined();
  });

  test('of another form than text is wrong', async () => {
    const { request, code } = await doors.begun(ANN);
    for (const wrong of [Number(code), [code], { code }, null, true])
      expect(await doors.signIn({ request, code: wrong })).toMatchObject(refused);
    for (const wrong of [1, [request], { request }, `${request}=`, request.toLowerCase(), ''])
      expect(await doors.signIn({ request: wrong, code })).toMatchObject(refused);
  });

  test('of a step is no sign-in of others, and of a link none without its session', async () => {
    const token = await doors.signedIn();
    const step = await doors.begun({ step: true }, { token });
    const claims = claimsOf((await doors.signIn(step)).token);
    expect(claims).toMatchObject({ ID: 'user:ann', amr: ['mail'] });
    doors.pass(60_000);
    const link = await doors.begun({ email: 'new@example.com', link: true }, { token });
    await doors.value('KILL SESSIONS FOR RECORD user:ann');
    expect(await doors.signIn(link)).toMatchObject(refused);
    expect(await doors.value('RETURN access::identities(user:ann).map(|$each| $each.subject)')).toEqual([
      'ann@example.com',
    ]);
  });
});

test('A23: a code is void after the address has changed hands', async () => {
  const { request, code } = await doors.begun(ANN);
  await doors.value("UPDATE user:ann SET email = 'former@example.com'; UPDATE user:bob SET email = 'ann@example.com'");
  // It was ann's, whose mailbox was read.
  expect(claimsOf((await doors.signIn({ request, code })).token)).toMatchObject({ ID: 'user:ann' });
  doors.pass(60_000);
  await doors.start(ANN);
  expect(claimsOf((await doors.signIn(await doors.begun(ANN, { ip: '203.0.113.1' }))).token)).toMatchObject({
    ID: 'user:ann',
  });
});

describe('A24: a link', () => {
  test('is used up by no scanner that reads it, or presses nothing', async () => {
    const { link, request, code } = await doors.begun({ ...ANN, redirect: REDIRECT });
    for (const method of ['GET', 'HEAD'] as const)
      for (const url of [`/auth/test/test/mail/confirm?link=${link}`, '/auth/test/test/mail/confirm'])
        expect((await doors.app.inject({ method, url, headers: { purpose: 'prefetch' } })).statusCode).toBe(200);
    expect((await doors.confirm(link)).statusCode).toBe(303);
    expect(await doors.signIn({ request, code })).toMatchObject(refused);
  });

  test('is known to no other site', async () => {
    const { link } = await doors.begun({ ...ANN, redirect: REDIRECT });
    const blind = await doors.app.inject({
      method: 'POST',
      url: '/auth/test/test/mail/confirm',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
      payload: '',
    });
    expect(blind.statusCode).toBe(400);
    expect((await doors.confirm(link)).statusCode).toBe(303);
  });
});

describe('A26: whether anyone has an address', () => {
  test('shows in no status, header, key or row', async () => {
    const known = await doors.start(ANN);
    const unknown = await doors.start({ email: 'eve@example.com' }, { ip: '192.0.2.1' });
    const shape = ({ statusCode, headers, body }: typeof known) => ({
      statusCode,
      headers: Object.keys(headers).sort(),
      length: body.length,
      keys: Object.keys(JSON.parse(body)),
    });
    expect(shape(unknown)).toEqual(shape(known));
    for (const transport of ALL_TRANSPORTS) {
      const { request } = known.json() as { request: string };
      const other = (unknown.json() as { request: string }).request;
      expect(await doors.signIn({ request: other, code: '00000000' }, {}, transport)).toEqual(
        await doors.signIn({ request, code: '00000000' }, {}, transport),
      );
    }
  });

  test('shows in no limit', async () => {
    for (const email of ['ann@example.com', 'eve@example.com']) {
      await doors.start({ email });
      const again = await doors.start({ email });
      expect([again.statusCode, again.headers['retry-after'], JSON.parse(again.body)]).toEqual([
        429,
        '60',
        expect.objectContaining({ code: 429 }),
      ]);
    }
  });

  test('shows in no error of a SIGNIN clause', async () => {
    await doors.value(`DEFINE ACCESS OVERWRITE mail ON DATABASE TYPE RECORD
      SIGNIN { IF (SELECT * FROM user WHERE email = $email) { THROW 'banned' } } WITH MAIL CODE`);
    for (const email of ['ann@example.com', 'eve@example.com'])
      expect((await doors.start({ email })).statusCode).toBe(200);
  });
});

describe('A27: mails', () => {
  test('of one address are bounded, however it is written', async () => {
    const spellings = ['ann@example.com', 'Ann@Example.COM', 'ANN@EXAMPLE.COM'];
    for (const email of spellings) await doors.start({ email });
    expect(await doors.mails()).toHaveLength(1);
  });

  test('that a hundred ask for at once, from one source, are one', async () => {
    await Promise.all(Array.from({ length: 100 }, () => doors.start(ANN)));
    expect(await doors.mails()).toHaveLength(1);
  });

  test('of one address from everywhere are bounded', async () => {
    for (let at = 0; at < 40; at++) await doors.start(ANN, { ip: `198.51.${at}.1` });
    expect((await doors.mails()).length).toBeLessThanOrEqual(31);
  });

  test('to many addresses from one source are bounded', async () => {
    for (let at = 0; at < 40; at++) await doors.start({ email: `u+${at}@example.com` }, { access: 'open' });
    expect(await doors.mails()).toHaveLength(20);
  });

  test('of a database are bounded', async () => {
    await doors.value('ALTER CONFIG MAIL LIMIT 10');
    for (let at = 0; at < 20; at++)
      await doors.start({ email: `u${at}@example.com` }, { ip: `198.51.${at}.1`, access: 'open' });
    expect(await doors.mails()).toHaveLength(10);
  });
});

test('A33: an address that a user writes into their record opens nothing before it is proved', async () => {
  const token = await doors.signedIn();
  await doors.query("UPDATE user:ann SET email = 'victim@example.com'", token);
  doors.pass(60_000);
  await doors.start({ email: 'victim@example.com' });
  expect((await doors.mails()).filter(({ to }) => to === 'victim@example.com')).toEqual([]);
  const { request, code } = await doors.begun(ANN);
  expect(claimsOf((await doors.signIn({ request, code })).token)).toMatchObject({ ID: 'user:ann' });
});

describe('A48, A49: the assurance', () => {
  test('of a step is in new tokens, and the old one keeps its own', async () => {
    const { token } = await doors.signIn({ email: 'ann@example.com' }, { access: 'account' });
    await doors.signedIn();
    const step = await doors.begun({ step: true }, { token });
    const higher = claimsOf((await doors.signIn({ ...step, amr: ['hwk'], acr: 'aal2', auth_time: 9e9 })).token);
    expect(higher).toMatchObject({ amr: ['pwd', 'mail'], acr: 'aal1', auth_time: doors.owned.environment.seconds });
    expect(await doors.query('RETURN [$token.amr, $token.acr]', token)).toEqual([['pwd'], 'aal1']);
  });

  test('is not prolonged by a mailbox of the thief’s own', async () => {
    const token = await doors.signedIn();
    const before = claimsOf(token)['auth_time'];
    const link = await doors.begun({ email: 'thief@example.com', link: true }, { token });
    expect(claimsOf((await doors.signIn(link)).token)['auth_time']).toBe(before);
  });

  test('that is old begins no link', async () => {
    const token = await doors.signedIn();
    doors.pass(600_000);
    const answer = await doors.start({ email: 'new@example.com', link: true }, { token });
    expect([answer.statusCode, answer.body]).toEqual([401, expect.stringContaining('ten minutes')]);
    for (const from of [{}, { token: await doors.signedIn('bob@example.com') }])
      expect((await doors.start({ email: 'x@example.com', link: true, step: true }, from)).statusCode).toBe(400);
    expect((await doors.start({ email: 'x@example.com', link: true })).statusCode).toBe(401);
  });
});

describe('A50: a user', () => {
  test('proves nothing by tables, functions or fields of the names that the server has', async () => {
    await doors.value(`
      DEFINE FUNCTION fn::identities($r: any) { RETURN ['fake'] };
      CREATE user:eve SET email = 'eve@example.com', verified = true, identities = ['eve@example.com'];`);
    expect(await doors.value('RETURN access::identities(user:eve)')).toEqual([]);
  });

  test('sees what they have proved, and nothing of others', async () => {
    const token = await doors.signedIn();
    await doors.signedIn('bob@example.com');
    expect(await doors.query('RETURN access::identities($auth).map(|$each| $each.subject)', token)).toEqual([
      'ann@example.com',
    ]);
    expect(await doors.query('RETURN access::identities(user:bob)', token)).toEqual([]);
    const shown = (await doors.query('ACCESS mail SHOW ALL', token)) as readonly { subject: { record: string } }[];
    expect(new Set(shown.map(({ subject }) => subject.record))).toEqual(new Set(['user:ann']));
    const [other] = (await doors.value("ACCESS mail SHOW WHERE identity = 'bob@example.com'")) as readonly {
      id: Value;
    }[];
    for (const word of ['SHOW', 'REVOKE'])
      expect(await doors.query(`ACCESS mail ${word} GRANT ${other?.id}`, token)).toContain('does not exist');
  });
});

describe('A53: an invitation', () => {
  const invited = async () => {
    const granted = (await doors.value('ACCESS mail GRANT FOR RECORD user:ann')) as { readonly id: string };
    return { id: granted.id, link: (await doors.lastMail())?.link?.split('#')[1] ?? '' };
  };

  test('is used once, by its own access method', async () => {
    const { link } = await invited();
    expect((await doors.confirm(link, { access: 'other' })).statusCode).toBe(401);
    const code = await doors.codeOf(link);
    expect((await doors.confirm(link)).statusCode).toBe(401);
    expect(await doors.signIn({ code }, { access: 'other' })).toMatchObject(refused);
    expect(claimsOf((await doors.signIn({ code, email: 'bob@example.com', record: 'user:bob' })).token)).toMatchObject({
      ID: 'user:ann',
    });
    expect(await doors.signIn({ code })).toMatchObject(refused);
  });

  test('is void when it was revoked, has run out, or its record is another', async () => {
    const revoked = await invited();
    await doors.value(`ACCESS mail REVOKE GRANT ${revoked.id}`);
    expect((await doors.confirm(revoked.link)).statusCode).toBe(401);
    doors.pass(1_000);
    const old = await invited();
    doors.pass(7 * 24 * 3_600_000);
    expect((await doors.confirm(old.link)).statusCode).toBe(401);
    const former = await invited();
    await doors.value("DELETE user:ann; CREATE user:ann SET email = 'ann@example.com'");
    expect((await doors.confirm(former.link)).statusCode).toBe(401);
    const guess = `${former.link.slice(0, -24)}${'a'.repeat(24)}`;
    expect((await doors.confirm(guess)).statusCode).toBe(401);
  });
});

test('A54: who looks as a user begins nothing', async () => {
  await doors.signedIn();
  const viewer = doors.owned.database.ownerSession();
  await viewer.use('test', 'test');
  viewer.listen(() => undefined);
  await viewer.viewAs(objectFrom({ record: await doors.value('RETURN user:ann'), access: 'mail' }));
  for (const body of [{ link: true, email: 'x@example.com' }, { step: true }, { email: 'ann@example.com' }])
    await expect(
      viewer.startSignIn({
        databasePath: { namespace: 'test', database: 'test' },
        access: 'mail',
        body: objectFrom({ challenge: CHALLENGE, ...body }),
      }),
    ).rejects.toMatchObject({ code: 'view_read_only' });
});

test('A55: ACCESS at an access method by mail, by each principal', async () => {
  await doors.value(`
    DEFINE USER owner ON DATABASE PASSWORD 'a long password' ROLES OWNER;
    DEFINE USER editor ON DATABASE PASSWORD 'a long password' ROLES EDITOR;
    DEFINE USER viewer ON DATABASE PASSWORD 'a long password' ROLES VIEWER;`);
  const record = await doors.signedIn();
  const tokenOf = async (user: string) => {
    const answer = await doors.inject('/signin', {}, { ...PLACE, user, pass: 'a long password' });
    return (answer.json() as { token: string }).token;
  };
  const may: Record<string, boolean[]> = {};
  for (const [who, token] of [
    ['guest', undefined],
    ['record', record],
    ['viewer', await tokenOf('viewer')],
    ['editor', await tokenOf('editor')],
    ['owner', await tokenOf('owner')],
  ] as const) {
    may[who] = [];
    for (const text of [
      'ACCESS mail SHOW ALL',
      'ACCESS mail GRANT FOR RECORD user:bob',
      'ACCESS mail PURGE REVOKED',
      'INFO FOR MAIL',
    ]) {
      const told = JSON.stringify(await doors.query(text, token)) ?? '';
      may[who].push(!/not enough permissions|not allowed|IAM|Anonymous/i.test(told));
    }
  }
  expect(may).toEqual({
    guest: [false, false, false, false],
    record: [true, false, false, false],
    viewer: [true, false, false, false],
    editor: [true, false, false, false],
    owner: [true, true, true, true],
  });
});

describe('one’s own way in', () => {
  test('can be taken away but for the last one', async () => {
    const token = await doors.signedIn();
    expect(await doors.query("ACCESS mail REVOKE WHERE identity = 'ann@example.com'", token)).toContain('last way');
    await doors.signedIn('ann@example.com', 'other');
    await doors.query("ACCESS other REVOKE WHERE identity = 'ann@example.com'", token);
    expect(await doors.value('RETURN access::identities(user:ann).map(|$each| $each.access)')).toEqual(['mail']);
  });

  test('needs a recent sign-in to be taken away', async () => {
    const token = await doors.signedIn();
    await doors.signedIn('ann@example.com', 'other');
    doors.pass(600_000);
    expect(await doors.query("ACCESS other REVOKE WHERE identity = 'ann@example.com'", token)).toContain('ten minutes');
  });
});

describe('A56: a flood', () => {
  test('of starts leaves as many rows as the database admits', async () => {
    for (let at = 0; at < 1_300; at++)
      await doors.start({ email: `u${at}@example.com` }, { ip: `10.${at >> 8}.${at & 255}.1`, access: 'open' });
    expect((await doors.mails()).length).toBeLessThanOrEqual(1_000);
    expect(await doors.storedRequests()).toBeLessThanOrEqual(1_000);
    doors.pass(600_000);
    const signIns = new SignInRetention({ ...realEnvironment, clock: doors.owned.environment.clock });
    while (await withRetries(doors.engine, async (transaction) => sweepAll(signIns, transaction)));
    expect(await doors.storedRequests()).toBe(0);
  });

  test('of 10,000 open requests of a database is its bound', async () => {
    await doors.start(ANN);
    await doors.fill(9_998);
    expect((await doors.start({ email: 'bob@example.com' })).statusCode).toBe(200);
    const answer = await doors.start({ email: 'eve@example.com' }, { ip: '203.0.113.1' });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '60']);
    doors.pass(600_000);
    expect((await doors.start({ email: 'eve@example.com' }, { ip: '203.0.113.1' })).statusCode).toBe(200);
  });

  test('of requests that are open is refused at its bounds', async () => {
    for (let at = 0; at < 20; at++) await doors.start({ email: `u${at}@example.com` }, { access: 'open' });
    doors.pass(9 * 60_000);
    const answer = await doors.start({ email: 'one-more@example.com' }, { access: 'open' });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, expect.any(String)]);
  });
});

describe('A59: in the middle', () => {
  test('the access method is redefined, or removed', async () => {
    const { request, code } = await doors.begun(ANN);
    await doors.value('DEFINE ACCESS OVERWRITE mail ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE false)');
    expect(await doors.signIn({ request, code })).toMatchObject(refused);
    await doors.value('REMOVE ACCESS mail ON DATABASE');
    expect(await doors.signIn({ request, code })).toMatchObject(refused);
  });

  test('the record is deleted, and made again under its id', async () => {
    const { request, code } = await doors.begun(ANN);
    await doors.value("DELETE user:ann; CREATE user:ann SET email = 'ann@example.com'");
    expect(await doors.signIn({ request, code })).toMatchObject(refused);
  });

  test('the database is removed, and defined again', async () => {
    const { request, code } = await doors.begun(ANN);
    await doors.value(`REMOVE DATABASE test; DEFINE DATABASE test;
      DEFINE ACCESS mail ON DATABASE TYPE RECORD WITH MAIL CODE`);
    expect(await doors.signIn({ request, code })).toMatchObject(refused);
  });
});

describe('bad input', () => {
  test('of an address is a clear error, and no mail', async () => {
    const addresses = [
      undefined,
      null,
      '',
      'ann',
      'ann@',
      '@example.com',
      'a@b@example.com',
      'ann@example.com,eve@evil.example',
      'ann@example.com;eve@evil.example',
      'ann@example.com\r\nBcc: eve@evil.example',
      'friends: ann@example.com, eve@evil.example;',
      '"ann"@example.com',
      '<ann@example.com>',
      'Ann <ann@example.com>',
      'ann＠example.com',
      'ann\0@example.com',
      'ann@exa mple.com',
      'ann@127.0.0.1',
      'ann@[127.0.0.1]',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b'.repeat(400)}.example`,
      ['ann@example.com'],
      { address: 'ann@example.com' },
      7,
      true,
    ];
    for (const email of addresses) {
      const answer = await doors.start({ email }, { access: 'open' });
      expect([email, answer.statusCode]).toEqual([email, 400]);
    }
    expect(await doors.mails()).toEqual([]);
  });

  test('of an access method, and of a body', async () => {
    for (const place of [{ NS: 'test' }, { DB: 'test' }, {}, { NS: 'test', DB: 'none' }]) {
      const params = [{ ...place, AC: 'mail', challenge: CHALLENGE, ...ANN }];
      const answer = await doors.inject('/rpc', {}, { id: 1, method: 'auth_start', params });
      expect([place, answer.json().error?.code]).toEqual([place, expect.any(Number)]);
    }
    for (const access of ['none', '', '..', 'mail/..', 'a'.repeat(600)])
      expect([access, [400, 401, 404].includes((await doors.start(ANN, { access })).statusCode)]).toEqual([
        access,
        true,
      ]);
    expect((await doors.start(ANN, { access: 'account' })).statusCode).toBe(400);
    for (const payload of ['[]', '7', 'null', '"x"', '{', '']) {
      const answer = await doors.app.inject({
        method: 'POST',
        url: '/auth/test/test/mail/start',
        headers: { 'content-type': 'application/json' },
        payload,
      });
      expect([payload, answer.statusCode]).toEqual([payload, 400]);
    }
    const long = `${REDIRECT}?${'x'.repeat(2_000)}`;
    for (const wrong of [
      { link: 'true' },
      { step: 1 },
      { redirect: 5 },
      { redirect: long },
      { variables: [] },
      { variables: 'x' },
    ])
      expect((await doors.start({ ...ANN, ...wrong })).statusCode).toBe(400);
  });
});

function claimsOf(token: string | undefined): Record<string, unknown> {
  return token === undefined ? {} : JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** Some of what has run out in all databases; whether there may be more. */
async function sweepAll(signIns: SignInRetention, transaction: Transaction): Promise<boolean> {
  let mayBeMore = false;
  for (const database of await signIns.databases(transaction))
    if (await signIns.prune(transaction, database)) mayBeMore = true;
  return mayBeMore;
}
