/**
 * A48 to A50 of the list for identities: clients, clauses, other issuers, refreshing and views set no claim about how a
 * user has signed in; a step raises no older token; and nothing takes the claims' place in PERMISSIONS.
 */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectFrom, type Value } from '../../../src/value/value.js';
import { answer } from '../../support/world.js';
import { ALL_TRANSPORTS, MailDoors, PLACE, type Transport } from './mail-doors.js';

const KEY = 'k'.repeat(64);
const RAISED = { amr: ['hwk', 'user', 'mfa'], acr: 'aal2', auth_time: 9_999_999_999 };

let doors: MailDoors;
beforeEach(async () => {
  doors = await MailDoors.open();
  await doors.value(`
    DEFINE TABLE safe SCHEMAFULL PERMISSIONS FOR select WHERE $token.acr = 'aal2' OR $token.amr CONTAINS 'hwk';
    DEFINE FIELD name ON safe TYPE string;
    CREATE safe:1 SET name = 'gold';
    DEFINE ACCESS shared ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email)
      WITH JWT ALGORITHM HS512 KEY '${KEY}';
    DEFINE ACCESS partner ON DATABASE TYPE JWT ALGORITHM HS512 KEY '${KEY}';
    DEFINE ACCESS clause ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email) WITH REFRESH
      AUTHENTICATE { RETURN { id: $auth, acr: 'aal2', amr: ['hwk'], token: { acr: 'aal2' } } };
    DEFINE ACCESS shadow ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email)
      AUTHENTICATE { LET $token = { acr: 'aal2', amr: ['hwk'] }; RETURN $auth };
  `);
});
afterEach(() => doors.close());

/** What the bearer of a token finds in the safe, and under which claims, over a transport. */
async function found(token: string, transport: Transport): Promise<unknown> {
  if (transport === 'HTTP') return doors.query('SELECT VALUE name FROM safe', token);
  if (transport === 'RPC') {
    const call = { id: 1, method: 'query', params: ['SELECT VALUE name FROM safe'] };
    const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
    const { result } = (await doors.inject('/rpc', { token }, call, headers)).json() as {
      result: readonly { readonly result: unknown }[];
    };
    return result[0]?.result;
  }
  const { data } = (await doors.graphql('{ safe { name } }', { token })).json() as {
    data: { safe: readonly { name: string }[] };
  };
  return data.safe.map(({ name }) => name);
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
function foreign(claims: object): string {
  const input = `${encode({ typ: 'JWT', alg: 'HS512' })}.${encode({ ns: 'test', db: 'test', exp: 9_999_999_999, ...claims })}`;
  return `${input}.${createHmac('sha512', KEY).update(input).digest('base64url')}`;
}

async function tokenOf(variables: object, access: string, transport: Transport = 'HTTP'): Promise<string> {
  const { token, error } = await doors.signIn({ email: 'ann@example.com', ...variables }, { access }, transport);
  if (token === undefined) throw new Error(error);
  return token;
}

describe.each(ALL_TRANSPORTS)('A48: over %s', (transport) => {
  test('the safe opens to a right token, and to no password alone', async () => {
    const token = await tokenOf({}, 'account', transport);
    expect(await found(token, transport)).toEqual([]);
    const own = JSON.parse(atob(token.split('.')[1] as string)) as object;
    const shared = foreign({ ...own, ac: undefined, AC: 'shared', ns: undefined, db: undefined, ...RAISED });
    expect(await found(shared, transport)).toEqual(['gold']);
  });

  test('variables of the sign-in are no claims', async () => {
    for (const access of ['account', 'clause', 'shared']) {
      const nested = transport === 'GraphQL' ? {} : { claims: RAISED, assurance: RAISED, idp: RAISED };
      const token = await tokenOf({ ...RAISED, ...nested }, access, transport);
      expect(await found(token, transport)).toEqual([]);
      expect(await doors.query('RETURN [$token.amr, $token.acr, $token.idp]', token)).toEqual([['pwd'], 'aal1', null]);
    }
  });

  test('AUTHENTICATE returns a record, and nothing else', async () => {
    expect(await found(await tokenOf({}, 'clause', transport), transport)).toEqual([]);
    const shadow = { email: 'ann@example.com' };
    expect((await doors.signIn(shadow, { access: 'shadow' }, transport)).token).toBeUndefined();
  });

  test('another issuer’s tokens say so in idp', async () => {
    for (const [claims, transports] of [
      [{ ac: 'shared', id: 'user:ann' }, ALL_TRANSPORTS],
      [{ ac: 'shared', id: 'user:ann', iss: 'https://partner.example' }, ALL_TRANSPORTS],
      [{ ac: 'partner', iss: 'Tessera', rl: ['Viewer'] }, []],
    ] as const) {
      const token = foreign({ ...claims, ...RAISED });
      expect(await doors.query('RETURN [$token.acr, $token.amr, $token.auth_time, $token.idp.acr]', token)).toEqual([
        null,
        null,
        null,
        'aal2',
      ]);
      if (transports.length > 0) expect(await found(token, transport)).toEqual([]);
    }
  });
});

test('A48: refresh leaves what was proved, and when', async () => {
  const body = { ...PLACE, AC: 'clause', email: 'ann@example.com' };
  const { token: first } = (await doors.inject('/signin', {}, body)).json() as {
    token: { access: string; refresh: string };
  };
  const at = doors.owned.environment.seconds;
  let pair = first;
  for (let turn = 0; turn < 3; turn++) {
    doors.pass(1_200_000);
    const refreshed = await doors.inject('/signin', {}, { ...body, ...RAISED, refresh: pair.refresh });
    pair = (refreshed.json() as { token: typeof pair }).token;
    expect(await doors.query('RETURN [$token.amr, $token.acr, $token.auth_time]', pair.access)).toEqual([
      ['pwd'],
      'aal1',
      at,
    ]);
  }
});

test('A48: a view has no proof of the user whom it shows', async () => {
  await doors.value("DEFINE USER boss ON ROOT PASSWORD 'a long password' ROLES OWNER");
  const session = doors.owned.database.session({});
  session.listen(() => undefined);
  await session.signIn(objectFrom({ user: 'boss', pass: 'a long password' }));
  await session.use('test', 'test');
  await session.viewAs(objectFrom({ record: 'user:ann', access: 'account' }));
  expect(await answer(session, 'RETURN [$token.acr, $token.amr, $token.auth_time, $auth]')).toBe(
    '[NONE, NONE, NONE, user:ann]',
  );
  expect(await answer(session, 'SELECT * FROM safe')).toBe('[]');
});

test('A49: a step gives a new token; sessions and tokens that are there stay as they are', async () => {
  const token = await tokenOf({}, 'account');
  await doors.signedIn();
  const attached = doors.owned.database.session({});
  attached.listen(() => undefined);
  await attached.authenticate(token);
  const step = await doors.begun({ step: true }, { token });
  const { token: higher = '' } = await doors.signIn(step);
  const amr = 'RETURN $token.amr';
  expect(await doors.query(amr, higher)).toEqual(['pwd', 'mail']);
  expect(await doors.query(amr, token)).toEqual(['pwd']);
  expect(await answer(attached, amr)).toBe("['pwd']");
  await attached.authenticate(token);
  expect(await answer(attached, amr)).toBe("['pwd']");
});

describe('A50: a user', () => {
  /** What might be read in place of the claims. */
  const SHADOWS: readonly string[] = [
    "LET $token = { acr: 'aal2', amr: ['hwk'] }; SELECT VALUE name FROM safe",
    "SELECT VALUE name FROM safe WHERE { LET $token = { acr: 'aal2' }; RETURN true }",
    "{ LET $token = { acr: 'aal2' }; RETURN (SELECT VALUE name FROM safe) }",
    "LET $session = { tk: { acr: 'aal2' } }; SELECT VALUE name FROM safe",
    "[{ acr: 'aal2' }].map(|$token| (SELECT VALUE name FROM safe)).flatten()",
    "FOR $token IN [{ acr: 'aal2' }] { RETURN (SELECT VALUE name FROM safe) }",
  ];

  test.each(SHADOWS)('can’t shadow the claims: %s', async (text) => {
    const shown = JSON.stringify((await doors.query(text, await tokenOf({}, 'account'))) ?? null);
    expect(shown).not.toContain('gold');
  });

  test('can’t bind them as variables of a request or a session', async () => {
    const token = await tokenOf({}, 'account');
    const session = doors.owned.database.session({});
    session.listen(() => undefined);
    await session.authenticate(token);
    const raised: Value = objectFrom({ acr: 'aal2', amr: ['hwk'] });
    for (const name of ['token', 'session', 'auth', 'access']) {
      expect(await answer(session, 'SELECT VALUE name FROM safe', objectFrom({ [name]: raised }))).not.toContain(
        'gold',
      );
      expect(() => session.setVariable(name, raised)).toThrow();
    }
    const asked = await doors.inject(
      `/sql?token=${encodeURIComponent(JSON.stringify({ acr: 'aal2' }))}`,
      { token },
      {},
      { 'surreal-ns': 'test', 'surreal-db': 'test' },
    );
    expect(asked.body).not.toContain('gold');
  });

  test('is proved nothing by a parameter or a field of the same name', async () => {
    for (const name of ['token', 'session'])
      await doors.owned.owner.query(`DEFINE PARAM $${name} VALUE { acr: 'aal2', tk: { acr: 'aal2' } }`);
    await doors.value(
      "DEFINE FIELD token ON safe TYPE object FLEXIBLE; UPDATE safe SET token = { acr: 'aal2', amr: ['hwk'] }",
    );
    const token = await tokenOf({}, 'account');
    for (const transport of ALL_TRANSPORTS) expect(await found(token, transport)).toEqual([]);
  });
});
