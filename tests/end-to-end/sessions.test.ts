/** Sessions that end, and tokens that are past their time, by the clock of the real server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newClient } from '../support/official-client.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';
import { asRoot, RpcSocket, SHOP, SHOP_HEADERS, send, tokenOf } from './clients.js';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer();
  const access = (name: string, duration: string) => `DEFINE ACCESS ${name} ON DATABASE TYPE RECORD
    SIGNUP (CREATE person SET name = $name) SIGNIN (SELECT * FROM person WHERE name = $name) DURATION ${duration};`;
  await asRoot(
    server.url,
    `DEFINE TABLE person PERMISSIONS FOR select WHERE id = $auth;
     ${access('short_session', 'FOR SESSION 1s')}
     ${access('short_token', 'FOR TOKEN 1s, FOR SESSION 1h')}
     ${access('usual', 'FOR TOKEN 1h')}
     CREATE person:ann SET name = "Ann";`,
    ROOT,
  );
}, 60_000);
afterAll(cleanUp);

const ann = (access: string) => ({ NS: SHOP.namespace, DB: SHOP.database, AC: access, name: 'Ann' });
const expired = { code: -32000, message: 'The session has expired' };
const poll = { timeout: 10_000, interval: 100 };

it('an expired session says so, and a sign-in on the same connection refreshes it', async () => {
  const socket = await RpcSocket.open(server.rpcUrl);
  const token = await tokenOf(server.url, 'signin', ann('usual'));
  for (const refresh of [() => socket.ask('signin', ann('short_session')), () => socket.ask('authenticate', token)]) {
    await socket.ask('signin', ann('short_session'));
    expect(await socket.query('SELECT VALUE name FROM person')).toEqual([['Ann']]);
    await expect.poll(() => socket.call('query', 'RETURN 1'), poll).toMatchObject({ error: expired });
    for (const [method, ...params] of [
      ['query', 'SELECT * FROM person'],
      ['select', 'person:ann'],
      ['create', 'person', {}],
      ['info'],
      ['let', 'x', 1],
    ] as const) {
      expect(await socket.call(method, ...params)).toMatchObject({ error: expired });
    }
    expect(await socket.call('ping')).toMatchObject({ result: null });
    expect(await socket.call('version')).toMatchObject({ result: expect.stringContaining('surrealdb-3') });
    await refresh();
    expect(await socket.query('SELECT VALUE name FROM person')).toEqual([['Ann']]);
  }
  socket.close();
});

it('the official client meets the same, and refreshes in the same way', async () => {
  const client = newClient();
  await client.connect(server.rpcUrl, { reconnect: false, ...SHOP });
  const credentials = { ...SHOP, access: 'short_session', variables: { name: 'Ann' } };
  await client.signin(credentials);
  const attempt = () => client.query('RETURN 1').then(String, String);
  await expect.poll(attempt, poll).toContain('The session has expired');
  await client.signin(credentials);
  expect(await client.query('RETURN $auth.name')).toEqual(['Ann']);
  await client.close();
});

it('the time of expiry can be read, and is NONE without one', async () => {
  const socket = await RpcSocket.open(server.rpcUrl);
  await socket.ask('signin', ann('short_session'));
  const [[{ exp }]] = (await socket.query('SELECT exp FROM $session')) as [[{ exp: number }]];
  expect(Math.abs(exp - Date.now() / 1000)).toBeLessThan(30);
  await socket.ask('signin', ann('usual'));
  expect(await socket.query('SELECT exp FROM $session')).toEqual([[{ exp: null }]]);
  socket.close();
});

it('a token past its time opens no session, while the session that it opened lives on', async () => {
  const socket = await RpcSocket.open(server.rpcUrl);
  const token = (await socket.ask('signin', ann('short_token'))) as string;
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...SHOP_HEADERS };
  const attempt = async () => {
    const { status, text } = await send(`${server.url}/sql`, headers, 'RETURN 1');
    return { status, text };
  };
  await expect.poll(attempt, poll).toEqual({ status: 401, text: expect.stringContaining('The token has expired') });
  expect(await socket.call('authenticate', token)).toMatchObject({ error: { message: 'The token has expired' } });
  expect(await socket.query('SELECT VALUE name FROM person')).toEqual([['Ann']]);
  socket.close();
});

it('the default token holds for an hour, the default session without end', async () => {
  const token = await tokenOf(server.url, 'signin', { user: ROOT.user, pass: ROOT.pass });
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
    string,
    number
  >;
  expect((claims['exp'] ?? 0) - (claims['iat'] ?? 0)).toBe(3600);
  expect(claims).toMatchObject({
    iss: 'Tessera',
    iat: expect.any(Number),
    nbf: expect.any(Number),
    jti: expect.any(String),
  });
  expect(claims).not.toHaveProperty('NS');
  expect(await asRoot(server.url, 'SELECT exp FROM $session', ROOT)).toEqual([[{ exp: null }]]);
});
