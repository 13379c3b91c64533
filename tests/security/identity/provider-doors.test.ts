/** The doors of signing in at a provider: `start` and `callback`. A1 to A4, A6, A7, A9, A10, A18 to A20. */
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../src/catalog/entries.js';
import { readTarget } from '../../../src/functions/network/targets.js';
import { toText } from '../../../src/value/text/text.js';
import { CLIENT } from '../../support/identity-provider.js';
import { CHALLENGE, ProviderWorld, REDIRECT, VERIFIER } from './provider-world.js';

let world: ProviderWorld;
beforeEach(async () => {
  world = await ProviderWorld.open();
});
afterEach(() => world.close());

const ANN = { sub: 'ann-1', email: 'ann@example.com', email_verified: true, name: 'Ann' };

describe('the callback (A1)', () => {
  test('takes a state once', async () => {
    const back = world.id.signIn(await world.began(), ANN);
    const first = await world.back(back);
    expect(first).toBeInstanceOf(URL);
    expect(await world.back(back)).toBe(401);
    // Whether what came with it was right or not.
    const other = world.id.signIn(await world.began(), ANN);
    const wrong = new URLSearchParams(other);
    wrong.set('code', 'wrong');
    expect(String(await world.back(wrong))).toBe(`${REDIRECT}?error=access_denied`);
    expect(await world.back(other)).toBe(401);
  });

  test('without a state, with another, or with that of another access method, leads nowhere', async () => {
    const back = world.id.signIn(await world.began(), ANN);
    for (const state of [undefined, '', 'x', 's'.repeat(43), 's'.repeat(100_000)]) {
      const changed = new URLSearchParams(back);
      if (state === undefined) changed.delete('state');
      else changed.set('state', state);
      expect(await world.back(changed.toString().slice(0, 15_000))).toBe(401);
    }
    for (const access of ['plain', 'corp', 'mail', 'account', 'missing'])
      expect(await world.back(back, access)).toBe(401);
    for (const path of ['/auth/other/test/id', '/auth/test/other/id'])
      expect((await world.inject('GET', `${path}/callback?${back}`)).statusCode).toBe(401);
    // It is still good where it belongs.
    expect(await world.back(back)).toBeInstanceOf(URL);
  });

  test('is too late after ten minutes, and so is its code after one', async () => {
    const late = world.id.signIn(await world.began(), ANN);
    const code = await world.code(ANN);
    world.pass(61_000);
    expect((await world.redeem({ code, verifier: VERIFIER })).statusCode).toBe(401);
    world.pass(600_000);
    expect(await world.back(late)).toBe(401);
  });

  test.each(['state', 'code', 'iss'])('with %s twice leads nowhere (A18)', async (name) => {
    const back = world.id.signIn(await world.began(), ANN);
    back.append(name, back.get(name) ?? '');
    expect(await world.back(back)).toBe(401);
  });

  test('by a form of a page of the provider works; with a query besides, or as JSON, it doesn’t (A18)', async () => {
    const post = (query: string, payload: string, type = 'application/x-www-form-urlencoded') =>
      world.app.inject({
        method: 'POST',
        url: `/auth/test/test/id/callback${query}`,
        headers: { 'content-type': type, origin: 'https://id.example', 'sec-fetch-site': 'cross-site' },
        payload,
      });
    const back = world.id.signIn(await world.began(), ANN);
    expect((await post(`?${back}`, '')).statusCode).toBe(400);
    expect((await post('?x=1', back.toString())).statusCode).toBe(400);
    const asJson = JSON.stringify(Object.fromEntries(back));
    expect((await post('', asJson, 'application/json')).statusCode).toBe(400);
    const answer = await post('', back.toString());
    expect([answer.statusCode, String(answer.headers.location)]).toEqual([
      303,
      expect.stringContaining(`${REDIRECT}?code=`),
    ]);
  });

  test('of many at once lets one through', async () => {
    const back = world.id.signIn(await world.began(), ANN);
    const all = await Promise.all(Array.from({ length: 20 }, () => world.back(back)));
    expect(all.filter((to) => to instanceof URL)).toHaveLength(1);
  });

  test('with an error of the provider: one word for the app, whatever it says (A9)', async () => {
    const words: Readonly<Record<string, string>> = {
      access_denied: 'access_denied',
      login_required: 'access_denied',
      server_error: 'provider_unavailable',
      '<script>alert(1)</script>': 'access_denied',
    };
    for (const [error, word] of Object.entries(words)) {
      const state = new URL(await world.began()).searchParams.get('state') ?? '';
      const markup = '"><script>alert(1)</script>';
      const back = new URLSearchParams({
        error,
        error_description: markup,
        error_uri: 'javascript:1',
        state,
        iss: world.id.issuer,
      });
      const to = await world.back(back);
      expect(String(to)).toBe(`${REDIRECT}?error=${word}`);
    }
    expect(world.log.join('\n')).not.toContain('script');
    // Without a state, or for that of another user, it leads nowhere and ends nothing.
    expect(await world.back('error=access_denied')).toBe(401);
    const page = await world.app.inject({ url: '/auth/test/test/id/callback?error=%3Cscript%3E' });
    expect(page.body).not.toContain('<script');
    expect(page.headers['www-authenticate']).toBeUndefined();
  });
});

describe('mix-up (A4)', () => {
  test('codes of two access methods of one issuer can’t be swapped', async () => {
    const [one, two] = [await world.began(), await world.began({}, { access: 'plain' })];
    const [first, second] = [world.id.signIn(one, ANN), world.id.signIn(two, { ...ANN, sub: 'eve' })];
    const [code, other] = [first.get('code') ?? '', second.get('code') ?? ''];
    first.set('code', other);
    second.set('code', code);
    expect(String(await world.back(first))).toContain('error=access_denied');
    expect(String(await world.back(second, 'plain'))).toContain('error=access_denied');
  });

  test('what another provider sends isn’t taken', async () => {
    const url = await world.began();
    // The people were led to another provider, which got the state.
    const back = world.corp.signIn(url, ANN);
    expect(String(await world.back(back))).toContain('error=access_denied');
  });

  test('the code of the app is good at its access method alone', async () => {
    const code = await world.code(ANN);
    for (const access of ['plain', 'corp', 'mail', 'account'])
      expect((await world.redeem({ code, verifier: VERIFIER }, access)).statusCode).not.toBe(200);
    expect((await world.redeem({ code, verifier: VERIFIER })).statusCode).toBe(200);
  });

  test('an access method that has become another meanwhile takes nothing', async () => {
    const back = world.id.signIn(await world.began(), ANN);
    const code = await world.code({ ...ANN, sub: 'ann-2' });
    await world.value('DEFINE ACCESS OVERWRITE id ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user) WITH MAIL CODE');
    expect(await world.back(back)).toBe(401);
    expect((await world.redeem({ code, verifier: VERIFIER })).statusCode).toBe(401);
  });
});

test('a provider that takes the place of another meanwhile gets no code or verifier of those who are under way (A4, A59)', async () => {
  const url = await world.began();
  await world.value(`DEFINE ACCESS OVERWRITE id ON DATABASE TYPE RECORD SIGNUP (CREATE user)
    WITH OIDC ISSUER 'https://corp.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}'`);
  // It would answer for them as if they had been sent to it.
  expect(await world.back(world.corp.signIn(url, ANN))).toBe(401);
  expect(world.corp.asked).toEqual([]);
  expect(await world.value('SELECT * FROM user')).toEqual([]);
});

describe('a start', () => {
  test.each([
    [{ challenge: undefined }, 'start_malformed'],
    [{ challenge: 'plain' }, 'start_malformed'],
    [{ challenge: 'c'.repeat(44) }, 'start_malformed'],
    [{ email: 'ann@example.com' }, 'start_malformed'],
    [{ redirect: 'https://shop.example/in?x' }, 'redirect_unknown'],
    [{ redirect: 'https://shop.example.evil.example/in' }, 'redirect_unknown'],
    [{ redirect: 'javascript:alert(1)' }, 'redirect_unknown'],
    [{ redirect: '//shop.example/in' }, 'redirect_unknown'],
    [{ state: 'mine' }, 'start_malformed'],
    [{ redirect_uri: 'https://evil.example' }, 'start_malformed'],
  ])('with %j is refused', async (body, error) => {
    const answer = await world.start(body);
    expect(answer.json().error).toBe(error);
    expect(world.id.asked).toEqual([]);
  });

  test('passes nothing of the app on to the provider (A7)', async () => {
    const names = ['state', 'redirect_uri', 'scope', 'nonce', 'client_id', 'prompt', 'request_uri', 'code_challenge'];
    const variables = Object.fromEntries(names.map((name) => [name, 'injected']));
    const url = await world.began({ variables });
    expect(url).not.toContain('injected');
    expect(new URL(url).searchParams.get('code_challenge')).not.toBe(CHALLENGE);
  });

  test('by a plain link leads to the provider; errors go to the app, if they are the provider’s', async () => {
    const link = `/auth/test/test/id/start?challenge=${CHALLENGE}&redirect=${encodeURIComponent(REDIRECT)}`;
    const answer = await world.inject('GET', link);
    expect([answer.statusCode, answer.headers['cache-control'], answer.headers['referrer-policy']]).toEqual([
      303,
      'no-store',
      'no-referrer',
    ]);
    const to = await world.back(world.id.signIn(String(answer.headers.location), ANN));
    expect(to).toBeInstanceOf(URL);
    expect((await world.inject('GET', `${link}x`)).statusCode).toBe(400);
    expect((await world.inject('GET', `/auth/test/test/mail/start?challenge=${CHALLENGE}`)).statusCode).toBe(400);
    world.id.lies = { metadata: () => ({ status: 500, body: new Uint8Array(0) }) };
    world.pass(2 * 60 * 60 * 1000);
    expect((await world.inject('GET', link)).headers.location).toBe(`${REDIRECT}?error=provider_unavailable`);
  });

  test('takes no address from what a request says of the server (A10)', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
      origin: 'https://evil.example',
    };
    const answer = await world.inject('POST', '/auth/test/test/id/start', { challenge: CHALLENGE }, { headers });
    expect(answer.body).not.toContain('evil');
  });

  test('takes no address from an absolute target either, and no second host (A10)', async () => {
    await world.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = world.app.server.address() as AddressInfo;
    const body = JSON.stringify({ challenge: CHALLENGE });
    const told = async (target: string, hosts: readonly string[]) => {
      const socket = connect(port, '127.0.0.1');
      const headers = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
      socket.write(
        `POST ${target} HTTP/1.1\r\n${[...hosts.map((host) => `host: ${host}`), ...headers].join('\r\n')}\r\n\r\n${body}`,
      );
      return text(socket);
    };
    const path = '/auth/test/test/id/start';
    for (const [target, hosts] of [
      [path, ['127.0.0.1', 'evil.example']],
      [path, ['evil.example']],
      [`http://evil.example${path}`, ['127.0.0.1']],
      [`//evil.example${path}`, ['127.0.0.1']],
    ] as const)
      expect([target, await told(target, hosts)]).toEqual([target, expect.not.stringMatching(/evil/)]);
    expect(await told(path, ['evil.example'])).toContain(
      encodeURIComponent('https://db.example/auth/test/test/id/callback'),
    );
  });

  test('at a provider that is asked while the database is removed begins nothing (A59)', async () => {
    let release: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.id.lies = { metadata: (metadata) => hangs.then(() => metadata as never) };
    const answer = world.start();
    await expect.poll(() => world.id.asked.length).toBe(1);
    await world.value('REMOVE DATABASE test');
    release();
    expect((await answer).statusCode).toBe(401);
  });

  test('of one source: twenty may be open', async () => {
    for (let at = 0; at < 20; at++) expect((await world.start()).statusCode).toBe(200);
    const answer = await world.start();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '60']);
  });

  test('over RPC answers the same', async () => {
    const params = [{ NS: 'test', DB: 'test', AC: 'id', challenge: CHALLENGE }];
    const answer = await world.inject('POST', '/rpc', { id: 1, method: 'auth_start', params });
    expect(answer.json().result).toMatchObject({
      request: expect.any(String),
      url: expect.stringContaining('https://id.example/'),
    });
  });
});

describe('where providers are (A6)', () => {
  test.each([
    'http://127.0.0.1',
    'http://169.254.169.254',
    'https://127.0.0.1',
    'https://169.254.169.254',
    'https://[::1]',
    'https://rebound.example',
    'https://unknown.example',
  ])('%s isn’t asked without --allow-net', async (issuer) => {
    const define = `DEFINE ACCESS evil ON DATABASE TYPE RECORD WITH OIDC ISSUER '${issuer}' CLIENT 'a' SECRET 'b'`;
    if (issuer.startsWith('http:')) {
      await expect(world.value(define)).rejects.toMatchObject({ code: 'issuer_insecure' });
      return;
    }
    await world.value(define);
    const answer = await world.start({}, { access: 'evil' });
    expect([answer.statusCode, answer.json().error]).toEqual([503, 'provider_unavailable']);
    expect(answer.body).not.toContain('net');
    expect(world.log).toEqual([expect.stringContaining('--allow-net doesn’t allow it')]);
  });

  test.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])('%s elsewhere isn’t asked either', async (name) => {
    world.id.lies = { metadata: (metadata) => ({ ...metadata, [name]: 'https://169.254.169.254/latest' }) };
    expect(await world.code({ sub: 'ann-1', user: ANN })).toBe('error=provider_unavailable');
    expect(world.id.asked.map(({ url }) => url.hostname)).not.toContain('169.254.169.254');
  });

  test('a name that leads to this machine isn’t asked, though it is allowed', async () => {
    await world.close();
    world = await ProviderWorld.open({ network: { allow: [readTarget('id.example') as never] } }, '127.0.0.1');
    expect((await world.start()).json().error).toBe('provider_unavailable');
    expect(world.id.asked).toEqual([]);
  });
});

describe('secrets (A19)', () => {
  test('are shown to no user; an owner’s export has them', async () => {
    await world.signIn(ANN);
    await world.value("DEFINE USER ed ON DATABASE PASSWORD 'an editor of it' ROLES EDITOR");
    const editor = (
      await world.inject('POST', '/signin', { NS: 'test', DB: 'test', user: 'ed', pass: 'an editor of it' })
    ).json().token;
    world.id.lies = {
      token: () => ({
        status: 400,
        body: Buffer.from(`{"error":"${CLIENT.secret}"}`),
        headers: { 'content-type': 'application/json' },
      }),
    };
    await world.code(ANN);
    const shown = [
      ...(await Promise.all(
        [
          'INFO FOR DB',
          'INFO FOR DB STRUCTURE',
          'INFO FOR ACCESS id',
          'EXPLAIN SELECT * FROM user',
          'INFO FOR AUDIT',
          'ACCESS id SHOW ALL',
          'INFO FOR SIGNIN ATTEMPTS',
        ].map(async (text) => toText((await world.value(text).catch(String)) as never)),
      )),
      String(
        await world.query(
          "DEFINE ACCESS x ON DATABASE TYPE RECORD WITH OIDC GOOGLE CLIENT 'a' SECRET 'b' WITH OIDC GOOGLE CLIENT 'a' SECRET 'b'",
          editor,
        ),
      ),
      await world.exported(editor),
      world.log.join('\n'),
      world.audited.join('\n'),
    ].join('\n');
    expect(shown).toContain("SECRET '[REDACTED]'");
    expect(shown).not.toContain(CLIENT.secret);
    expect(await world.exported()).toContain(CLIENT.secret);
    await expect(
      world.value("DEFINE ACCESS x ON DATABASE TYPE RECORD WITH OIDC GOOGLE CLIENT 'a' SECRET '[REDACTED]'"),
    ).rejects.toMatchObject({ code: 'secret_redacted' });
  });

  test('of requests under way are in no log, no audit and no answer but their own', async () => {
    const url = new URL(await world.began());
    const state = url.searchParams.get('state') ?? '';
    const code = await world.code(ANN);
    const transaction = await world.engine.begin({ writable: false });
    const stored = (await entriesOf(transaction, { from: '', to: '\uffff' }))
      .map(([key, value]) => key + toText(value))
      .join('\n');
    transaction.cancel();
    for (const secret of [state, code]) {
      expect(stored).not.toContain(secret);
      expect(world.log.join() + world.audited.join()).not.toContain(secret);
    }
    // What the provider sees of the verifier is its digest.
    expect(stored).not.toContain(VERIFIER);
  });
});

test('answers with codes aren’t stored, and name no referrer (A20)', async () => {
  const back = world.id.signIn(await world.began(), ANN);
  const started = await world.start();
  const came = await world.inject('GET', `/auth/test/test/id/callback?${back}`);
  const redeemed = await world.redeem({
    code: new URL(String(came.headers.location)).searchParams.get('code'),
    verifier: VERIFIER,
  });
  for (const { headers } of [started, came]) {
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
  expect(redeemed.statusCode).toBe(200);
});

test('the callback is one of the routes of signing in, which can be denied', async () => {
  const { ROUTES } = await import('../../../src/http/routes/routes.js');
  const callbacks = ROUTES.filter(({ path }) => path.startsWith('/auth/') && path.endsWith('/callback'));
  expect(callbacks.map(({ method }) => method)).toEqual(['GET', 'POST']);
});

test('INFO FOR ACCESS shows an owner what is missing', async () => {
  expect(await world.value('INFO FOR ACCESS id')).toEqual({
    ready: true,
    reason: undefined,
    redirect_uri: 'https://db.example/auth/test/test/id/callback',
  });
  expect(await world.value('INFO FOR ACCESS mail')).toEqual({ ready: true });
  await world.value("DEFINE ACCESS x ON DATABASE TYPE RECORD WITH OIDC GOOGLE CLIENT 'a' SECRET 'b'");
  expect(await world.value('INFO FOR ACCESS x')).toMatchObject({
    ready: false,
    reason: expect.stringContaining('--allow-net'),
  });
  await expect(world.value('INFO FOR ACCESS missing')).rejects.toMatchObject({ code: 'access_missing' });
  const ann = await world.signIn(ANN);
  expect(await world.query('INFO FOR ACCESS id', ann.token)).toMatch(/permissions/);
});
