import { describe, expect, it } from 'vitest';
import { deepMerge, getAt, removeAt, type Step, setAt, withField, withoutNone } from '../../src/value/paths.js';
import { toText } from '../../src/value/text/text.js';
import type { Value } from '../../src/value/value.js';
import { o } from './make.js';

describe('paths', () => {
  it.each<[value: Value, path: Step[], item: Value, expected: string]>([
    [o({ a: 1 }), ['b'], 2, '{ a: 1, b: 2 }'],
    [o({ b: 1 }), ['a'], 2, '{ a: 2, b: 1 }'],
    [o({}), ['a', 'b', 'c'], 1, '{ a: { b: { c: 1 } } }'],
    [o({ a: null }), ['a', 'b'], 1, '{ a: { b: 1 } }'],
    [o({ a: 1 }), ['a', 'b'], 2, '{ a: 1 }'],
    [o({ l: [1, 2] }), ['l', 0], 9, '{ l: [9, 2] }'],
    [o({ l: [1, 2] }), ['l', 5], 9, '{ l: [1, 2] }'],
    [o({ l: [1, 2] }), ['l', 0], undefined, '{ l: [2] }'],
    [o({ l: [[1, 2], [3]] }), ['l', 0, 1], undefined, '{ l: [[1], [3]] }'],
    [o({ l: [1, o({ p: 1 })] }), ['l', 'z'], 3, '{ l: [1, { p: 1, z: 3 }] }'],
    [o({ l: [o({ z: 1 }), 2] }), ['l', 'z'], undefined, '{ l: [{  }, 2] }'],
    [o({}), ['m', 0], 1, '{ m: { "0": 1 } }'],
    [o({}), ['m', 'n'], undefined, '{  }'],
    [o({}), ['__proto__', 'x'], 1, '{ __proto__: { x: 1 } }'],
  ])('%o at %o set to %o is %s', (value, path, item, expected) => {
    const before = toText(value);
    expect(toText(setAt(value, path, item))).toBe(expected);
    expect(toText(value)).toBe(before);
  });

  it('read and remove', () => {
    const value = o({ a: o({ b: 1 }), l: [o({ b: 1 }), o({ b: 2 }), 3] });
    expect(getAt(value, ['a', 'b'])).toBe(1);
    expect(getAt(value, ['l', 1, 'b'])).toBe(2);
    expect(getAt(value, ['l', 'b'])).toEqual([1, 2, undefined]);
    expect(getAt(value, ['a', 'b', 'c'])).toBeUndefined();
    expect(toText(removeAt(value, ['a', 'b']))).toBe('{ a: {  }, l: [{ b: 1 }, { b: 2 }, 3] }');
  });

  it('copy nothing that stays', () => {
    const value = o({ a: o({ b: 1 }), c: [1] });
    expect(setAt(value, ['a', 'b'], 1)).toBe(value);
    expect(removeAt(value, ['x', 'y'])).toBe(value);
    expect(withoutNone(value)).toBe(value);
    expect((setAt(value, ['a', 'b'], 2) as typeof value)['c']).toBe(value['c']);
  });

  it('keep fields in order', () => {
    const object = withField(withField(o({ b: 1 }), 'c', 2), 'a', 3);
    expect(Object.keys(object)).toEqual(['a', 'b', 'c']);
  });

  it('merge objects and drop NONE', () => {
    const value = o({ l: [1], s: o({ b: o({ d: [undefined, 1] }) }), x: 1 });
    const merged = deepMerge(
      value,
      o({ l: o({ a: 1 }), s: o({ b: o({ e: 1 }), f: o({ g: undefined }) }), x: undefined }),
    );
    expect(toText(merged)).toBe('{ l: { a: 1 }, s: { b: { d: [NONE, 1], e: 1 }, f: {  } } }');
    expect(toText(withoutNone(o({ a: o({ b: undefined }), c: [undefined, o({ d: undefined })] })))).toBe(
      '{ a: {  }, c: [NONE, {  }] }',
    );
  });
});
