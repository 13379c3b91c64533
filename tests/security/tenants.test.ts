/** Attacks across namespaces, databases and sessions (1 to 13). */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpServer } from '../../src/http/server.js';
import type { Session } from '../../src/session/contract.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { Closure, newObject, objectFrom, Range, RecordId, Regex, Table, type Value } from '../../src/value/value.js';
import { answer, answers, RECORD_ACCESS, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors, type Place } from './doors.js';

let world: World;
let doors: Doors;
let app: FastifyInstance;

/** Two tenants; everything of `ns2` is open to any user who gets there. */
beforeEach(async () => {
  world = await World.open();
  doors = await Doors.open(world);
  app = doors.app;
  await run(
    world.owner,
    `USE NS ns2 DB db2; ${RECORD_ACCESS}
     DEFINE TABLE t PERMISSIONS FULL; CREATE t:known SET treasure = 'gold'; CREATE user:ann SET name = 'not ours', treasure = 'gold';
     DEFINE TABLE OVERWRITE user PERMISSIONS FOR select, update WHERE id = $auth;
     DEFINE PARAM $p VALUE 'gold' PERMISSIONS FULL; DEFINE FUNCTION fn::f() { RETURN 'gold' } PERMISSIONS FULL;
     DEFINE FIELD treasure ON t TYPE option<string>; DEFINE CONFIG GRAPHQL AUTO; DEFINE API '/gold' FOR any PERMISSIONS FULL THEN { { body: 'gold' } };`,
  );
});
afterEach(async () => {
  await doors.close();
  await world.close();
});

const FOREIGN: Place = ['ns2', 'db2'];
const REFUSAL = /^(not_allowed|place_forbidden)|"(NotAllowed|ERR)"|Not enough permissions/m;
const STATEMENTS = [
  'SELECT * FROM t',
  'SELECT * FROM t:known',
  'RETURN t:known.treasure',
  'RETURN t:known.*',
  'SELECT * FROM { link: t:known } FETCH link',
  'SELECT VALUE link.treasure FROM { link: t:known }',
  'RETURN [t:known].treasure',
  'RETURN record::exists(t:known)',
  'RETURN $p',
  'RETURN fn::f()',
  'CREATE t',
  'UPDATE t SET stolen = true',
  'UPSERT t:new',
  'INSERT INTO t { id: 2 }',
  'DELETE t',
  'RELATE t:known->e->t:known',
  'INFO FOR DB',
  'INFO FOR NS',
  'DEFINE TABLE mine',
];

async function tenants(): Promise<Record<string, Session>> {
  return {
    record: await world.person('ann'),
    'database owner': await world.systemUser('DO'),
    'database viewer': await world.systemUser('DV'),
    'namespace owner': await world.systemUser('NO'),
  };
}

async function expectUntouched(): Promise<void> {
  expect(await answer(world.owner, 'USE NS ns2 DB db2; SELECT * FROM t')).toBe("[{ id: t:known, treasure: 'gold' }]");
}

/** Through every door, with the foreign place selected by its own means (headers, `use`), nothing comes back, nor is anything changed. */
async function expectNothingAnywhere(
  statements: readonly string[],
  place: Place = FOREIGN,
  who?: Record<string, Session>,
): Promise<void> {
  for (const [name, session] of Object.entries(who ?? (await tenants()))) {
    for (const text of statements) {
      for (const [door, told] of Object.entries(await doors.ask(session, text, place))) {
        expect([name, door, text, told]).toEqual([name, door, text, expect.not.stringContaining('gold')]);
        expect([name, door, text, told]).toEqual([name, door, text, expect.stringMatching(REFUSAL)]);
      }
    }
    const told = await doors.graphql(session, '{ t { id treasure } }', place);
    expect([name, told]).toEqual([name, expect.not.stringContaining('gold')]);
  }
}

function expectNothing(told: string, hint: string): void {
  expect([hint, told]).toEqual([hint, expect.stringMatching(/^(not_allowed|place_forbidden): /)]);
}

const basic = (user: string) => `Basic ${Buffer.from(`${user}:${user} has a password`).toString('base64')}`;

function post(url: string, headers: Record<string, string>, payload: string | Buffer) {
  return app.inject({ method: 'POST', url, headers: { accept: 'application/json', ...headers }, payload });
}

const rpc = (body: object, headers: Record<string, string> = {}) =>
  post('/rpc', { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

describe('a user of another namespace', () => {
  attack(1, 'CVE-2026-102876: selects a foreign place by headers', async () => {
    await world.systemUser('DO');
    const own = { authorization: basic('DO'), 'svc-auth-ns': 'test', 'svc-auth-db': 'test' };
    for (const names of [
      ['svc-ns', 'svc-db'],
      ['surreal-ns', 'surreal-db'],
      ['ns', 'db'],
    ] as const) {
      const place = { [names[0]]: 'ns2', [names[1]]: 'db2' };
      for (const statement of STATEMENTS) {
        const { body } = await post('/sql', { ...own, ...place }, statement);
        expect([statement, body]).toEqual([statement, expect.not.stringContaining('gold')]);
        expect([statement, JSON.parse(body)[0].status]).toEqual([statement, 'ERR']);
      }
    }
    const person = world.guest();
    const { access } = await person.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'eve' }));
    const { body } = await post(
      '/sql',
      { authorization: `Bearer ${access}`, 'svc-ns': 'ns2', 'svc-db': 'db2' },
      'SELECT * FROM t; RETURN t:known.*',
    );
    expect(body).not.toContain('gold');
    await expectUntouched();
  });

  attack(1, 'CVE-2026-102876: selects a foreign place, by whatever a door has for it', async () => {
    await expectNothingAnywhere(STATEMENTS);
    const owner = { owner: await world.systemUser('RO') };
    expect(await doors.graphql(owner.owner, '{ t { treasure } }', FOREIGN)).toContain('gold');
    for (const told of Object.values(await doors.ask(owner.owner, 'SELECT * FROM t', FOREIGN))) {
      expect(told).toContain('gold');
    }
    await expectUntouched();
  });

  attack(2, 'CVE-2026-109334: selects a foreign place by RPC use', async () => {
    for (const [who, session] of Object.entries(await tenants())) {
      await session.use('ns2', 'db2');
      for (const statement of STATEMENTS) expectNothing(await answer(session, statement), `${who}: ${statement}`);
    }
    await expectUntouched();
  });

  attack(3, 'CVE-2026-109343: selects a foreign place by USE', async () => {
    const people = await tenants();
    for (const [who, session] of Object.entries(people)) {
      for (const statement of STATEMENTS) {
        expectNothing(await answer(session, `USE NS ns2 DB db2; ${statement}`), `${who}: ${statement}`);
        const inBlock = await answers(session, `BEGIN; USE NS ns2 DB db2; ${statement}; COMMIT`);
        expect(inBlock).toMatch(/not_allowed|place_forbidden/);
        expect(inBlock).not.toContain('gold');
      }
    }
    await expectNothingAnywhere(
      STATEMENTS.map((statement) => `USE NS ns2 DB db2; ${statement}`),
      ['test', 'test'],
      people,
    );
    await expectUntouched();
  });

  attack(4, 'CVE-2026-109333: fetches in a place it switched to', async () => {
    for (const [who, session] of Object.entries(await tenants())) {
      for (const text of [
        'SELECT * FROM [{ link: t:known }] FETCH link',
        'RETURN SELECT link FROM { link: t:known } FETCH link',
        'SELECT *, link.* FROM { link: t:known }',
        'LET $x = t:known; SELECT * FROM $x',
      ]) {
        const told = Object.values(await doors.ask(session, `USE NS ns2 DB db2; ${text}`));
        expect([who, text, told.join()]).toEqual([who, text, expect.not.stringContaining('gold')]);
      }
    }
  });

  attack(5, 'CVE-2026-63735: selects a foreign place by the path of an endpoint', async () => {
    const people = await tenants();
    for (const [who, session] of Object.entries(people)) {
      for (const path of ['/api/ns2/db2/gold', '/api/ns2/db2/gold?ns=test&db=test', '/api/test/../ns2/db2/gold']) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
          const authorization = `Bearer ${world.tokenOf(session)}`;
          const headers = { authorization, 'svc-ns': 'test', 'svc-db': 'test' };
          const { body } = await app.inject({ method, url: path, headers });
          expect([who, path, method, body]).toEqual([who, path, method, expect.not.stringContaining('gold')]);
        }
      }
    }
    const root = { authorization: `Bearer ${world.tokenOf(await world.systemUser('RO'))}` };
    expect((await app.inject({ url: '/api/ns2/db2/gold', headers: root })).body).toContain('gold');
  });

  attack(6, 'CVE-2024-58363: is taken for the record of the same id elsewhere', async () => {
    const ann = await world.person('ann');
    expect(await answer(ann, 'RETURN $auth.name')).toBe("'ann'");
    await ann.use('ns2', 'db2');
    for (const text of [
      'RETURN $auth.name',
      'SELECT * FROM $auth',
      'SELECT * FROM user',
      "UPDATE user:ann SET name = 'x'",
    ]) {
      expectNothing(await answer(ann, text), text);
    }
    expect(await answer(ann, 'RETURN $auth')).toBe('user:ann');
    await expectNothingAnywhere(
      ['RETURN $auth.treasure', 'SELECT * FROM $auth', 'SELECT * FROM user', "UPDATE user:ann SET name = 'x'"],
      FOREIGN,
      { ann },
    );
    await ann.use('ns2', 'db2');
    await ann.use('test', 'test');
    expect(await answer(ann, 'RETURN $auth.name')).toBe("'ann'");
    // The same names with the parts swapped, and a database that isn't there.
    for (const [namespace, database] of [
      ['test', 'db2'],
      ['ns2', 'test'],
      ['test', 'nope'],
      ['nope', 'nope'],
    ] as const) {
      await ann.use(namespace, database);
      expectNothing(await answer(ann, 'SELECT * FROM user'), `${namespace} ${database}`);
    }
  });
});

attack(7, 'CVE-2026-63741: brings namespaces and databases into being without a right', async () => {
  const sessions: Record<string, Session> = {
    ...(await tenants()),
    guest: world.guest(),
    'root viewer': await world.systemUser('RV'),
  };
  const before = await answer(world.owner, 'RETURN object::keys((INFO FOR ROOT).namespaces)');
  for (const [who, session] of Object.entries(sessions)) {
    await session.use('fresh', 'fresh');
    await session.use(`made-by-${who}`, null);
    for (const text of [
      'USE NS fresh',
      'USE NS fresh DB fresh',
      'USE NS fresh DB fresh; CREATE x',
      'USE NS fresh; DEFINE DATABASE d',
    ]) {
      await answers(session, text);
    }
    await session.use('test', who === 'namespace owner' ? 'test' : 'fresh');
    await answers(session, 'CREATE x; UPSERT x:1; RELATE x:1->y->x:2; INSERT INTO x {}');
    if (who !== 'namespace owner') await doors.ask(session, 'CREATE x; DEFINE DATABASE d', ['test', 'fresh']);
    await doors.ask(session, 'USE NS fresh DB fresh; CREATE x; DEFINE NAMESPACE fresh', ['fresh', 'fresh']);
    await doors.graphql(session, '{ __typename }', ['fresh', 'fresh']);
    await app.inject({ url: '/api/fresh/fresh/x' });
  }
  expect(await answer(world.owner, 'RETURN object::keys((INFO FOR ROOT).namespaces)')).toBe(before);
  expect(await answer(world.owner, 'USE NS test; RETURN object::keys((INFO FOR NS).databases)')).toBe("['test']");
});

attack(7, 'CVE-2026-63741: comes back to a namespace that was dropped and made anew', async () => {
  await run(world.owner, "DEFINE USER boss ON NAMESPACE PASSWORD 'boss of it' ROLES OWNER");
  const boss = world.guest();
  const { access } = await boss.signIn(objectFrom({ NS: 'test', user: 'boss', pass: 'boss of it' }));
  await run(world.owner, 'REMOVE NAMESPACE test');
  await boss.use('test', 'test');
  expect(await answer(boss, 'CREATE x')).toMatch(/^not_allowed/);
  expect(await answer(world.owner, 'RETURN (INFO FOR ROOT).namespaces.test')).toBe('NONE');
  await run(world.owner, 'DEFINE NAMESPACE test');
  await expect(world.guest().authenticate(access)).rejects.toMatchObject({ code: 'invalid_auth' });
  expect((await post('/sql', { authorization: `Bearer ${access}` }, 'INFO FOR NS')).statusCode).toBe(401);
});

attack(8, 'CVE-2026-63756: runs as whoever sent a request at the same moment', async () => {
  await world.systemUser('RO');
  const anonymous = { id: 1, method: 'query', params: ['RETURN $session.tk'] };
  const root = { id: 1, method: 'query', params: ['INFO FOR ROOT'] };
  const sent = Array.from({ length: 300 }, (_, at) =>
    at % 2 === 0 ? rpc(anonymous) : rpc(root, { authorization: basic('RO') }),
  );
  const refused = createHttpServer({ database: world.database });
  for (const [at, response] of (await Promise.all(sent)).entries()) {
    const { result } = response.json();
    if (at % 2 === 0) expect(result[0].result).toBeNull();
    else expect(result[0].result.namespaces).toHaveProperty('test');
  }
  await refused.close();
  // Nothing of a request outlives it.
  await rpc({ id: 1, method: 'let', params: ['mine', 1] }, { authorization: basic('RO') });
  await rpc({ id: 1, method: 'use', params: ['test', 'test'] }, { authorization: basic('RO') });
  const { result } = (
    await rpc({ id: 1, method: 'query', params: ['RETURN $mine; RETURN [$session.ns, $session.tk]'] })
  ).json();
  expect(result[0].result).toBe('Specify a namespace to use');
  expect(result[1].result).toEqual([null, null]);
});

attack(9, 'CVE-2026-63757: acts in the session of another client', async () => {
  const attach = { id: 1, method: 'attach', session: '018f3c4e-0000-7000-8000-000000000001' };
  await world.systemUser('RO');
  await rpc(attach, { authorization: basic('RO') });
  expect((await rpc({ id: 1, method: 'sessions' })).json().result).toEqual([]);
  const stolen = (await rpc({ id: 1, method: 'query', params: ['RETURN 1'], session: attach.session })).json();
  expect(stolen.error).toMatchObject({ message: expect.stringContaining('ession') });
  // On a connection that stays, too, a session is its own.
  const owner = await world.systemUser('NO');
  const { session } = attach;
  const mine = doors.talk([
    { method: 'authenticate', params: [world.tokenOf(owner)] },
    { method: 'attach', session },
    { method: 'authenticate', params: [world.tokenOf(owner)], session },
    ...Array.from({ length: 20 }, () => ({ method: 'query', params: ['RETURN $token.ID'], session })),
  ]);
  const theirs = await doors.talk([
    { method: 'sessions' },
    { method: 'query', params: ['RETURN $token.ID'], session },
    { method: 'attach', session },
    { method: 'query', params: ['RETURN $token.ID'], session },
    { method: 'detach', session },
  ]);
  expect(theirs.join()).not.toContain('NO');
  expect(theirs[0]).toContain('"result":[]');
  expect((await mine).slice(3)).toEqual(Array.from({ length: 20 }, () => expect.stringContaining('"NO"')));
});

describe('credentials that are more than data', () => {
  const LIVE: Record<string, Value> = {
    closure: new Closure('|| true', undefined),
    table: new Table('user'),
    range: new Range(undefined, undefined),
    'range of records': new RecordId('user', new Range(undefined, undefined)),
    regex: new Regex('.*'),
    'closure in an object': objectFrom({ a: [new Closure('|| true', undefined)] }),
  };

  attack(13, 'CVE-2024-58362: are refused as values', async () => {
    await world.person('ann');
    for (const [what, value] of Object.entries(LIVE)) {
      for (const door of ['signIn', 'signUp'] as const) {
        const body = objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: value });
        await expect(world.guest()[door](body), `${door} ${what}`).rejects.toMatchObject({ code: 'variable_not_data' });
        const nested = objectFrom({ NS: 'test', DB: 'test', AC: 'people', variables: objectFrom({ name: value }) });
        await expect(world.guest()[door](nested), `${door} ${what}`).rejects.toMatchObject({
          code: 'variable_not_data',
        });
      }
      for (const member of ['user', 'pass', 'NS', 'DB', 'AC']) {
        const body = newObject();
        for (const [name, given] of Object.entries({ NS: 'test', DB: 'test', user: 'u', pass: 'p', [member]: value }))
          body[name] = given;
        await expect(world.guest().signIn(body), `${member} ${what}`).rejects.toMatchObject({
          code: expect.not.stringMatching('internal'),
        });
      }
    }
  });

  attack(13, 'CVE-2024-58362: are texts in JSON, and refused in CBOR', async () => {
    await world.person('ann');
    const json = await post(
      '/signin',
      { 'content-type': 'application/json' },
      JSON.stringify({ NS: 'test', DB: 'test', AC: 'people', name: '(SELECT VALUE name FROM user)[0]' }),
    );
    expect(json.statusCode).toBe(401);
    const object = await post(
      '/signin',
      { 'content-type': 'application/json' },
      JSON.stringify({ NS: 'test', DB: 'test', AC: 'people', name: { '!=': '' } }),
    );
    expect(object.statusCode).toBe(401);
    for (const name of ['(SELECT VALUE name FROM user)[0]', '|| true', 'user', '/.*/', { '!=': '' }, [['ann']]]) {
      const body = { NS: 'test', DB: 'test', AC: 'people', name };
      const nested = { NS: 'test', DB: 'test', AC: 'people', variables: { name } };
      const calls = [body, nested].map((params) => ({ id: 1, method: 'signin', params: [params] }));
      const told = [
        ...(await doors.talk(calls)),
        ...(await Promise.all(calls.map((call) => rpc(call)))).map((each) => each.body),
      ];
      // A client that tries often has to wait.
      const refused = expect.stringMatching(/There was a problem with authentication|Too many failed attempts/);
      expect(told).toEqual(told.map(() => refused));
    }
    for (const value of [LIVE['table'], LIVE['range'], LIVE['range of records']]) {
      const body = objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: value });
      const cbor = await app.inject({
        method: 'POST',
        url: '/rpc',
        headers: { 'content-type': 'application/cbor', accept: 'application/json' },
        payload: Buffer.from(encodeCbor(objectFrom({ id: 1, method: 'signin', params: [body] }))),
      });
      expect(cbor.json()).toHaveProperty('error');
      expect(cbor.body).not.toContain('eyJ');
    }
  });
});

it('keeps a guest out altogether unless guests are let in', async () => {
  const closed = await World.open({ guests: false });
  await run(closed.owner, 'DEFINE TABLE t PERMISSIONS FULL; CREATE t:1');
  const guest = closed.guest();
  await guest.use('test', 'test');
  for (const text of ['SELECT * FROM t', 'RETURN 1', 'INFO FOR DB', 'CREATE t', 'USE NS x']) {
    expect(await answer(guest, text)).toMatch(/^not_allowed/);
  }
  await expect((async () => guest.catalogSnapshot())()).rejects.toMatchObject({ code: 'not_allowed' });
  await expect((async () => guest.begin())()).rejects.toMatchObject({ code: 'not_allowed' });
  await closed.close();
});
