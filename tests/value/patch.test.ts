import { describe, expect, it } from 'vitest';
import { diff, TextDiffs } from '../../src/value/patch/diff.js';
import { patch, patchText } from '../../src/value/patch/patch.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom, type Value } from '../../src/value/value.js';
import { f, o } from './make.js';

describe('diff', () => {
  it.each<[before: Value, after: Value, expected: string]>([
    [o({ a: 1 }), o({ a: 2 }), "[{ op: 'replace', path: '/a', value: 2 }]"],
    [o({ a: 1 }), o({}), "[{ op: 'remove', path: '/a' }]"],
    [[1, 2, 3], [1, 3], "[{ op: 'replace', path: '/1', value: 3 }, { op: 'remove', path: '/2' }]"],
    [[1], [1, 2, 3], "[{ op: 'add', path: '/1', value: 2 }, { op: 'add', path: '/2', value: 3 }]"],
    [[1, 2], [], "[{ op: 'remove', path: '/1' }, { op: 'remove', path: '/0' }]"],
    [1, 2, "[{ op: 'replace', path: '', value: 2 }]"],
    [1, f(1), '[]'],
    [o({ a: 1 }), undefined, "[{ op: 'replace', path: '', value: NONE }]"],
    [
      o({ a: o({ b: 1, c: 2 }) }),
      o({ a: o({ b: 2, d: [1] }) }),
      "[{ op: 'remove', path: '/a/c' }, { op: 'replace', path: '/a/b', value: 2 }, { op: 'add', path: '/a/d', value: [1] }]",
    ],
    [o({ 'a/b~': 1 }), o({ 'a/b~': 2 }), "[{ op: 'replace', path: '/a~1b~0', value: 2 }]"],
    [
      o({ a: 'hello' }),
      o({ a: 'help' }),
      "[{ op: 'change', path: '/a', value: '@@ -1,5 +1,4 @@\\n hel\\n-lo\\n+p\\n' }]",
    ],
    ['a😀b', 'a😀c', "[{ op: 'change', path: '', value: '@@ -1,3 +1,3 @@\\n a%F0%9F%98%80\\n-b\\n+c\\n' }]"],
    ['', 'abc', "[{ op: 'change', path: '', value: '@@ -0,0 +1,3 @@\\n+abc\\n' }]"],
    ['hello there', 'x', "[{ op: 'change', path: '', value: '@@ -1,11 +1,1 @@\\n-hello there\\n+x\\n' }]"],
    ['one\ntwo', '1\ntwo', "[{ op: 'change', path: '', value: '@@ -1,7 +1,5 @@\\n-one\\n+1\\n %0Atwo\\n' }]"],
  ])('of %o and %o is %s', (before, after, expected) => {
    expect(toText(diff(before, after))).toBe(expected);
    expect(toText(patch(before, diff(before, after)))).toBe(
      toText(before === 1 && after instanceof Object ? before : after),
    );
  });
});

describe('what differs in texts', () => {
  const hunks = (before: string, after: string) => {
    const patch = new TextDiffs().patch(before, after);
    expect(patchText(before, patch)).toBe(after);
    return patch.split('@@ -').length - 1;
  };

  it('is one change where finding more would take long', () => {
    expect(hunks(`a${'12345678'.repeat(100)}b`, `x${'12345678'.repeat(100)}y`)).toBe(2);
    expect(hunks(`a${'12345678'.repeat(1000)}b`, `x${'12345678'.repeat(1000)}y`)).toBe(1);
    expect(hunks('ab'.repeat(500_000), 'ba'.repeat(499_999))).toBe(1);
    expect(hunks(`${'a'.repeat(1e6)}c${'a'.repeat(1e6)}`, 'a'.repeat(1e6))).toBe(1);
  });

  it('costs only so much in one value', () => {
    const count = 1000;
    const before = Array<string>(count).fill('a123456789b');
    const changes = diff(before, Array<string>(count).fill('x123456789y')) as { value: string }[];
    expect(changes[0]?.value).toContain('\n 1234\n@@');
    expect(changes.at(-1)?.value).toBe('@@ -1,11 +1,11 @@\n-a123456789b\n+x123456789y\n');
  });

  it('holds for texts with more characters beyond a unit, or letters, than can stand in for them', () => {
    const from = (first: number, count: number) =>
      String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));
    expect(hunks(from(0x20000, 3000), `${from(0x20000, 1500)}!${from(0x205dc, 1500)}`)).toBe(1);
    expect(hunks(`${from(0xe000, 900)}${from(0x10000, 900)}a`, `${from(0x10000, 900)}${from(0xe000, 900)}b`)).toBe(1);
    expect(hunks(from(0x4e00, 500), `${from(0x4e00, 250)}字${from(0x4efa, 250)}`)).toBe(1);
  });
});

const apply = (value: Value, ...operations: Record<string, Value>[]) =>
  toText(patch(value, operations.map(objectFrom)));

describe('patch', () => {
  it.each<[value: Value, operation: Record<string, Value>, expected: string]>([
    [o({ a: 1 }), { op: 'replace', path: '/a', value: 2 }, '{ a: 2 }'],
    [o({ a: 1 }), { op: 'replace', path: '/b/c/0', value: 2 }, '{ a: 1, b: { c: { "0": 2 } } }'],
    [o({ a: 1 }), { op: 'add', path: 'b', value: 2 }, '{ a: 1, b: 2 }'],
    [o({ a: 1 }), { op: 'add', path: '/a', value: 3 }, '{ a: 3 }'],
    [o({ a: [1, 2] }), { op: 'add', path: '/a', value: 3 }, '{ a: [1, 2, 3] }'],
    [o({ a: [1, 2] }), { op: 'add', path: '/a/0', value: [3] }, '{ a: [[3], 1, 2] }'],
    [o({ a: [1, 2] }), { op: 'add', path: '/a/-', value: 3 }, '{ a: [1, 2, 3] }'],
    [o({ a: [1, 2] }), { op: 'add', path: '/a/99', value: 3 }, '{ a: [1, 2, 3] }'],
    [o({ a: [1, 2] }), { op: 'replace', path: '/a/0', value: 3 }, '{ a: [3, 2] }'],
    [o({ a: [1, 2] }), { op: 'remove', path: '/a/0' }, '{ a: [2] }'],
    [o({ a: 1 }), { op: 'remove', path: '/x/y' }, '{ a: 1 }'],
    [o({ a: 1 }), { op: 'remove', path: '' }, 'NONE'],
    [o({ a: 1 }), { op: 'replace', path: '', value: 5 }, '5'],
    [o({ a: [1] }), { op: 'copy', from: '/a', path: '/b' }, '{ a: [1], b: [1] }'],
    [o({ a: 1 }), { op: 'move', from: '/a', path: '/b/c' }, '{ b: { c: 1 } }'],
    [o({ a: [1, 2] }), { op: 'move', from: '/a/0', path: '/a/1' }, '{ a: [2, 1] }'],
    [o({ a: 1 }), { op: 'test', path: '/a', value: f(1) }, '{ a: 1 }'],
    [o({ 'g/h~i': 1 }), { op: 'replace', path: '/g~1h~0i', value: 2 }, '{ "g/h~i": 2 }'],
    [o({ a: 1 }), { op: 'add', path: '/__proto__/x', value: 1 }, '{ __proto__: { x: 1 }, a: 1 }'],
    [o({ s: 'x' }), { op: 'change', path: '/s', value: '@@ -1,1 +1,2 @@\n-x\n+xy\n' }, "{ s: 'xy' }"],
  ])('of %o by %o is %s', (value, operation, expected) => {
    expect(apply(value, operation)).toBe(expected);
  });

  const INVALID = 'The JSON Patch contains invalid operations. Failed to parse JSON patch structure: ';

  it.each<[value: Value, operations: Value, text: string]>([
    [1, 5, 'Patch operations should be an array of objects'],
    [1, [5], 'Patch operations should be an array of objects'],
    [1, o({ op: 'add' }), 'Patch operations should be an array of objects'],
    [1, [o({ path: '/q' })], "Key 'op' missing"],
    [1, [o({ op: 'add', value: 1 })], "Key 'path' missing"],
    [1, [o({ op: 'add', path: 5, value: 1 })], "Key 'path' is not a path"],
    [1, [o({ op: 'add', path: '/q' })], "Key 'from' missing"],
    [1, [o({ op: 'copy', path: '/q' })], "Key 'from' missing"],
    [1, [o({ op: 'bogus', path: '/q' })], "Invalid operation 'bogus'"],
    [1, [o({ op: 'toString', path: '/q' })], "Invalid operation 'toString'"],
    [o({ a: 1 }), [o({ op: 'copy', from: '', path: '/x' })], "Key 'from' must not be the whole document"],
    [o({ a: 1 }), [o({ op: 'move', from: '', path: '/x' })], "Key 'from' must not be the whole document"],
    [o({ a: o({}) }), [o({ op: 'move', from: '/a', path: '/a/b' })], 'A value cannot be moved into itself'],
    [o({ a: 'x' }), [o({ op: 'replace', path: '/a/b', value: 1 })], "'b' lies within a value that has no fields"],
    [o({ a: [1] }), [o({ op: 'add', path: '/a/x', value: 1 })], "'x' is not a place in an array"],
    [o({ a: 1 }), [o({ op: 'copy', from: '/x', path: '/a' })], "There is nothing at '/x'"],
    [o({ a: 1 }), [o({ op: 'move', from: '/x~1y', path: '/a' })], "There is nothing at '/x~1y'"],
    [o({ a: 1 }), [o({ op: 'change', path: '/a', value: '' })], "'/a' is not a text to change"],
    [o({ a: 1 }), [o({ op: 'change', path: '/x', value: '' })], "'/x' is not a text to change"],
    [o({ s: 'x' }), [o({ op: 'change', path: '/s', value: 5 })], "Key 'value' is not the change of a text"],
    ['x', [o({ op: 'change', path: '', value: 'garbage' })], 'InvalidInput'],
    ['x', [o({ op: 'change', path: '', value: '@@ -1,1 +1,1 @@\n-%E0\n' })], 'InvalidInput'],
    [
      'x',
      [o({ op: 'change', path: '', value: '@@ -1,1 +1,1 @@\n-z\n' })],
      'The text is not the one that the change was made for',
    ],
  ])('of %o by %o is refused: %s', (value, operations, text) => {
    expect(() => patch(value, operations)).toThrow(INVALID + text);
  });

  it('fails where a test fails, and says what it expected', () => {
    expect(() => apply(o({ s: 'xy' }), { op: 'test', path: '/s', value: 'n' })).toThrow(
      "Given test operation failed for JSON Patch. Expected `'n'`, but got `'xy'` instead.",
    );
    expect(() => apply(o({}), { op: 'test', path: '/s', value: 1 })).toThrow('Expected `1`, but got `NONE` instead.');
  });

  it('applies one operation after the other', () => {
    expect(
      apply(
        o({}),
        { op: 'add', path: '/a', value: [] },
        { op: 'add', path: '/a', value: 1 },
        { op: 'move', from: '/a', path: '/b' },
      ),
    ).toBe('{ b: [1] }');
  });

  it('bounds how deep a path leads', () => {
    expect(() => apply(o({}), { op: 'add', path: '/a'.repeat(5000), value: 1 })).toThrow('nested deeper');
  });

  it('reads patches of several parts, also where the text has moved', () => {
    const hunks =
      '@@ -3,16 +3,22 @@\n llo \n+brave \n world th\n is i\n@@ -17,18 +17,18 @@\n d th\n-is\n+at\n  is long\n  tex\n@@ -23,13 +23,15 @@\n  is long\n+er\n  text\n';
    expect(patchText('hello world this is long text', hunks)).toBe('hello brave world that is longer text');
    expect(patchText('oh, hello', '@@ -1,5 +1,4 @@\n hel\n-lo\n+p\n')).toBe('oh, help');
  });
});
