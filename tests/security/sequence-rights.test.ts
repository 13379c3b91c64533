/** Numbers of sequences: record users and guests draw them where the sequence or stored code says so. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { answer, run, World } from '../support/world.js';

const REFUSED = /^sequence_forbidden: You don't have permission to draw from the sequence 's'/;

let world: World;
let clients: Readonly<Record<string, Session>>;
beforeEach(async () => {
  world = await World.open({ guests: true });
  await run(
    world.owner,
    `DEFINE SEQUENCE s;
     DEFINE TABLE bill PERMISSIONS FULL;
     DEFINE FIELD number ON bill DEFAULT sequence::nextval('s');
     DEFINE FIELD value ON bill VALUE sequence::nextval('s');
     DEFINE FUNCTION fn::number() { RETURN sequence::nextval('s') };
     DEFINE FUNCTION fn::apply($f: function) { RETURN [$f(), [1].map($f)] };
     DEFINE FUNCTION fn::own() { RETURN { LET $f = || sequence::nextval('s'); $f() } };
     DEFINE FUNCTION fn::deep() { RETURN [1].map(|$_| fn::number()) };
     DEFINE TABLE seen PERMISSIONS FULL; DEFINE EVENT e ON seen THEN { CREATE log SET n = sequence::nextval('s') };
     DEFINE API '/number' FOR get PERMISSIONS FULL THEN { { body: sequence::nextval('s') } }`,
  );
  const guest = world.guest();
  await guest.use('test', 'test');
  clients = { 'record users': await world.person('ann'), guests: guest };
});
afterEach(() => world.close());

const DIRECT = [
  "sequence::nextval('s')",
  "SELECT VALUE sequence::nextval('s') FROM 1",
  "RETURN { LET $f = || sequence::nextval('s'); $f() }",
  "CREATE bill SET note = sequence::nextval('s')",
  "FOR $i IN 0..2 { sequence::nextval('s') }",
  "array::map([1], |$i| sequence::nextval('s'))",
  "fn::apply(|| sequence::nextval('s'))",
];
const STORED = [
  'fn::number()',
  'fn::deep()[0]',
  'fn::own()',
  'RETURN (CREATE ONLY bill).number',
  'RETURN (CREATE ONLY bill).value',
  'RETURN (CREATE ONLY seen) != NONE',
  "RETURN api::invoke('/number').status",
];

describe.each(['record users', 'guests'])('%s', (who) => {
  const ask = (text: string) => answer(clients[who] as Session, text);

  test.each(DIRECT)('draw none by themselves: %s', async (text) => {
    expect(await ask(text)).toMatch(REFUSED);
  });

  test.each(STORED)('draw them in stored code: %s', async (text) => {
    expect(await ask(text)).toMatch(/^(\d+|true)$/);
  });

  test('draw them where the sequence says so', async () => {
    await run(world.owner, 'ALTER SEQUENCE s PERMISSIONS FULL');
    for (const text of DIRECT.slice(0, 3)) expect(await ask(text)).toMatch(/^(\[?\d+\]?)$/);
    await run(world.owner, 'ALTER SEQUENCE s PERMISSIONS WHERE $auth.id = user:ann');
    expect(await ask(DIRECT[0] as string)).toMatch(who === 'guests' ? REFUSED : /^\d+$/);
    await run(world.owner, 'ALTER SEQUENCE s PERMISSIONS NONE');
    for (const text of ['fn::number()', 'CREATE bill', ...DIRECT.slice(0, 3)]) expect(await ask(text)).toMatch(REFUSED);
  });

  test('learn nothing of sequences by the error', async () => {
    expect(await ask("sequence::nextval('nope')")).toMatch(/^sequence_missing/);
  });
});

test('system users draw them by their roles', async () => {
  await run(world.owner, 'ALTER SEQUENCE s PERMISSIONS NONE');
  for (const name of ['DV', 'DE', 'DO', 'RV'] as const) {
    expect(await answer(await world.systemUser(name), "sequence::nextval('s')")).toMatch(/^\d+$/);
  }
});
