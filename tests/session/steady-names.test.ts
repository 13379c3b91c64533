import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/language/parse.js';
import { parseSteadily, withSteadyNames } from '../../src/session/steady-names.js';
import { objectFrom } from '../../src/value/value.js';

const steady = (text: string, variables: Record<string, number>) => {
  const bound = withSteadyNames(text, objectFrom(variables));
  return [bound.text, { ...bound.variables }];
};

describe('parameters that the client counts', () => {
  it('are counted from 1 in each request', () => {
    expect(steady('UPDATE ONLY $bind__10 MERGE $bind__11', { bind__10: 1, bind__11: 2 })).toEqual([
      'UPDATE ONLY $bind__1 MERGE $bind__2',
      { bind__1: 1, bind__2: 2 },
    ]);
  });

  it('keep apart however they are ordered', () => {
    expect(steady('UPDATE $bind__2 SET a = [$bind__1, $bind__2]', { bind__1: 1, bind__2: 2 })).toEqual([
      'UPDATE $bind__1 SET a = [$bind__2, $bind__1]',
      { bind__1: 2, bind__2: 1 },
    ]);
  });

  it('leave other variables as they are', () => {
    expect(steady('SELECT a, b FROM $bind__7 WHERE a = $n', { n: 1, bind__7: 2 })).toEqual([
      'SELECT a, b FROM $bind__1 WHERE a = $n',
      { n: 1, bind__1: 2 },
    ]);
  });

  it.each([
    'SELECT * FROM ONLY $bind__7',
    'SELECT type::fields($bind__7) FROM $bind__8 WHERE a = $bind__9 START 1 LIMIT 2 FETCH type::fields($bind__10)',
    'SELECT VALUE type::field($bind__7) FROM $bind__8',
    'CREATE ONLY $bind__7 CONTENT $bind__8',
    'UPSERT $bind__7 MERGE $bind__8 WHERE (a = $bind__9 AND b != $bind__10) RETURN BEFORE',
    'DELETE ONLY $bind__7',
    'INSERT INTO $bind__7 $bind__8',
    'RELATE  ONLY $bind__7->$bind__8->$bind__9 CONTENT $bind__10',
  ])('are counted in what the client writes: %s', (text) => {
    const names = text.match(/bind__\d+/g) ?? [];
    const variables = Object.fromEntries(names.map((name, at) => [name, at]));
    expect(steady(text, variables)[1]).toEqual(Object.fromEntries(names.map((_, at) => [`bind__${at + 1}`, at])));
  });

  it.each([
    ['in a string', "UPDATE a SET b = ['$bind__7', $bind__7]", { bind__7: 2 }],
    ['in a regex', 'UPDATE a SET b = /$bind__7/, c = $bind__7', { bind__7: 2 }],
    ['in a comment', 'DELETE $bind__7 -- not $bind__8', { bind__7: 2 }],
    ['in a name in backticks', 'UPDATE a SET b = $`a$bind__7` + $bind__7', { bind__7: 2 }],
    ['in what is stored', 'DEFINE FUNCTION fn::a() { $bind__7 }', { bind__7: 2 }],
    ['set in the session', 'UPDATE $bind__1 SET a = $bind__7', { bind__7: 2 }],
    ['for stored code to see', 'DELETE $bind__7', { bind__7: 2, bind__1: 3 }],
    ['where stored code is called', 'UPDATE a SET b = fn::a($bind__7)', { bind__7: 2 }],
    ['in the name of a field', 'SELECT $bind__7 + 1 FROM a', { bind__7: 2 }],
    ['in that of one behind another', 'SELECT *, $bind__7 FROM a', { bind__7: 2 }],
    ['in that of one in what is selected from', 'SELECT * FROM (SELECT $bind__7 FROM a)', { bind__7: 2 }],
    ['behind a field that is named like a keyword', 'SELECT from, a.from , $bind__7 FROM a', { bind__7: 2 }],
    ['in that of one that is returned', 'UPDATE a RETURN none, $bind__7', { bind__7: 2 }],
    ['in a closure', 'UPDATE a SET b = |$c| $bind__7', { bind__7: 2 }],
    ['in a plan', 'EXPLAIN SELECT * FROM a WHERE b = $bind__7', { bind__7: 2 }],
    ['in the plan at the end', 'SELECT * FROM a WHERE b = $bind__7 EXPLAIN', { bind__7: 2 }],
  ])('stay as they are %s', (_, text, variables) => {
    expect(steady(text, variables)).toEqual([text, variables]);
  });

  it('are told by the names that were given where something is wrong', () => {
    const parse = (text: string) => parseQuery(text).statements;
    const variables = objectFrom({ bind__70: 2 });
    expect(() => parseSteadily('SELECT * FROM $bind__70 WHERE a b', variables, parse)).toThrow(
      '1 | SELECT * FROM $bind__70 WHERE a b',
    );
  });
});
