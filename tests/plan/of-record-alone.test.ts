/** What depends on nothing but a record's own fields, so that all who are checked alike may share it. */
import { expect, it } from 'vitest';
import { parseExpression } from '../../src/language/parse.js';
import { isOfRecordAlone } from '../../src/plan/dependencies.js';

it.each([
  'published',
  'published AND n > 3',
  '!hidden OR n IN [1, 2, m]',
  "<string> n = '3'",
  'by = user:ann',
  "by = user:['ann', 3]",
  'at < d"2026-01-01T00:00:00Z"',
  '{ a: n } = { a: 1 }',
])('%s', (text) => {
  expect(isOfRecordAlone(parseExpression(text))).toBe(true);
});

it.each([
  ['a parameter', 'owner = $auth'],
  ['one in a path', 'owner = $auth.id'],
  ['one in a list', 'owner IN [user:ann, $auth.id]'],
  ['one in an object', '{ a: $auth.id } = { a: owner }'],
  ['one in the key of a record id', 'of = user:[$auth.id]'],
  ['one in an object of a key', 'of = user:{ of: $auth.id }'],
  ['one deep in a key', 'of = user:[1, { a: [$session.ip] }]'],
  ['one under a cast', '<string> $auth.id = owner'],
  ['one under an operator', 'n > 1 AND !($token.x)'],
  ['a drawn key', 'of = user:rand()'],
  ['a function', 'rand::bool()'],
  ['time', 'at < time::now()'],
  ['a function of the database', 'fn::may(n)'],
  ['a method', 'name.len() > 2'],
  ['a path that may lead to another record', 'owner.name = "ann"'],
  ['an index behind which one may be', 'owners[0] = user:ann'],
  ['an edge', '->likes->post'],
  ['a subquery', '(SELECT VALUE id FROM user)[0] = owner'],
  ['a block', '{ LET $a = n; RETURN $a }'],
  ['IF', 'IF n THEN $auth ELSE n END'],
  ['a full-text match', "name @@ 'ann'"],
])('not %s', (_, text) => {
  expect(isOfRecordAlone(parseExpression(text))).toBe(false);
});
