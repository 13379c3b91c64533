/** What projections are called. */
import { expect, test } from 'vitest';
import type { Select } from '../../src/language/ast.js';
import { parseStatement } from '../../src/language/parse.js';
import { projectionPath } from '../../src/query/expression/projection-name.js';

test.each<[projection: string, ...path: string[]]>([
  ['a', 'a'],
  ['a.b.c', 'a', 'b', 'c'],
  ['`a b`', 'a b'],
  ['a[0].b[WHERE true]', 'a', 'b'],
  ["a['b']", 'a'],
  ['a.*.b', 'a', 'b'],
  ['a.?.b', 'a', 'b'],
  ['a.{ b, c }', 'a'],
  ['a.b.len()', 'a', 'b'],
  ['a.first().n', 'a', 'n'],
  ['$x', 'x'],
  ['$x.y', '$x', 'y'],
  ['$this.n', '$this', 'n'],
  ['@.a', 'a'],
  ['->knows', '->knows'],
  ['->knows->person.name', '->knows', '->person', 'name'],
  ['->(knows, likes)->person', '->(knows, likes)', '->person'],
  ["->knows->(person WHERE name = 'b')", '->knows', "->(person WHERE name = 'b')"],
  ['->(knows AS k)->person', 'k'],
  ['<->?', '<->?'],
  ['->knows:1..2', '->knows:1..2'],
  ['@.{1..2}.next', 'next'],
  ['count()', 'count'],
  ['math::sum(a)', 'math::sum'],
  ['fn::f(a)', 'fn::f'],
  ['count(a).b', 'count(a).b'],
  ['time::now().type_of()', 'time::now()'],
  ['[1, 2][0]', '[1, 2]'],
  ['{ a: 1 }.a', '{ a: 1 }.a'],
  ['math::pi', 'math::PI'],
  ["'lit'", "'lit'"],
  ['5f', '5f'],
  ['a + 1', 'a + 1'],
  ['(a + 1) * 2', '(a + 1) * 2'],
  ['IF a { 1 } ELSE { 2 }', 'IF a { 1 } ELSE { 2 }'],
  ['<string> a', '<string> a'],
  ['(SELECT 1 FROM 1)', 'SELECT 1 FROM 1'],
  ['a AS b', 'b'],
  ['a AS b.c', 'b', 'c'],
  ['a AS `b c.d`', 'b c.d'],
])('%s', (text, ...path) => {
  const { projections } = parseStatement(`SELECT ${text} FROM t`) as Select;
  const item = projections.kind === 'fields' ? projections.items[0] : undefined;
  expect(item?.kind === 'expression' && projectionPath(item)).toEqual(path);
});
