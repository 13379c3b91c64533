/** SET and UNSET. Expected values are those of the reference engine, except where noted. */
import { expect, test } from 'vitest';
import type { Data, Update } from '../../src/language/ast.js';
import { parseIdiom, parseStatement, parseValue } from '../../src/language/parse.js';
import { compileAssign, compileUnset, setPath } from '../../src/query/expression/assign.js';
import { Frame } from '../../src/runtime/frame.js';
import { Scope } from '../../src/runtime/scope.js';
import { createCompiler } from '../../src/statements/compiler.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, type ObjectValue } from '../../src/value/value.js';
import { executionOver, Store } from './expression-harness.js';

const compiler = createCompiler();
const frame = new Frame(executionOver({}, new Store()), new Scope());

async function assigned(assignments: string): Promise<string> {
  const { data } = parseStatement(`UPDATE t SET ${assignments}`) as Update;
  let document: ObjectValue = newObject();
  try {
    for (const { path, operator, value } of (data as Extract<Data, { kind: 'set' }>).assignments) {
      const given = await compiler.expression(value)(frame);
      document = await compileAssign(path, compiler)(document, operator, given, frame);
    }
  } catch (error) {
    return `ERR ${(error as Error).message}`;
  }
  return toText(document);
}

async function unset(document: ObjectValue, path: string): Promise<string> {
  try {
    return toText(await compileUnset([parseIdiom(path)], compiler)(document, frame));
  } catch (error) {
    return `ERR ${(error as Error).message}`;
  }
}

test.each([
  ['a.b.c = 2', '{ a: { b: { c: 2 } } }'],
  ['a[0] = 1', '{ a: { "0": 1 } }'],
  ['a = [1,2,3], a[1] = 9', '{ a: [1, 9, 3] }'],
  ['a = [1,2,3], a[5] = 9', '{ a: [1, 2, 3] }'],
  ['a = [{x:1},{x:2}], a.x = 9', '{ a: [{ x: 9 }, { x: 9 }] }'],
  ['a = [{x:1},{x:2}], a[*].x = 9', '{ a: [{ x: 9 }, { x: 9 }] }'],
  ['a = [{x:1},{x:2}], a[WHERE x = 1].y = 9', '{ a: [{ x: 1, y: 9 }, { x: 2 }] }'],
  ['a = [{x:1},{x:2}], a[$].y = 9', '{ a: [{ x: 1 }, { x: 2, y: 9 }] }'],
  ['a = {x:1}, a.* = 9', '{ a: { x: 9 } }'],
  ['a = [1,2], a[*] = 9', '{ a: [9, 9] }'],
  ['a = [1,2], a[WHERE $this = 1] = 9', '{ a: [9, 2] }'],
  ["a = {x:1}, a['y'] = 2", '{ a: { x: 1, y: 2 } }'],
  ['a = [1,2,3], a[0..1] = 9', '{ a: [9, 2, 3] }'],
  ['l = t:1, l.x = 5', '{ l: { x: 5 } }'],
  ['a += 1', '{ a: 1 }'],
  ["a += 'x'", "{ a: ['x'] }"],
  ['a += [1]', '{ a: [1] }'],
  ['a += {x:1}', '{ a: [{ x: 1 }] }'],
  ['a += 1h', '{ a: 1h }'],
  ['a -= 1', '{ a: -1 }'],
  ['a -= [1]', '{  }'],
  ['a +?= 1', '{ a: [1] }'],
  ['a +?= [1]', '{ a: [1] }'],
  ['a = 1, a += 2', '{ a: 3 }'],
  ['a = [1], a += 2', '{ a: [1, 2] }'],
  ['a = [1], a += [2,3]', '{ a: [1, 2, 3] }'],
  ['a = [1,2,1], a -= 1', '{ a: [2] }'],
  ['a = [1,2,1,3], a -= [1,3]', '{ a: [2] }'],
  ['a = [1], a +?= 1', '{ a: [1] }'],
  ['a = [1], a +?= [1,2]', '{ a: [1, 2] }'],
  ['a = 1h, a += 1h', '{ a: 2h }'],
  ['a = 2h, a -= 1h', '{ a: 1h }'],
  ['a.b += 1, c.d[0] += 1', '{ a: { b: 1 }, c: { d: { "0": 1 } } }'],
  ['a = [1,2], a[0] += 5', '{ a: [6, 2] }'],
  ['a = {x:1}, a.x = NONE', '{ a: {  } }'],
  ['a = [1,2,3], a[1] = NONE', '{ a: [1, 3] }'],
  ['a = [1.5], a += [[2]]', '{ a: [1.5f, [2]] }'],
  ['a.b = 1, a.c = 2, a = 3', '{ a: 3 }'],
  ['a = [], a.b = 1', '{ a: [] }'],
  ['a = [1], a.b = 1', '{ a: [1] }'],
  ['a = NULL, a.b = 1', '{ a: { b: 1 } }'],
  ['a = [1,2], a[0+1] = 1', '{ a: [1, 1] }'],
  ['a = [[{x:1}]], a.x = 5', '{ a: [[{ x: 5 }]] }'],
  ['a = {`0`:1}, a[0] = 5', '{ a: { "0": 5 } }'],
  ['a.*.b = 5', '{  }'],
  ['a[*] = 5', '{  }'],
  ['a[$] = 5', '{  }'],
  ['a[WHERE x] = 5', '{  }'],
  // Beyond the reference engine, which does nothing or the wrong thing here.
  ["a = 1, a += 'x'", "ERR Cannot perform addition with '1' and 'x'"],
  ['a = 1, a += NONE', "ERR Cannot perform addition with '1' and 'NONE'"],
  ['a = NULL, a += 1', "ERR Cannot perform addition with 'NULL' and '1'"],
  ['a = true, a += 1', "ERR Cannot perform addition with 'true' and '1'"],
  ['a = {x:1}, a += 10', "ERR Cannot perform addition with '{ x: 1 }' and '10'"],
  ['a = {x:1}, a -= 10', "ERR Cannot perform subtraction with '{ x: 1 }' and '10'"],
  ["a = 5, a -= 'x'", "ERR Cannot perform subtraction with '5' and 'x'"],
  ["a = 'x', a -= 'x'", "ERR Cannot perform subtraction with 'x' and 'x'"],
  ['a = 5, a +?= 5', "ERR Cannot perform addition with '5' and '5'"],
  ['a = NULL, a +?= 5', "ERR Cannot perform addition with 'NULL' and '5'"],
  ["a = 'a', a += 'b'", "{ a: 'ab' }"],
  ['a = {x:1}, a += {y:2}', '{ a: { x: 1, y: 2 } }'],
  ["a = d'2020-01-02T00:00:00Z', a -= d'2020-01-01T00:00:00Z'", '{ a: 1d }'],
  ['a = 1, a.b = 2', "ERR Cannot assign to `a.b`, which leads into '1'"],
  ["a = 'x', a.b = 1", "ERR Cannot assign to `a.b`, which leads into ''x''"],
  ["a = 'x', a[0] = 1", "ERR Cannot assign to `a[0]`, which leads into ''x''"],
  ['a = 1, a[$] = 1', "ERR Cannot assign to `a[$]`, which leads into '1'"],
  ['a = 1, a.* = 1', "ERR Cannot assign to `a.*`, which leads into '1'"],
  ['a = 1, a[WHERE x].y = 1', "ERR Cannot assign to `a[WHERE x].y`, which leads into '1'"],
  ['a = {1, 2}, a[0] = 1', "ERR Cannot assign to `a[0]`, which leads into '{1, 2}'"],
  ['a[$i] = 1', "ERR Cannot assign to `a[$i]`, which leads into 'NONE'"],
  ['a = [1], a[$i] = 1', "ERR Cannot assign to `a[$i]`, which leads into '[1]'"],
  ["a = [1], a['0'] = 5", "ERR Cannot assign to `a['0']`, which leads into '[1]'"],
  ['a = [1, 2], a[1.5] = 5', '{ a: [1, 5] }'],
  ["a = d'2020-01-01T00:00:00Z', a += 1h", "{ a: d'2020-01-01T01:00:00Z' }"],
  ['a = {1,}, a += 2', '{ a: {1, 2} }'],
  ['a = {1,}, a += {2, 3}', '{ a: {1, 2, 3} }'],
  ['a = {1, 2}, a -= 1', '{ a: {2,} }'],
  ['a = {1, 2}, a +?= [2, 4]', '{ a: {1, 2, 4} }'],
  ['a = [{ n: 1 }, { n: 2 }], a.n += 5', '{ a: [{ n: 6 }, { n: 7 }] }'],
  ['a = 9223372036854775807, a += 1', "ERR Cannot perform addition with '9223372036854775807' and '1'"],
  ['a.len() = 1', 'ERR Cannot assign to `a.len()`'],
  ['a.{b} = 1', 'ERR Cannot assign to `a.{ b }`'],
  ['->x = 1', 'ERR Cannot assign to `->x`'],
])('SET %s', async (assignments, expected) => {
  expect(await assigned(assignments)).toBe(expected);
});

test.each([
  ['{ a: [1, 9, 3] }', 'a[1]', '{ a: [1, 3] }'],
  ['{ a: [1, 2] }', 'a[*]', '{ a: [] }'],
  ['{ a: [1, 2] }', 'a[$]', '{ a: [1] }'],
  ['{ a: [{ x: 1 }, { x: 2 }] }', 'a.x', '{ a: [{  }, {  }] }'],
  ['{ a: [{ x: 1 }, { x: 2 }] }', 'a[*].x', '{ a: [{  }, {  }] }'],
  ['{ a: [{ x: 1, y: 9 }, { x: 2 }] }', 'a[0].x', '{ a: [{ y: 9 }, { x: 2 }] }'],
  ['{ a: { b: { c: 2 } } }', 'a.b.c', '{ a: { b: {  } } }'],
  ['{ a: { x: 1 } }', 'a.*', '{ a: {  } }'],
  ['{ a: 1 }', 'b.c', '{ a: 1 }'],
  ['{ a: 1 }', 'a.c', '{ a: 1 }'],
  ['{ a: 1 }', 'a[$]', '{ a: 1 }'],
  ['{ a: [NONE, 2] }', 'a[0]', '{ a: [2] }'],
  ['{ a: { x: 1, y: { z: 2, w: 3 } } }', 'a.{x, y.{z}}', '{ a: { y: { w: 3 } } }'],
  // Beyond the reference engine, which removes nothing here.
  ['{ a: [1, 9, 3] }', 'a[0 + 1]', '{ a: [1, 3] }'],
  ['{ a: [1, 9, 3] }', 'a[0..2]', '{ a: [3] }'],
  ['{ a: [{ x: 1 }, { x: 2 }] }', 'a[WHERE x = 1]', '{ a: [{ x: 2 }] }'],
  ['{ a: [{ x: 1 }, { x: 2 }] }', 'a[WHERE x = 1].x', '{ a: [{  }, { x: 2 }] }'],
  ['{ a: [1] }', 'a[$i]', "ERR Cannot assign to `a[$i]`, which leads into '[1]'"],
  ['{ a: [1] }', 'a.len()', 'ERR Cannot assign to `a.len()`'],
])('UNSET in %s of %s', async (text, path, expected) => {
  const before = parseValue(text) as ObjectValue;
  expect(await unset(before, path)).toBe(expected);
  expect(toText(before)).toBe(toText(parseValue(text)));
});

test('setting leaves the original as it was, and what lies beside the path the same object', async () => {
  const before = parseValue('{ a: { b: 1 }, c: { d: 2 } }') as ObjectValue;
  const after = await setPath(before, parseIdiom('a.b'), 5, frame);
  expect(toText(before)).toBe('{ a: { b: 1 }, c: { d: 2 } }');
  expect(toText(after)).toBe('{ a: { b: 5 }, c: { d: 2 } }');
  expect(after['c']).toBe(before['c']);
});

test('names of the prototype are names like any other', async () => {
  expect(await assigned('__proto__ = 1, constructor.prototype = 2')).toBe(
    '{ __proto__: 1, constructor: { prototype: 2 } }',
  );
});
