import { describe, expect, it } from 'vitest';
import { fieldReader } from '../../src/query/expression/field-reader.js';
import { objectFrom } from '../../src/value/value.js';

const MANY = 3_000;

describe('fieldReader', () => {
  it.each([
    'age',
    '',
    'a b',
    '__proto__',
    'constructor',
    'toString',
    '"] || (() => { throw 1 })(); //',
    "'`${1}\\",
    '\u2028',
    '\ud800',
  ])('reads %j from any number of objects of any shapes', (name) => {
    const reader = fieldReader(name);
    for (let number = 0; number < MANY; number++) {
      const object = objectFrom([
        [`x${number % 7}`, 0],
        [name, number],
      ]);
      expect(reader.read(object)).toBe(number);
      expect(reader.read(objectFrom({}))).toBeUndefined();
    }
  });

  it('reads where code must not be made from texts', () => {
    const { Function: made } = globalThis;
    globalThis.Function = (() => {
      throw new EvalError('not here');
    }) as unknown as FunctionConstructor;
    try {
      const reader = fieldReader('age');
      for (let age = 0; age < MANY; age++) expect(reader.read(objectFrom({ age }))).toBe(age);
    } finally {
      globalThis.Function = made;
    }
  });
});
