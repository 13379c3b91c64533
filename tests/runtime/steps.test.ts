/**
 * Statements over large values come by checkpoints often enough, and operators and casts refuse what would take too
 * long at once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { objectFrom } from '../../src/value/value.js';
import { run } from '../support/world.js';
import { YieldingEnvironment } from '../support/yielding-environment.js';

const environment = new YieldingEnvironment();

let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: Session;
beforeAll(async () => {
  database = await openDatabase(new MemoryEngine({ timers: environment.timers }), { environment });
  owner = database.ownerSession();
  await owner.use('test', 'test');
});
afterAll(() => database.close());

/** How often statements gave way. */
async function yieldsOf(statements: string): Promise<number> {
  const before = environment.yields;
  await run(owner, statements);
  return environment.yields - before;
}

test('a step that takes milliseconds waits for the turn of a long computation', async () => {
  await run(owner, 'RETURN (<array> 0..30000).len()');
  expect(environment.longYields).toBe(0);
  await run(owner, 'RETURN (<array> 0..200000).len()');
  expect(environment.longYields).toBeGreaterThan(0);
});

const MANY = 30_000;

describe('yields on the way', () => {
  test.each([
    ['SELECT * FROM array::repeat(1, 18000) ORDER BY rand()', 100],
    ['SELECT count() FROM array::repeat(1, 18000) GROUP ALL', 100],
    ['SELECT a FROM array::repeat({ a: 1 }, 18000) GROUP BY a', 100],
    ['SELECT * OMIT a FROM array::repeat({ a: 1, b: 2 }, 18000)', 150],
    ['SELECT * FROM array::repeat({ a: 1, b: 2 }, 18000) FETCH a', 110],
    [`RETURN set::len(<set> <array> 0..${MANY})`, 30],
    [`RETURN array::len(array::sort(<array> 0..${MANY}))`, 100],
    [`RETURN [array::len(<array> 0..${MANY}), array::len(<array> 0..${MANY}), array::len(<array> 0..${MANY})]`, 3],
    [`RETURN array::len(|item:${MANY}|)`, 29],
    [`FOR $x IN 0..100 { LET $y = string::uppercase(string::repeat('a', 20000)) }`, 100],
    [`LET $l = <array> 0..${MANY}; RETURN (<array> 0..100).map(|$x| $l CONTAINS -1)`, 100],
    [`LET $l = <array> 0..${MANY}; LET $m = <array> 0..${MANY}; RETURN (<array> 0..100).map(|$x| $l = $m)`, 200],
  ])('%s', async (statement, least) => {
    expect(await yieldsOf(statement)).toBeGreaterThanOrEqual(least);
  });
});

/** A value of 2^20 parts that takes little memory. */
const SHARED = `LET $a = <array> 0..1024; ${'LET $a = [$a, $a];'.repeat(10)}`;

test.each([
  ['<string> $a', 'value_too_large'],
  ['type::string($a)', 'value_too_large'],
  ["string::concat('', $a)", 'input_too_large'],
  ["string::join(',', [$a])", 'input_too_large'],
])('refuses %s, whatever its parts are in', async (expression, code) => {
  await expect(run(owner, `${SHARED} RETURN ${expression}`)).rejects.toMatchObject({ code });
});

test('refuses requests with very many variables', async () => {
  const variables = (count: number) =>
    objectFrom(Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, at])));
  await expect((async () => owner.query('RETURN 1', variables(10_001)))()).rejects.toMatchObject({
    code: 'too_many_request_variables',
  });
  expect(await owner.query('RETURN $v9999', variables(10_000))).toMatchObject([{ outcome: { value: 9999 } }]);
});

describe('refuses what would take too long at once', () => {
  test.each([
    `RETURN string::repeat('a', 700000) CONTAINS 'b'`,
    `LET $l = <array> 0..${MANY}; RETURN $l CONTAINSALL $l`,
    `LET $l = <array> 0..${MANY}; RETURN <string> $l`,
    `RETURN <int> string::repeat('1', 40000)`,
    `LET $l = <array> 0..600000; RETURN $l ANYINSIDE [1]`,
  ])('%s', async (statement) => {
    await expect(run(owner, statement)).rejects.toMatchObject({ code: 'input_too_large' });
  });
});

test('a long list that is searched again is sorted, and finds the same', async () => {
  const found = await run(
    owner,
    `LET $l = <array> 0..${MANY}; RETURN [$l CONTAINS 7, $l CONTAINS 8, 9 IN $l, -1 IN $l, $l CONTAINSANY [-1, 29999], $l CONTAINSALL [1, -1]]`,
  );
  expect(found.at(-1)).toEqual([true, true, true, false, true, false]);
});
