/** Variables of clients that are called like parameters of the database, wherever code of the database runs (75). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { openScripting } from '../support/scripting.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';

/** Everything that an owner can write which runs when another user does something; each shows its value of `$p`. */
const CODE = `
  DEFINE PARAM $p VALUE 'defined' PERMISSIONS FULL;
  DEFINE FUNCTION fn::plain() { RETURN $p } PERMISSIONS FULL;
  DEFINE FUNCTION fn::block() { IF true { FOR $n IN [1] { RETURN $p } } } PERMISSIONS FULL;
  DEFINE FUNCTION fn::nested() { RETURN fn::plain() } PERMISSIONS FULL;
  DEFINE FUNCTION fn::closure() { RETURN (|| $p)() } PERMISSIONS FULL;
  DEFINE FUNCTION fn::handed() { RETURN [1].map(|$n| $p)[0] } PERMISSIONS FULL;
  DEFINE FUNCTION fn::query() { RETURN (SELECT VALUE $p FROM ONLY { a: 1 }) } PERMISSIONS FULL;
  DEFINE FUNCTION fn::given($f: function) { RETURN [$p, $f()] } PERMISSIONS FULL;
  DEFINE TABLE t PERMISSIONS FULL;
  DEFINE FIELD fixed ON t VALUE $p;
  DEFINE FIELD called ON t VALUE fn::plain();
  DEFINE FIELD initial ON t DEFAULT $p;
  DEFINE FIELD computed ON t COMPUTED $p;
  DEFINE FIELD checked ON t ASSERT $p = 'defined';
  DEFINE TABLE log PERMISSIONS FULL;
  DEFINE EVENT e ON t THEN { CREATE log SET p = $p, called = fn::plain() };
  DEFINE TABLE ruled PERMISSIONS FOR select, create WHERE $p = 'defined';
  DEFINE TABLE hidden PERMISSIONS FOR select WHERE fn::plain() = 'client';
  DEFINE API '/p' FOR get THEN { { status: 200, body: { p: $p, called: fn::plain() } } };`;

/** A statement and its answer, for any sender and any \`$p\`. */
const EXPECTED: readonly (readonly [text: string, expected: string])[] = [
  ...['plain', 'block', 'nested', 'closure', 'handed', 'query'].map(
    (name) => [`RETURN fn::${name}()`, "'defined'"] as const,
  ),
  ["RETURN fn::given(|| 'mine')", "['defined', 'mine']"],
  [
    'DELETE t; SELECT fixed, called, initial, computed FROM ONLY (CREATE ONLY t:1 SET checked = 1)',
    "{ called: 'defined', computed: 'defined', fixed: 'defined', initial: 'defined' }",
  ],
  ['DELETE log; UPSERT t:2 SET checked = 1; SELECT VALUE [p, called] FROM log', "[['defined', 'defined']]"],
  ['CREATE ruled:new RETURN VALUE id; SELECT VALUE id FROM ruled; ', '[ruled:new]'],
  ['SELECT VALUE id FROM hidden', '[]'],
  ["RETURN api::invoke('/p').body", "{ called: 'defined', p: 'defined' }"],
  // Arguments and variables of a function are its own, and what isn't defined is the caller's.
  ['DEFINE FUNCTION OVERWRITE fn::own($p: any) { RETURN $p }; RETURN fn::own(5)', '5'],
];

let world: World;
beforeEach(async () => {
  world = await World.open();
  await run(world.owner, `${CODE} CREATE hidden:1`);
});
afterEach(() => world.close());

/** How a client gives a variable a value. */
const WAYS: Readonly<Record<string, (session: Session, text: string) => Promise<string>>> = {
  'a variable of the session': async (session, text) => {
    session.setVariable('p', 'client');
    const told = await answer(session, text);
    session.unsetVariable('p');
    return told;
  },
  'a variable of the request': (session, text) => answer(session, text, objectFrom({ p: 'client' })),
  'LET before': (session, text) => answer(session, `LET $p = 'client'; ${text}`),
  'LET in a transaction': async (session, text) => {
    const held = await session.begin();
    const told = await answer(held, `LET $p = 'client'; ${text}`);
    await held.commit();
    return told;
  },
};

attack(75, 'a client’s variable that is called like a parameter, in code of the database', async () => {
  const record = await world.person('eve');
  for (const session of [record, world.owner]) {
    for (const [way, ask] of Object.entries(WAYS)) {
      for (const [text, expected] of EXPECTED) {
        if (session === record && text.startsWith('DEFINE')) continue;
        if (session === world.owner && text.includes('hidden')) continue;
        await run(world.owner, 'DELETE ruled');
        expect([way, text, await ask(session, text)]).toEqual([way, text, expected]);
      }
      // In the client's own text it is the client's.
      expect([way, await ask(session, 'RETURN $p')]).toEqual([way, "'client'"]);
    }
  }
});

attack(75, 'a client’s variable in place of a parameter that it may not see', async () => {
  await run(world.owner, "DEFINE PARAM OVERWRITE $p VALUE 'secret' PERMISSIONS NONE");
  const eve = await world.person('eve');
  expect(await answer(eve, 'RETURN fn::plain()', objectFrom({ p: 'client' }))).toContain('param_forbidden');
});

attack(75, 'a variable of a sign-in in place of a parameter', async () => {
  await run(
    world.owner,
    `DEFINE TABLE account;
     DEFINE ACCESS own ON DATABASE TYPE RECORD
       SIGNUP (CREATE account SET called = fn::plain(), name = $name)
       AUTHENTICATE { IF $p != 'defined' { THROW 'replaced' }; RETURN $auth }`,
  );
  const eve = world.guest();
  await eve.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'own', name: 'eve', p: 'client' }));
  expect(await answer(world.owner, 'SELECT VALUE [called, name] FROM account')).toBe("[['defined', 'eve']]");
});

it('a function finds what its caller has, where no parameter has the name', async () => {
  await run(world.owner, 'DEFINE FUNCTION fn::free() { RETURN [$q, (|| $q)(), fn::deeper()] }');
  await run(world.owner, 'DEFINE FUNCTION fn::deeper() { RETURN $q }');
  expect(await answer(world.owner, 'LET $q = 1; RETURN fn::free()')).toBe('[1, 1, 1]');
  expect(await answer(world.owner, 'RETURN fn::free()', objectFrom({ q: 2 }))).toBe('[2, 2, 2]');
  expect(await answer(world.owner, 'LET $f = fn::free(); RETURN $f')).toBe('[NONE, NONE, NONE]');
});

attack(75, 'a client’s variable in place of a parameter, in a script of a function', async () => {
  const scripting = await openScripting();
  const text = `DEFINE PARAM $p VALUE 'defined';
    DEFINE FUNCTION fn::script() { RETURN function() {
      return [await surrealdb.value('$p'), await surrealdb.query('RETURN $p')]
    } };
    LET $p = 'client'; RETURN fn::script()`;
  expect(await scripting.answer(text)).toBe("['defined', 'defined']");
  await scripting.database.close();
});
