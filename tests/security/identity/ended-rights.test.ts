/**
 * A47 and A57 of the list for identities: a reset ends other sessions, refresh tokens, open requests and codes at once,
 * over each transport; an ended session, and what it has under way, ends no others.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectFrom } from '../../../src/value/value.js';
import { answer } from '../../support/world.js';
import { ALL_TRANSPORTS, MailDoors, PLACE, type Transport, WRONG } from './mail-doors.js';

let doors: MailDoors;
beforeEach(async () => {
  doors = await MailDoors.open({ guests: true });
  await doors.value(`
    DEFINE FIELD pass ON user TYPE option<string> CREDENTIAL PERMISSIONS FOR select NONE;
    DEFINE ACCESS OVERWRITE account ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM user WHERE email = $email AND (pass = NONE OR pass = $pass)) WITH REFRESH;
    DEFINE API '/reset' FOR post THEN { UPDATE user:ann SET pass = 'reset'; { body: 1 } };
    DEFINE FUNCTION fn::end($who: record<user>) { KILL SESSIONS FOR RECORD $who };
    DEFINE FUNCTION fn::others() { KILL OTHER SESSIONS };
  `);
});
afterEach(() => doors.close());

const EMAIL = 'ann@example.com';
interface Pair {
  readonly access: string;
  readonly refresh: string;
}

async function pairOf(body: object): Promise<Pair> {
  const { token } = (await doors.inject('/signin', {}, { ...PLACE, AC: 'account', email: EMAIL, ...body })).json() as {
    token: Pair;
  };
  doors.pass(10);
  return token;
}

/** Whether the bearer of a pair still gets in: by the token over each transport, and by the refresh token. */
async function waysOf({ access: token, refresh }: Pair): Promise<string[]> {
  const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
  const rpc = (call: object) => doors.inject('/rpc', { token }, { id: 1, ...call }, headers);
  const refreshed = await doors.inject('/signin', {}, { ...PLACE, AC: 'account', refresh });
  const ways: readonly [name: string, isOpen: boolean][] = [
    ['HTTP', ((await doors.query('RETURN $auth', token)) as unknown) === 'user:ann'],
    ['RPC', (await rpc({ method: 'query', params: ['RETURN $auth'] })).body.includes('user:ann')],
    ['GraphQL', (await doors.graphql('{ __typename }', { token })).body.includes('"Query"')],
    ['refresh', refreshed.statusCode === 200],
  ];
  return ways.flatMap(([name, isOpen]) => (isOpen ? [name] : []));
}

const ALL = ['HTTP', 'RPC', 'GraphQL', 'refresh'];

/** Changes the password of Ann by her own token. */
const RESETS: Readonly<Record<Transport, (token: string) => Promise<unknown>>> = {
  HTTP: (token) => doors.query("UPDATE $auth SET pass = 'new'", token),
  RPC: (token) =>
    doors.inject(
      '/rpc',
      { token },
      { id: 1, method: 'merge', params: ['user:ann', { pass: 'new' }] },
      { 'surreal-ns': 'test', 'surreal-db': 'test' },
    ),
  GraphQL: (token) => doors.graphql('mutation { updateUser(id: "user:ann", data: { pass: "new" }) { id } }', { token }),
};

describe.each(ALL_TRANSPORTS)('A47: a reset over %s', (transport) => {
  test('ends other sessions, their tokens and refresh tokens, and leaves its own', async () => {
    const [own, other] = [await pairOf({}), await pairOf({})];
    const socket = doors.owned.database.session({});
    socket.listen(() => undefined);
    await socket.authenticate(other.access);
    await RESETS[transport](own.access);
    expect(await doors.value('RETURN user:ann.pass')).toBe('new');
    expect(await answer(socket, 'RETURN 1')).toMatch(/^session_expired/);
    expect([await waysOf(other), await waysOf(own)]).toEqual([[], ALL]);
  });

  test('ends codes and links that were mailed before', async () => {
    await doors.signedIn();
    const { request, code } = await doors.begun({ email: EMAIL });
    const own = await pairOf({});
    const page = await doors.begun({ email: EMAIL }, { access: 'other', ip: '192.0.2.7' });
    doors.pass(10);
    await RESETS[transport](own.access);
    expect(await doors.signIn({ request, code }, {}, transport)).toMatchObject({ error: WRONG, token: undefined });
    expect(
      await doors.signIn({ request: page.request, code: page.code }, { access: 'other' }, transport),
    ).toMatchObject({
      error: WRONG,
    });
    // Those that are mailed from now on get in.
    doors.pass(60_000);
    const next = await doors.begun({ email: EMAIL });
    expect((await doors.signIn({ request: next.request, code: next.code }, {}, transport)).token).toBeDefined();
  });
});

test('A47: a reset by an endpoint for guests, or by an owner, leaves no session', async () => {
  for (const reset of [
    () => doors.inject('/api/test/test/reset', {}, {}),
    () => doors.value("UPDATE user:ann SET pass = 'by the owner'"),
  ]) {
    const pair = await pairOf({ pass: await doors.value('RETURN user:ann.pass') });
    await reset();
    expect(await waysOf(pair)).toEqual([]);
    doors.pass(10);
  }
});

test('A47: after a reset by mail the session that was proved by it goes on', async () => {
  const stolen = await pairOf({});
  const token = await doors.signedIn();
  await doors.query("UPDATE $auth SET pass = 'mine again'", token);
  expect(await waysOf(stolen)).toEqual([]);
  expect(await doors.query('RETURN $auth', token)).toBe('user:ann');
});

describe('A57: what is ended', () => {
  test('by stored code ends over each transport with the commit, not before, and not without it', async () => {
    const [own, other] = [await pairOf({}), await pairOf({})];
    const held = doors.owned.database.session({});
    held.listen(() => undefined);
    await held.authenticate(own.access);
    const transaction = await held.begin();
    await answer(transaction, 'fn::others()');
    expect(await waysOf(other)).toEqual(ALL);
    await transaction.cancel();
    const { refresh } = await pairOf({});
    expect((await waysOf({ access: other.access, refresh })).length).toBe(4);
    await answer(held, 'fn::others()');
    expect(await waysOf({ access: other.access, refresh })).toEqual([]);
  });

  test('ends no others: neither its tokens, nor what it has under way', async () => {
    const [thief, own] = [await pairOf({}), await pairOf({})];
    const held = doors.owned.database.session({});
    held.listen(() => undefined);
    await held.authenticate(thief.access);
    const transaction = await held.begin();
    await answer(transaction, 'KILL OTHER SESSIONS');
    const owner = doors.owned.database.session({});
    owner.listen(() => undefined);
    await owner.authenticate(own.access);
    await answer(owner, 'KILL OTHER SESSIONS');
    await expect((async () => transaction.commit())()).rejects.toMatchObject({ code: expect.any(String) });
    for (const text of ['KILL OTHER SESSIONS', 'fn::others()', 'fn::end(user:ann)'])
      await doors.query(text, thief.access);
    expect([await waysOf(thief), await waysOf(own)]).toEqual([[], ALL]);
  });

  test('names no one: ids of others, and of records that don’t exist, are answered alike', async () => {
    await pairOf({});
    const { token } = await doors.signIn({ email: 'bob@example.com' }, { access: 'account' });
    const answers = await Promise.all(
      ['user:ann', 'user:nobody', 'safe:1'].map((id) => doors.query(`KILL SESSIONS FOR RECORD ${id}`, token)),
    );
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(String(answers[0])).toContain('Not enough permissions');
  });

  test('is in the audit log, by a changed field, too', async () => {
    await doors.close();
    const lines: string[] = [];
    doors = await MailDoors.open({ audit: { sink: { write: (written) => void lines.push(...written) } } });
    await doors.value('DEFINE FIELD pass ON user TYPE option<string> CREDENTIAL');
    const session = doors.owned.database.session({});
    await session.signIn(objectFrom({ ...PLACE, AC: 'account', email: EMAIL }));
    await answer(session, "UPDATE $auth SET pass = 'a secret'");
    const killed = () => lines.filter((line) => line.includes('session-kill'));
    await expect.poll(() => killed().length).toBe(1);
    expect(killed()[0]).toContain('record user:ann');
    expect(lines.join('\n')).not.toContain('a secret');
  });
});

describe('A15, A59: what a session has begun ends with it:', () => {
  const ACCOUNT = `DEFINE ACCESS OVERWRITE account ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH REFRESH`;
  const ENDS: Readonly<Record<string, (pair: Pair) => Promise<unknown>>> = {
    'its refresh token is used again': async ({ refresh }) => {
      await doors.inject('/signin', {}, { ...PLACE, AC: 'account', refresh });
      doors.pass(30_000);
      await doors.inject('/signin', {}, { ...PLACE, AC: 'account', refresh });
    },
    'its access method gets another key': () => doors.value(ACCOUNT),
    'its access method is removed and defined again': () =>
      doors.value(`REMOVE ACCESS account ON DATABASE; ${ACCOUNT}`),
  };

  test.each(Object.keys(ENDS))('a link, when %s', async (end) => {
    const pair = await pairOf({});
    const { request, code } = await doors.begun({ email: 'eve@example.com', link: true }, { token: pair.access });
    await ENDS[end]?.(pair);
    expect(await doors.query('RETURN $auth', pair.access)).not.toBe('user:ann');
    expect(await doors.signIn({ request, code })).toMatchObject({ error: WRONG, token: undefined });
    expect(await doors.value('RETURN access::identities(user:ann)')).toEqual([]);
  });

  test('but not when the former key of its access method is still trusted', async () => {
    const { access: token } = await pairOf({});
    const { request, code } = await doors.begun({ email: 'ann@new.example', link: true }, { token });
    await doors.value('ACCESS account ROTATE KEEP 1h');
    expect((await doors.signIn({ request, code })).token).toBeDefined();
  });

  test('the second proof of a sign-in, when the access method of the first gets another key', async () => {
    await doors.value('DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP');
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    await doors.value(`ACCESS totp LINK RECORD user:ann SUBJECT '${secret}'`);
    const half = await doors.signIn({ email: EMAIL }, { access: 'account' });
    await doors.value(ACCOUNT);
    const code = await doors.value(`RETURN crypto::totp::code('${secret}')`);
    const whole = await doors.signIn({ request: half.due?.request, code }, { access: 'totp' });
    expect(whole).toMatchObject({ error: WRONG, token: undefined });
  });
});
