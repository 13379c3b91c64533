/** The page to sign in: what its links, forms and codes can be made to do (A2, A3, A8 to A10, A43, A56, A60). */
import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/auth/ways/challenge.js';
import { CHALLENGE, ProviderWorld, REDIRECT, VERIFIER } from './provider-world.js';

const PAGE = '/auth/test/test';
const ANN = { sub: 'ann-1', email: 'ann@example.com', email_verified: true, name: 'Ann' };
const OTHER_VERIFIER = 'w'.repeat(43);

let world: ProviderWorld;
beforeEach(async () => {
  world = await ProviderWorld.open();
  await world.value(`
    DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP;
    CREATE user:bob SET name = 'bob', email = 'bob@example.com';
  `);
});
afterEach(() => world.close());

type Fields = Readonly<Record<string, string>>;

function show(query: Fields = {}, headers: Fields = {}): Promise<LightMyRequestResponse> {
  const parameters = new URLSearchParams({ challenge: CHALLENGE, redirect: REDIRECT, ...query });
  return world.inject('GET', `${PAGE}?${parameters}`, undefined, { headers });
}

function post(fields: Fields, headers: Fields = {}, page = PAGE): Promise<LightMyRequestResponse> {
  return world.app.inject({
    method: 'POST',
    url: page,
    remoteAddress: '192.0.2.1',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ challenge: CHALLENGE, redirect: REDIRECT, ...fields }).toString(),
  });
}

const BOB = { step: 'signin', access: 'account', 'variable.name': 'bob' };

/** What the app gets by an answer. */
function handed(answer: LightMyRequestResponse): Record<string, string> {
  const to = String(answer.headers.location);
  return to.startsWith(REDIRECT) ? Object.fromEntries(new URL(to).searchParams) : { to };
}

const withoutNonce = (body = '') => body.replace(/nonce="[^"]*"/g, '');

/** The field of that name in a form of the page. */
const hidden = ({ body }: LightMyRequestResponse, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? '';

describe('the link of an app', () => {
  test('to an address that isn’t listed leads nowhere, however it is asked for (A8)', async () => {
    const addresses = [
      `${REDIRECT}/`,
      `${REDIRECT}?a`,
      `${REDIRECT}#a`,
      'https://shop.example.evil.example/in',
      'https://shop.example@evil.example/in',
      'https://SHOP.example/in',
      'https://shop.example/in/../out',
      '//evil.example',
      'https:\\\\evil.example',
      'javascript:alert(1)',
      'http://127.0.0.1.evil.example/in',
      'SELF',
      'self ',
      '?self',
      '',
    ];
    for (const redirect of addresses) {
      const begun = new URLSearchParams({ challenge: CHALLENGE, redirect, page: 'true' });
      for (const answer of [
        await show({ redirect }),
        await show({ redirect, error: 'access_denied' }),
        await post({ ...BOB, redirect }),
        await world.inject('GET', `${PAGE}/id/start?${begun}`),
      ]) {
        expect([redirect, answer.statusCode, answer.headers.location]).toEqual([redirect, 400, undefined]);
        expect(answer.body).not.toContain('name="step"');
      }
    }
  });

  test('with no challenge of S256 shows no form (A2)', async () => {
    for (const challenge of ['', 'plain', 'a'.repeat(42), 'a'.repeat(44), `${CHALLENGE}=`, '"><script>']) {
      for (const answer of [await show({ challenge }), await post({ ...BOB, challenge })]) {
        expect([challenge, answer.statusCode, answer.headers.location]).toEqual([challenge, 400, undefined]);
        expect(answer.body).not.toContain('<script');
        expect(answer.body).not.toContain('name="step"');
      }
    }
  });

  test('shows markup as text, and is framed by no one (A60)', async () => {
    await world.value(`ALTER CONFIG AUTH NAME '"><script>alert(1)</script>'`);
    await world.value(`DEFINE ACCESS odd ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM user WHERE name = $\`<b>"\`) COMMENT '<img src=x onerror=alert(1)>'`);
    const answer = await show({ error: '<script>alert(1)</script>', more: '<i>' });
    expect(answer.statusCode).toBe(200);
    for (const markup of ['<script', '<img', '<b>"', '<i>']) expect(answer.body).not.toContain(markup);
    expect(answer.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://shop.example http://127.0.0.1:*;");
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  test('names nothing after what a request says of this server (A10)', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    expect((await show({}, headers)).body).not.toContain('evil.example');
    expect((await post(BOB, headers)).headers.location).toMatch(/^https:\/\/shop\.example\/in\?/);
  });

  test('shows the same for a database without an app as for one that there isn’t', async () => {
    await world.owned.owner.query(
      'DEFINE DATABASE bare; USE DB bare; DEFINE ACCESS a ON DATABASE TYPE RECORD SIGNIN (user:a)',
    );
    const [bare, none] = ['/auth/test/bare', '/auth/test/none'].map((url) => world.inject('GET', url));
    const [one, other] = [await bare, await none];
    expect(one?.statusCode).toBe(other?.statusCode);
    expect(withoutNonce(one?.body).replaceAll('bare', 'none')).toBe(withoutNonce(other?.body));
    expect((await post({ ...BOB, redirect: 'self' }, {}, '/auth/test/bare')).statusCode).toBe(400);
  });
});

describe('a form', () => {
  test('signs in for the app that it names, whose verifier alone takes over, once (A2, A3)', async () => {
    const { code = '', access } = handed(await post(BOB));
    expect(access).toBe('account');
    for (const other of ['mail', 'id', 'plain', 'totp'])
      expect((await world.redeem({ code, verifier: VERIFIER }, other)).statusCode).toBe(401);
    for (const proof of [{}, { verifier: OTHER_VERIFIER }, { verifier: CHALLENGE }])
      expect((await world.redeem({ code, ...proof }, 'account')).statusCode).toBe(401);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => world.redeem({ code, verifier: VERIFIER }, 'account')),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  test('gives a code that is too late after a minute, and ends with wrong verifiers', async () => {
    const late = handed(await post(BOB));
    const guessed = handed(await post(BOB));
    for (let at = 0; at < 5; at++) await world.redeem({ code: guessed['code'], verifier: OTHER_VERIFIER }, 'account');
    expect((await world.redeem({ code: guessed['code'], verifier: VERIFIER }, 'account')).statusCode).toBe(401);
    world.pass(60_001);
    expect((await world.redeem({ code: late['code'], verifier: VERIFIER }, 'account')).statusCode).toBe(401);
  });

  test('gives a code that ends with its record, its access method, and its sessions', async () => {
    const ends = [
      'DELETE user:bob; CREATE user:bob SET name = "bob"',
      'KILL SESSIONS FOR RECORD user:bob',
      'REMOVE ACCESS account ON DATABASE',
    ];
    for (const end of ends) {
      const { code } = handed(await post(BOB));
      world.pass(1_000);
      await world.value(end);
      expect([end, (await world.redeem({ code, verifier: VERIFIER }, 'account')).statusCode]).not.toEqual([end, 200]);
    }
  });

  test('of another page presses no button here', async () => {
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await post(BOB, { 'sec-fetch-site': site })).statusCode).toBe(403);
    expect((await post(BOB, { 'sec-fetch-site': 'same-origin', origin: 'null' })).statusCode).toBe(303);
  });

  test('that is none of the page is refused', async () => {
    const forms: readonly Fields[] = [
      { step: 'none' },
      { step: '__proto__' },
      { step: 'constructor' },
      { access: 'none' },
      { access: '' },
      { step: 'prove', request: 'x' },
      { step: 'mail' },
      { step: 'enrol', access: 'totp' },
      { step: 'prove', access: 'id', request: '', credential: '{' },
    ];
    for (const fields of forms) {
      const answer = await post({ ...BOB, ...fields });
      expect([fields, [400, 401].includes(answer.statusCode), answer.headers.location]).toEqual([
        fields,
        true,
        undefined,
      ]);
    }
  });

  test('sends the variables that its clause asks for, and no other', async () => {
    await world.value(`DEFINE ACCESS open ON DATABASE TYPE RECORD
      SIGNUP (CREATE user SET name = $name, all = { a: $extra, b: $auth, c: $identity })`);
    const fields = { step: 'signup', access: 'open', 'variable.name': 'eve', name: 'x', 'variable.auth': 'user:bob' };
    const odd = { 'variable.identity': 'x', 'variable.__proto__': 'x', 'variable.name.first': 'x' };
    expect(handed(await post({ ...fields, ...odd }))['access']).toBe('open');
    expect(await world.value('SELECT VALUE all FROM user WHERE name = "eve"')).toEqual([{ c: 'x' }]);
  });

  test('counts as an attempt to sign in, and says nothing of accounts (A26)', async () => {
    const seen = new Set<string>();
    for (const name of ['no one', 'no one else']) {
      const { statusCode, body } = await post({ ...BOB, 'variable.name': name });
      seen.add(`${statusCode} ${withoutNonce(body).replaceAll(`"${name}"`, '')}`);
    }
    expect(seen.size).toBe(1);
    // As many as of `/signin`, by their names and their source.
    const attempts = JSON.stringify(await world.value('INFO FOR SIGNIN ATTEMPTS'));
    expect([attempts.includes('no one'), attempts.includes('192.0.2.1')]).toEqual([true, true]);
    expect(world.audited.join('')).toContain('"method":"page"');
  });

  test('hides what is secret by its name, and what only sounds like it stays readable', async () => {
    await world.value(`DEFINE ACCESS fields ON DATABASE TYPE RECORD
      SIGNUP (CREATE user SET pin = $pin, postcode = $postcode, name = $first_name, promo = $promoCode)`);
    const { body } = await show();
    const typeOf = (name: string) => new RegExp(`name="variable\\.${name}" type="(\\w+)"`).exec(body)?.[1];
    expect(['pin', 'postcode', 'first_name', 'promoCode'].map(typeOf)).toEqual([
      'password',
      'text',
      'text',
      'password',
    ]);
    expect(body).toContain('<label>First name');
  });

  test('never repeats a secret that was typed', async () => {
    await world.value(`DEFINE ACCESS locked ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM user WHERE name = $name AND pass = $pass)`);
    const fields = { step: 'signin', access: 'locked', 'variable.name': 'bob', 'variable.pass': 'hunter2' };
    const { body } = await post(fields);
    expect(body).toContain('value="bob"');
    expect(body).not.toContain('hunter2');
    expect([...world.log, ...world.audited].join('')).not.toContain('hunter2');
  });
});

describe('what a link or a provider has proved', () => {
  const begin = async (more: Fields = {}) => {
    const query = new URLSearchParams({ challenge: CHALLENGE, redirect: REDIRECT, page: 'true', ...more });
    const answer = await world.inject('GET', `${PAGE}/id/start?${query}`);
    return String(answer.headers.location);
  };
  const back = async (parameters: URLSearchParams) => world.inject('GET', `${PAGE}/id/callback?${parameters}`);

  test('goes on at the page to the app, with a code of its own', async () => {
    const answer = await back(world.id.signIn(await begin(), ANN));
    const { code, access } = handed(answer);
    expect(access).toBe('id');
    expect((await world.redeem({ code, verifier: OTHER_VERIFIER })).statusCode).toBe(401);
    const signedIn = await world.redeem({ code, verifier: VERIFIER });
    expect(signedIn.statusCode).toBe(200);
    expect(world.read(signedIn.json().token.access).claims).toMatchObject({ amr: ['fed'], idp: { sub: 'ann-1' } });
  });

  test('that it was refused goes back to the page, in its words (A9)', async () => {
    const state = new URL(await begin()).searchParams.get('state') ?? '';
    const refusal = { error: 'access_denied', error_description: '<script>', state, iss: world.id.issuer };
    const answer = await back(new URLSearchParams(refusal));
    expect(answer.statusCode).toBe(303);
    const to = new URL(String(answer.headers.location), `https://db.example${PAGE}/id/callback`);
    expect(to.pathname).toBe(PAGE);
    expect(Object.fromEntries(to.searchParams)).toEqual({
      challenge: CHALLENGE,
      redirect: REDIRECT,
      error: 'access_denied',
    });
    expect((await world.inject('GET', `${to.pathname}${to.search}`)).body).toContain('You didn’t sign in there.');
  });

  test('asks for the second factor there; before that there is no code (A43)', async () => {
    const { id } = await world.signIn(ANN);
    await world.value(`ACCESS totp LINK RECORD ${id} SUBJECT '${'A'.repeat(32)}'`);
    const answer = await back(world.id.signIn(await begin(), ANN));
    expect([answer.statusCode, answer.headers.location]).toEqual([200, undefined]);
    expect(answer.body).toContain('The code of your authenticator app');
    expect(answer.body).toContain(`action="../../../test/test"`);
    const request = hidden(answer, 'request');
    // The request alone is worth nothing, at any door.
    expect((await world.redeem({ request, code: '' }, 'totp')).statusCode).toBe(401);
    expect((await world.redeem({ code: request, verifier: VERIFIER })).statusCode).toBe(401);
    const wrong = await post({ step: 'prove', access: 'totp', request, code: '000000' });
    expect([wrong.statusCode, hidden(wrong, 'request')]).toEqual([401, request]);
    const code = (await world.value(`RETURN crypto::totp::code('${'A'.repeat(32)}')`)) as string;
    const right = handed(await post({ step: 'prove', access: 'totp', request, code }));
    expect(right['access']).toBe('id');
    const signedIn = await world.redeem({ code: right['code'], verifier: VERIFIER });
    expect(world.read(signedIn.json().token.access).claims).toMatchObject({ ID: id, amr: ['fed', 'otp'], acr: 'aal2' });
  });

  test('for one app is of no use to another', async () => {
    const other = await world.start({ email: 'bob@example.com' }, { access: 'mail' });
    const { request } = other.json() as { request: string };
    const sent = (await world.mails()).find(({ to }) => to === 'bob@example.com');
    // The code is right, but for the app that has asked for it.
    const challenge = challengeOf(OTHER_VERIFIER);
    const taken = await post({ step: 'prove', access: 'mail', request, code: sent?.code ?? '', challenge });
    expect([taken.statusCode, taken.headers.location]).toEqual([401, undefined]);
    const own = handed(await post({ step: 'prove', access: 'mail', request, code: sent?.code ?? '' }));
    expect((await world.redeem({ code: own['code'], verifier: OTHER_VERIFIER }, 'mail')).statusCode).toBe(401);
    expect((await world.redeem({ code: own['code'], verifier: VERIFIER }, 'mail')).statusCode).toBe(200);
  });
});

test('trying it out leads to the page itself, never to an app', async () => {
  const answer = await post({ ...BOB, redirect: 'self' });
  expect(String(answer.headers.location)).toMatch(/^\.\.\/test\/test\?code=[\w-]{22}&access=account$/);
  const api = await world.start({ redirect: 'self' });
  expect([api.statusCode, api.json().code]).toEqual([400, 400]);
});

test('mails are bounded, however many forms are sent (A56)', async () => {
  for (let at = 0; at < 60; at++) await post({ step: 'mail', access: 'mail', email: `u${at}@example.com` });
  expect((await world.mails()).length).toBeLessThanOrEqual(20);
  const last = await post({ step: 'mail', access: 'mail', email: 'u99@example.com' });
  expect([last.statusCode, last.body.includes('There were too many attempts.')]).toEqual([429, true]);
});
