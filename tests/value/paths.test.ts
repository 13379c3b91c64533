import { describe, expect, it } from 'vitest';
import { deepMerge, withField, withoutNone } from '../../src/value/paths.js';
import { toText } from '../../src/value/text/text.js';
import { o } from './make.js';

describe('paths', () => {
  it('copy nothing that stays', () => {
    const value = o({ a: o({ b: 1 }), c: [1] });
    expect(withField(value, 'd', undefined)).toBe(value);
    expect(withField(value, 'c', value['c'])).toBe(value);
    expect(withoutNone(value)).toBe(value);
    expect((deepMerge(value, o({ a: o({ b: 2 }) })) as typeof value)['c']).toBe(value['c']);
  });

  it('put fields and take them away', () => {
    expect(toText(withField(o({ a: 1, b: 2 }), 'a', undefined))).toBe('{ b: 2 }');
    expect(toText(withField(undefined, '__proto__', 1))).toBe('{ __proto__: 1 }');
    expect(Object.keys(withField(o({ a: undefined }), 'a', undefined))).toEqual([]);
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

  it('merge many fields as they do few, in a time that grows with their number', () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `f${index}`);
    const many = o(Object.fromEntries(names.map((name, index) => [name, index])));
    const nones = o(Object.fromEntries(names.map((name) => [name, undefined])));
    expect(Object.keys(deepMerge(o({ a: 1, f3: o({}) }), many) as object)).toHaveLength(50_001);
    expect(toText(deepMerge(many, nones))).toBe('{  }');
    expect(toText(withoutNone(nones))).toBe('{  }');
  });
});
