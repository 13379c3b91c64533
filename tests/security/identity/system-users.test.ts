/** System users by a provider (TYPE JWT WITH OIDC … ROLES), at every level, over HTTP and RPC. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toText } from '../../../src/value/text/text.js';
import { objectFrom, type Value } from '../../../src/value/value.js';
import { CLIENT } from '../../support/identity-provider.js';
import { CHALLENGE, ProviderWorld, VERIFIER } from './provider-world.js';

/** How an access method of each level is named, and where its routes are. */
const LEVELS = {
  root: { target: { AC: 'staff' }, path: '/auth-system/root/staff' },
  namespace: { target: { NS: 'test', AC: 'staff' }, path: '/auth-system/namespace/test/staff' },
  database: { target: { NS: 'test', DB: 'test', AC: 'staff' }, path: '/auth/test/test/staff' },
} as const;
type Level = keyof typeof LEVELS;
const ALL = Object.keys(LEVELS) as Level[];

const STUDIO = 'https://db.example/studio';
const ANN = { sub: 'ann-1', email: 'ann@corp.example', email_verified: true, name: 'root', groups: ['db-admins'] };
const INVALID = 'There was a problem with authentication';

let world: ProviderWorld;
beforeEach(async () => {
  world = await ProviderWorld.open();
  for (const level of ALL) await define(level);
});
afterEach(() => world.close());

/** IN finds a part of a string, and a name of an object, too: the cast lets an array through alone. */
const BY_GROUP = `IF 'db-admins' IN <array>$identity.claims.groups { ['Owner'] }
  ELSE IF 'support' IN <array>$identity.claims.groups { ['viewer', 'Viewer'] } ELSE { [] }`;

async function define(level: Level, roles = BY_GROUP, rest = ''): Promise<void> {
  await world.value(
    `DEFINE ACCESS OVERWRITE staff ON ${level} TYPE JWT
       WITH OIDC ISSUER 'https://corp.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' ROLES (${roles}) ${rest}`,
  );
}

async function began(level: Level, body: object = {}): Promise<string> {
  const answer = await world.inject('POST', `${LEVELS[level].path}/start`, { challenge: CHALLENGE, ...body });
  return (answer.json() as { url?: string; information?: string }).url ?? `${answer.statusCode} ${answer.body}`;
}

async function back(level: Level, parameters: URLSearchParams): Promise<URL | number> {
  const answer = await world.inject('GET', `${LEVELS[level].path}/callback?${parameters}`);
  return answer.statusCode === 303 ? new URL(String(answer.headers.location)) : answer.statusCode;
}

async function codeFor(person: object, level: Level = 'root', body: object = {}): Promise<string> {
  const to = await back(level, world.corp.signIn(await began(level, body), { ...person }));
  return to instanceof URL ? (to.searchParams.get('code') ?? `error=${to.searchParams.get('error')}`) : `${to}`;
}

function redeem(code: string, target: object = LEVELS.root.target, verifier = VERIFIER) {
  return world.inject('POST', '/signin', { ...target, code, verifier });
}

/** The token, or why there is none. */
async function signIn(person: object, level: Level = 'root'): Promise<string> {
  const answer = await redeem(await codeFor(person, level), LEVELS[level].target);
  const { token, information } = answer.json() as { token?: string; information?: string };
  return token ?? String(information);
}

describe('a system user', () => {
  test.each(ALL)('of the %s signs in at the provider, with the roles of the claims', async (level) => {
    const { token, claims } = world.read(await signIn(ANN, level));
    const { NS, DB } = LEVELS[level].target as { NS?: string; DB?: string };
    expect(claims).toMatchObject({
      AC: 'staff',
      ID: 'ann@corp.example',
      RL: ['OWNER'],
      amr: ['fed'],
      acr: 'aal1',
      auth_time: expect.any(Number),
      idp: { iss: 'https://corp.example', sub: 'ann-1', groups: ['db-admins'] },
    });
    expect([claims['NS'], claims['DB']]).toEqual([NS, DB]);
    expect(await world.query('CREATE ONLY thing:1 SET by = $token.ID RETURN VALUE by', token)).toBe('ann@corp.example');
    expect(await world.query(`DEFINE USER other ON ${level} PASSWORD 'a long password'`, token)).toBeNull();
    // What the provider says isn't what this server says.
    expect(await world.query('RETURN [$token.idp.sub, $token.amr, $access, $auth]', token)).toEqual([
      'ann-1',
      ['fed'],
      'staff',
      null,
    ]);
  });

  test('has the rights of the roles alone', async () => {
    const token = await signIn({ ...ANN, groups: ['support'] });
    expect(world.read(token).claims['RL']).toEqual(['Viewer']);
    expect(await world.query('RETURN (SELECT * FROM user)', token)).toEqual([]);
    for (const denied of ['DEFINE TABLE other', "DEFINE USER other ON ROOT PASSWORD 'a long password'"])
      expect(await world.query(denied, token)).toContain('Not enough permissions');
  });

  test('that is a viewer or an editor can’t define such access methods', async () => {
    await define('root', "$identity.claims.groups.map(|$group| 'editor')");
    const editor = await signIn(ANN);
    expect(world.read(editor).claims['RL']).toEqual(['EDITOR']);
    const definition = `DEFINE ACCESS mine ON ROOT TYPE JWT WITH OIDC GOOGLE CLIENT 'a' SECRET 'b' ROLES ['Owner']`;
    expect(await world.query(definition, editor)).toContain('Not enough permissions');
    expect(await world.query(definition, await signIn({ ...ANN, groups: ['support'] }, 'database'))).toContain(
      'Not enough permissions',
    );
  });

  test('is named by a verified address or the subject, never by what users write themselves', async () => {
    const unverified = { ...ANN, email_verified: false };
    expect(world.read(await signIn(unverified)).claims['ID']).toBe('ann-1');
  });

  test('isn’t the user of DEFINE USER of the same name, nor another one whom the provider names alike', async () => {
    await world.value("DEFINE USER `ann@corp.example` ON ROOT PASSWORD 'a long password' ROLES OWNER");
    const [one, two] = [await signIn(ANN), await signIn({ ...ANN, sub: 'ann-2' })];
    expect(await world.query('KILL SESSIONS', one)).toBeNull();
    expect(await world.query('RETURN 1', one)).toBe(INVALID);
    expect(await world.query('RETURN 1', two)).toBe(1);
    const basic = await world.inject('POST', '/signin', { user: 'ann@corp.example', pass: 'a long password' });
    expect(basic.statusCode).toBe(200);
  });
});

describe('roles', () => {
  const WRONG: readonly (readonly [what: string, roles: string, reason: string])[] = [
    ['NONE', 'NONE', 'it answers none'],
    ['an empty array', '[]', 'it answers none'],
    ['NULL', 'NULL', 'it doesn’t answer an array'],
    ['a string', "'Owner'", 'it doesn’t answer an array'],
    ['true', 'true', 'it doesn’t answer an array'],
    ['an object', '{ Owner: true }', 'it doesn’t answer an array'],
    ['an object in an array', "[{ role: 'Owner' }]", 'it answers what is none of OWNER, EDITOR, VIEWER'],
    ['an array in an array', "[['Owner']]", 'it answers what is none of OWNER, EDITOR, VIEWER'],
    ['an unknown role beside a known one', "['Owner', 'Admin']", 'it answers what is none of OWNER, EDITOR, VIEWER'],
    ['__proto__', "['__proto__']", 'it answers what is none of OWNER, EDITOR, VIEWER'],
    ['constructor', "['constructor']", 'it answers what is none of OWNER, EDITOR, VIEWER'],
    ['what the provider says, as it says it', '$identity.claims.groups', 'it answers what is none of'],
    ['an error', "THROW 'no\nentry'", 'no\nentry'],
    ['a read of a table that isn’t there', 'RETURN (SELECT * FROM nothing WHERE x)[0].y.z()', ''],
  ];

  test.each(WRONG)('that are %s let no one in, and say why in the log alone', async (_, roles, reason) => {
    await define('root', roles);
    expect(await signIn(ANN)).toBe(INVALID);
    expect(world.log.at(-1)).toContain(
      "roles_missing ROLES of the access method 'staff' gives 'ann@corp.example' no role",
    );
    expect(world.log.at(-1)).toContain(reason);
  });

  test('that are gone at the provider are gone here with the next sign-in', async () => {
    expect(world.read(await signIn(ANN)).claims['RL']).toEqual(['OWNER']);
    expect(world.read(await signIn({ ...ANN, groups: ['support'] })).claims['RL']).toEqual(['Viewer']);
    for (const groups of [[], ['other'], undefined, null, { 'db-admins': true }, 'not db-admins', [['db-admins']]])
      expect(await signIn({ ...ANN, groups })).toBe(INVALID);
  });

  test('are of claims that are signed, not of names that only look like ours', async () => {
    const claims = { ...ANN, groups: [], RL: ['Owner'], roles: ['Owner'], ID: 'root', NS: 'x', AC: 'x', INC: 'x' };
    expect(await signIn(claims)).toBe(INVALID);
    const { claims: told } = world.read(await signIn({ ...claims, groups: ['support'] }));
    expect(told).toMatchObject({ RL: ['Viewer'], ID: 'ann@corp.example', AC: 'staff' });
  });

  test('may be of user info, of the same subject', async () => {
    const { groups, ...person } = ANN;
    expect(world.read(await signIn({ ...person, user: { sub: 'ann-1', groups } })).claims['RL']).toEqual(['OWNER']);
    // What is signed counts first.
    expect(await signIn({ ...person, groups: [], user: { sub: 'ann-1', groups } })).toBe(INVALID);
    expect(await codeFor({ ...person, user: { sub: 'ann-2', groups } })).toBe('error=access_denied');
  });

  test('are not of another issuer', async () => {
    // The person comes back from a provider that isn't the one of the access method.
    const url = await began('root');
    const parameters = world.id.signIn(url, ANN);
    expect(String(await back('root', parameters))).toBe(`${STUDIO}?error=access_denied`);
    // Nor is a code that was proved there good after the access method leads elsewhere.
    const code = await codeFor(ANN);
    await world.value(
      `DEFINE ACCESS OVERWRITE staff ON ROOT TYPE JWT WITH OIDC ISSUER 'https://id.example'
         CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' ROLES ['Owner']`,
    );
    expect((await redeem(code)).statusCode).toBe(401);
  });

  test('see $identity alone, and AUTHENTICATE may still say no', async () => {
    await define('root', "IF $auth = NONE AND $token = NONE { ['Viewer'] } ELSE { ['Owner'] }");
    const code = await codeFor(ANN);
    const answer = await world.inject('POST', '/signin', { AC: 'staff', code, verifier: VERIFIER, groups: ['x'] });
    expect(world.read(answer.json().token).claims['RL']).toEqual(['Viewer']);
    await define('root', "['Owner']", "AUTHENTICATE { IF $token.idp.sub != 'bob-1' { THROW 'only Bob' } }");
    expect(await signIn(ANN)).toBe('An error occurred: only Bob');
    expect(world.read(await signIn({ ...ANN, sub: 'bob-1' })).claims['RL']).toEqual(['OWNER']);
  });
});

test.each(ALL)('the %s is the same over RPC', async (level) => {
  const { target } = LEVELS[level];
  const call = async (method: string, parameter: object) =>
    (await world.inject('POST', '/rpc', { id: 1, method, params: [parameter] })).json();
  const { result } = await call('auth_start', { ...target, challenge: CHALLENGE });
  expect(result).toEqual({ request: expect.any(String), expires: expect.any(String), url: expect.any(String) });
  const to = (await back(level, world.corp.signIn(result.url, ANN))) as URL;
  const code = to.searchParams.get('code');
  expect((await call('signin', { ...target, code, verifier: 'w'.repeat(43) })).error.message).toBe(INVALID);
  const { result: token } = await call('signin', { ...target, variables: { code, verifier: VERIFIER } });
  expect(world.read(token).claims).toMatchObject({ ID: 'ann@corp.example', RL: ['OWNER'] });
  expect((await call('signin', { ...target, code, verifier: VERIFIER })).error.message).toBe(INVALID);
  expect((await call('signup', { ...target, code, verifier: VERIFIER })).error).toBeDefined();
});

describe('a code', () => {
  test('is good once, for a minute, with its verifier, at its access method and level', async () => {
    await world.value(
      `DEFINE ACCESS other ON ROOT TYPE JWT WITH OIDC ISSUER 'https://corp.example'
         CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' ROLES ['Owner']`,
    );
    const code = await codeFor(ANN);
    const { namespace, database } = LEVELS;
    for (const target of [namespace.target, database.target, { AC: 'other' }, { AC: 'missing' }])
      expect((await redeem(code, target)).statusCode).toBe(401);
    expect((await redeem(code, LEVELS.root.target, 'w'.repeat(43))).statusCode).toBe(401);
    expect((await redeem(code)).statusCode).toBe(200);
    expect((await redeem(code)).statusCode).toBe(401);
    const late = await codeFor(ANN);
    world.pass(61_000);
    expect((await redeem(late)).statusCode).toBe(401);
    const tried = await codeFor(ANN);
    for (let n = 0; n < 5; n++) await redeem(tried, LEVELS.root.target, 'w'.repeat(43));
    expect((await redeem(tried)).statusCode).toBe(401);
  });

  test('of many at once lets one in', async () => {
    const code = await codeFor(ANN);
    const all = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  test('of a record isn’t one of a system user, nor the other way round, though both are of one provider', async () => {
    const ofRecord = await world.code(ANN, { access: 'corp', provider: world.corp });
    for (const level of ALL) expect((await redeem(ofRecord, LEVELS[level].target)).statusCode).toBe(401);
    const ofSystemUser = await codeFor(ANN, 'database');
    expect((await world.redeem({ code: ofSystemUser, verifier: VERIFIER }, 'corp')).statusCode).toBe(401);
    // Not even after the access method has become the other kind.
    await world.value(
      `DEFINE ACCESS OVERWRITE corp ON DATABASE TYPE JWT WITH OIDC ISSUER 'https://corp.example'
         CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' ROLES ['Owner']`,
    );
    expect((await world.redeem({ code: ofRecord, verifier: VERIFIER }, 'corp')).statusCode).toBe(401);
  });

  test('isn’t got by a state of another level, or twice', async () => {
    const parameters = world.corp.signIn(await began('root'), ANN);
    expect([await back('namespace', parameters), await back('database', parameters)]).toEqual([401, 401]);
    expect(await back('root', parameters)).toBeInstanceOf(URL);
    expect(await back('root', parameters)).toBe(401);
  });
});

describe('a request', () => {
  test('ends at a page of this server, or at one that the access method lists', async () => {
    await define('root', "['Viewer']", "REDIRECT 'https://admin.example/in'");
    const ends = async (redirect?: unknown) => {
      const url = await began('root', redirect === undefined ? {} : { redirect });
      if (!url.startsWith('https://')) return url;
      const to = await back('root', world.corp.signIn(url, ANN));
      return to instanceof URL ? to.origin + to.pathname : to;
    };
    expect(await ends()).toBe(STUDIO);
    for (const page of [STUDIO, 'https://db.example/', 'https://db.example/graphql', 'https://admin.example/in'])
      expect(await ends(page)).toBe(page);
    const others = [
      ...['https://db.example/studio/', 'https://db.example/studio?a', 'https://db.example.evil.example/studio'],
      ...['http://db.example/studio', 'https://evil.example/studio', 'javascript:alert(1)', '//evil.example/studio'],
      // What is listed for records of the database.
      'https://shop.example/in',
    ];
    for (const other of others) expect(await ends(other), other).toContain('redirect_unknown');
  });

  test('is made of nothing that a request says of this server', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://db.example' };
    const answer = await world.inject('POST', '/auth-system/root/staff/start', { challenge: CHALLENGE }, { headers });
    expect(answer.body).toContain(encodeURIComponent('https://db.example/auth-system/root/staff/callback'));
    expect(answer.body).not.toContain('evil.example');
  });

  test('is for signing in alone', async () => {
    const token = await signIn(ANN);
    for (const body of [
      { link: true },
      { step: true },
      { signup: true },
      { page: true },
      { email: 'a@b.example' },
      { request: 'x' },
    ]) {
      const begun = { challenge: CHALLENGE, ...body };
      const answer = await world.inject('POST', '/auth-system/root/staff/start', begun, { token });
      expect(answer.statusCode).toBe(400);
    }
    for (const challenge of [undefined, 'short', 'x'.repeat(44)])
      expect(await began('root', { challenge })).toContain('400');
  });

  test('of access methods that are others, or not there, begins nothing', async () => {
    await world.value("DEFINE ACCESS plain ON ROOT TYPE JWT ALGORITHM HS256 KEY 'a key that is long enough for HS256'");
    const start = async (path: string) =>
      (await world.inject('POST', `${path}/start`, { challenge: CHALLENGE })).statusCode;
    expect(await start('/auth-system/root/plain')).toBe(401);
    for (const path of [
      '/auth-system/root/missing',
      '/auth-system/namespace/missing/staff',
      '/auth/test/missing/staff',
    ])
      expect(await start(path)).toBe(401);
  });

  test('leaves no more than twenty open for one address', async () => {
    const answers = [];
    for (let n = 0; n < 21; n++) answers.push(await began(ALL[n % 3] as Level));
    expect(answers.at(-2)).toContain('https://corp.example');
    expect(answers.at(-1)).toContain('429');
    // Those of records are counted for themselves.
    expect(await world.began({}, { access: 'corp' })).toContain('https://corp.example');
    world.pass(700_000);
    expect(await began('root')).toContain('https://corp.example');
  });
});

describe('what ends a sign-in', () => {
  test('is another definition of the access method, or none', async () => {
    for (const end of ['REMOVE ACCESS staff ON ROOT', undefined]) {
      const token = await signIn(ANN);
      if (end === undefined) await define('root');
      else await world.value(end);
      expect(await world.query('RETURN 1', token)).toBe(INVALID);
      await define('root');
    }
  });

  test('is KILL SESSION, with its token', async () => {
    const session = world.owned.database.session({});
    session.listen(() => undefined);
    const { access } = await session.signIn(objectFrom({ AC: 'staff', code: await codeFor(ANN), verifier: VERIFIER }));
    const listed = "RETURN (INFO FOR SESSIONS)[WHERE user = 'ann@corp.example'].id";
    const [id] = (await world.value(listed)) as [Value];
    expect(await world.query('RETURN 1', access)).toBe(1);
    await world.value(`KILL SESSION ${toText(id)}`);
    expect(await world.query('RETURN 1', access)).toBe(INVALID);
    expect(await world.value(listed)).toEqual([]);
    session.close();
  });

  test('is KILL SESSIONS of the user, with requests that were begun before', async () => {
    const token = await signIn(ANN);
    const [code, other] = [await codeFor(ANN), await codeFor({ ...ANN, sub: 'ann-2' })];
    world.pass(10);
    await world.query('KILL SESSIONS', token);
    expect((await redeem(code)).statusCode).toBe(401);
    expect((await redeem(other)).statusCode).toBe(200);
    world.pass(10);
    expect(await world.query('RETURN 1', await signIn(ANN))).toBe(1);
  });

  test('is the end of its lifetime', async () => {
    await define('root', "['Owner']", 'DURATION FOR TOKEN 1m');
    const token = await signIn(ANN);
    world.pass(61_000);
    expect(await world.query('RETURN 1', token)).toBe('The token has expired');
  });
});

describe('secrets', () => {
  test('are shown to no one, and exported for owners alone', async () => {
    const owner = await signIn(ANN);
    const viewer = await signIn({ ...ANN, groups: ['support'] });
    for (const token of [owner, viewer]) {
      for (const of of ['ROOT', 'NS', 'DB', 'ROOT STRUCTURE', 'NS STRUCTURE', 'DB STRUCTURE', 'ACCESS staff ON ROOT'])
        expect(JSON.stringify(await world.query(`INFO FOR ${of}`, token))).not.toContain(CLIENT.secret);
    }
    expect(await world.exported(await signIn(ANN, 'database'))).toContain(CLIENT.secret);
    expect(await world.exported(await signIn({ ...ANN, groups: ['support'] }, 'database'))).not.toContain(
      CLIENT.secret,
    );
    expect([...world.log, ...world.audited].join('\n')).not.toContain(CLIENT.secret);
  });
});

test('an owner’s export holds the definition as it is: tokens stay valid after it is read in again', async () => {
  const token = await signIn(ANN, 'database');
  const definition = (await world.exported()).split('\n').find((line) => line.startsWith('DEFINE ACCESS staff'));
  await world.value('REMOVE ACCESS staff ON DATABASE');
  expect(await world.query('RETURN 1', token)).toBe(INVALID);
  await world.value(String(definition));
  expect(await world.query('RETURN 1', token)).toBe(1);
  expect(world.read(await signIn(ANN, 'database')).claims['RL']).toEqual(['OWNER']);
});

describe('the list of access methods', () => {
  test.each(['root', 'start', 'a/b?c=d#e', '%2F', '__proto__', 'ä 😀'])('leads to one of the name %s', async (name) => {
    const text = `\`${name}\``;
    await world.value(
      `DEFINE NAMESPACE ${text}; USE NS ${text}; DEFINE ACCESS ${text} ON NAMESPACE TYPE JWT
         WITH OIDC ISSUER 'https://corp.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' ROLES ['Viewer']`,
    );
    const listed = (await world.inject('GET', `/auth-system?${new URLSearchParams({ ns: name })}`)).json().access;
    const { start, ...target } = listed.at(-1) as { start: string };
    expect(target).toEqual({ NS: name, AC: name });
    const { url } = (await world.inject('POST', start, { challenge: CHALLENGE })).json();
    const callback = start.replace(/start$/, 'callback');
    const answer = await world.inject('GET', `${callback}?${world.corp.signIn(url, ANN)}`);
    const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
    expect((await redeem(code, target)).statusCode).toBe(200);
  });

  test('names those of this kind, of the levels that are asked for', async () => {
    await world.value("DEFINE ACCESS plain ON ROOT TYPE JWT ALGORITHM HS256 KEY 'a key that is long enough for HS256'");
    const listed = async (query: string) => (await world.inject('GET', `/auth-system${query}`)).json();
    const [root, namespace, database] = ALL.map((level) => {
      const { target, path } = LEVELS[level];
      return { ...target, start: `${path}/start` };
    });
    expect(await listed('')).toEqual({ access: [root] });
    expect(await listed('?ns=test')).toEqual({ access: [root, namespace] });
    expect(await listed('?ns=test&db=test')).toEqual({ access: [root, namespace, database] });
    for (const query of ['?db=test', '?ns=missing', '?ns=missing&db=test', '?ns=__proto__'])
      expect(await listed(query)).toEqual({ access: [root] });
  });
});
