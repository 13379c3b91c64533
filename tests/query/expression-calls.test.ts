/** Functions that users define, their permissions, and how deep and how long calls may go. */
import { describe, expect, test } from 'vitest';
import type { FunctionDefinition, ParamDefinition } from '../../src/catalog/definitions/definition.js';
import { CatalogCache } from '../../src/catalog/definitions/load.js';
import { failure } from '../../src/errors/error.js';
import type { DefineFunction } from '../../src/language/ast.js';
import { parseStatement } from '../../src/language/parse.js';
import type { Execution } from '../../src/runtime/execution.js';
import { evaluate, outcome, RECORDS, type World } from './expression-harness.js';

function worldWith(...functions: string[]): World {
  const definitions = functions.map((text) => parseStatement(`DEFINE FUNCTION ${text}`) as DefineFunction);
  return {
    catalog: {
      functions: new Map(definitions.map((each) => [each.name, each as FunctionDefinition])),
      params: new Map<string, ParamDefinition>([
        ['open', { kind: 'define-param', name: 'open', value: 7, permissions: { kind: 'full' } }],
        ['hidden', { kind: 'define-param', name: 'hidden', value: 8, permissions: { kind: 'none' } }],
      ]),
    },
  };
}

const CHECKED: Partial<Execution> = { checks: { view: true, edit: true } };

const FUNCTIONS = worldWith(
  'fn::add($a: int, $b: option<int>) -> int { RETURN $a + ($b ?? 0); }',
  'fn::one($a: int) { $a }',
  'fn::none() { 1 }',
  'fn::middle($a: option<int>, $b: int) { [$a, $b] }',
  'fn::wrong() -> string { 5 }',
  'fn::down($n: int) { IF $n <= 0 { RETURN 0 }; RETURN 1 + fn::down($n - 1) }',
  'fn::endless($n: int) { fn::endless($n + 1) }',
  'fn::breaks() { BREAK }',
  'fn::sees() { $outer }',
  'fn::document() { $this.a }',
  `fn::high($n: int) { IF $n > 0 { fn::high($n - 1)${' + 1'.repeat(700)} } ELSE { 0 } }`,
);

test.each([
  ['fn::add(1)', '1'],
  ['fn::add(1, 2)', '3'],
  ['fn::add(1, NONE)', '1'],
  ['fn::add(1f)', '1'],
  ['fn::add()', 'ERR Incorrect arguments for function fn::add(). The function expects 1 to 2 arguments.'],
  ['fn::add(1, 2, 3)', 'ERR Incorrect arguments for function fn::add(). The function expects 1 to 2 arguments.'],
  ['fn::one()', 'ERR Incorrect arguments for function fn::one(). The function expects 1 argument.'],
  ['fn::none(1)', 'ERR Incorrect arguments for function fn::none(). The function expects 0 arguments.'],
  ['fn::middle(1)', 'ERR Incorrect arguments for function fn::middle(). The function expects 2 arguments.'],
  [
    "fn::one('x')",
    "ERR Incorrect arguments for function fn::one(). Failed to coerce argument `$a`: Expected `int` but found `'x'`",
  ],
  ['fn::wrong()', "ERR Couldn't coerce return value from function `fn::wrong`: Expected `string` but found `5`"],
  ['fn::nope()', "ERR Function 'fn::nope' not found: The function 'fn::nope' does not exist"],
  ['fn::down(100)', '100'],
  ['{ LET $outer = 5; fn::sees() }', '5'],
  ['[{ a: 1 }].{ b: fn::document() }', '[{ b: 1 }]'],
  [
    '{ FOR $i IN [1] { fn::breaks() } }',
    'ERR Invalid control flow statement, break or continue statement found outside of loop.',
  ],
  ['$open', '7'],
  ['$hidden', '8'],
  ['{ LET $open = NONE; $open }', 'NONE'],
])('%s', async (text, expected) => {
  expect(await outcome(`RETURN ${text}`, FUNCTIONS)).toBe(expected);
});

describe('for those whose permissions are checked', () => {
  const world = {
    ...worldWith(
      'fn::full() { 1 } PERMISSIONS FULL',
      'fn::none() { 2 } PERMISSIONS NONE',
      'fn::some() { 3 } PERMISSIONS WHERE $auth.id() = 1',
      'fn::through() { fn::none() }',
    ),
    overrides: CHECKED,
  };

  test.each([
    ['fn::full()', '1'],
    ['fn::none()', "ERR You don't have permission to run the fn::none function"],
    ['fn::some()', "ERR You don't have permission to run the fn::some function"],
    ['fn::through()', "ERR You don't have permission to run the fn::none function"],
    ['$open', '7'],
    ['$hidden', "ERR You don't have permission to view the $hidden parameter"],
  ])('%s', async (text, expected) => {
    expect(await outcome(`RETURN ${text}`, world)).toBe(expected);
  });
});

describe('bounds', () => {
  const TOO_DEEP = 'ERR Reached excessive computation depth due to functions, subqueries, or computed values';

  test.each([
    ['a function that calls itself', 'fn::endless(0)'],
    ['a closure that calls itself', '{ LET $f = |$f, $n| $f($f, $n + 1); $f($f, 0) }'],
    ['a closure that is called through a function', '{ LET $f = |$f| [1].map(|$x| $f($f)); $f($f) }'],
    ['a body that is a high tree', 'fn::high(119)'],
  ])('%s ends', async (_, text) => {
    expect(await outcome(`RETURN ${text}`, FUNCTIONS)).toBe(TOO_DEEP);
  });

  test.each([
    [
      'calls that double',
      '{ LET $f = |$f, $n| IF $n > 0 { $f($f, $n - 1) + $f($f, $n - 1) } ELSE { 1 }; $f($f, 100) }',
    ],
    ['an endless loop', '{ FOR $i IN 1..1000000000 { } }'],
    ['filters within filters', `{ LET $a = <array> 0..99; $a[WHERE $a[WHERE $a[WHERE $a[WHERE false]]]] }`],
    ['shapes within shapes', `{ LET $a = (<array> 0..99).map(|$x| {}); $a.{ x: $a.{ x: $a.{ x: $a.{ x: 1 } } } } }`],
    ['paths that branch', 'fork:1.{..+path}(->fork_edge->fork)'],
  ])('%s stop when time is over', async (_, text) => {
    let asked = 0;
    const check = () => {
      if (++asked > 100) throw failure('timed_out', { duration: '1s', nanoseconds: 1_000_000_000n });
    };
    const interrupt = { checkpoint: check, check, within: () => interrupt, onEnd: () => () => undefined };
    const records = [
      '{ id: fork:1 }',
      '{ id: fork_edge:1, in: fork:1, out: fork:1 }',
      '{ id: fork_edge:2, in: fork:1, out: fork:1 }',
    ];
    expect(await outcome(`RETURN ${text}`, { records, overrides: { interrupt } })).toMatch(/exceeded the timeout/);
  });
});

describe('what is hidden', () => {
  const world: World = { records: RECORDS, hidden: ['person:2', 'knows:4'], overrides: CHECKED };

  test.each([
    ['person:1->knows->person', '[person:3]'],
    ['person:1->knows->person->knows->person', '[]'],
    ['person:1->knows.out', '[person:2, person:3]'],
    ['person:1->knows.out.name', "[NONE, 'c']"],
    ['person:3->knows', '[]'],
    ['person:3<->knows', '[knows:2, knows:3]'],
    ['person:3<->knows<->person', '[person:1, person:3, person:3]'],
    ['person:1->(knows WHERE out.name != NONE)', '[knows:2]'],
    ['person:1.friend.name', 'NONE'],
    ['person:1.fr.*', "[NONE, { id: person:3, n: 3, name: 'c' }]"],
    ['person:9<~person', '[]'],
    ['{ id: person:9, in: person:2, out: person:3 }->?', '[person:3]'],
  ])("isn't walked over: %s", async (text, expected) => {
    expect(await outcome(`RETURN ${text}`, world)).toBe(expected);
  });
});

describe('closures', () => {
  test('keep the variables as they were', async () => {
    const text = 'LET $a = 1; LET $f = |$x| $x + $a; LET $a = 100; RETURN $f(1)';
    expect(await evaluate(text)).toBe(2);
  });

  test('of a loop keep the value of their turn', async () => {
    const text = '{ LET $f = { FOR $i IN [1, 2, 3] { IF $i = 2 { RETURN |$x| $x + $i } } }; RETURN $f(10) }';
    expect(await evaluate(text)).toBe(12);
  });

  test('run without the right to write', async () => {
    const seen: boolean[] = [];
    const context = {
      catalog: () => undefined,
      catalogChanged: () => undefined,
      catalogs: new CatalogCache(),
      answersLater: false,
      likelyCatalog: () => undefined,
      prefetch: () => undefined,
      get transaction(): never {
        throw new Error('not reached');
      },
    };
    const reader = {
      read: (execution: Execution) => {
        seen.push(execution.writable);
        return undefined;
      },
      readMany: () => [],
      scan: () => undefined,
      present: () => undefined,
      judge: () => ({ admitted: false, hidden: [] }),
      holds: () => false,
      presentsAlike: () => false,
      storedRange: () => undefined,
      mayHide: () => false,
      edges: () => [],
      ends: () => undefined,
      referrers: () => [],
    };
    await evaluate('RETURN [a:1.x, (|$x| a:1.x)(1)]', { overrides: { context, services: { reader } } });
    expect(seen).toEqual([true, false]);
  });
});
