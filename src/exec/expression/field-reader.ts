/** Reading one field of many objects. */
import type { ObjectValue, Value } from '../../value/value.js';

/** Reads one field of an object. */
export interface FieldReader {
  readonly read: (object: ObjectValue) => Value;
}

/** After so many objects a function of its own pays off, which takes some 20 µs to make. */
const MANY = 1_024;

/**
 * V8 remembers where a field stands in the objects that a piece of code has met: for each place in the code, and for
 * one name alone where the name is variable. So a function that reads whatever name it was made with is slow as soon as
 * there are two of them (25 ns instead of 4). Places that read many objects get code of their own, in which the name is
 * written out.
 */
export function fieldReader(name: string): FieldReader {
  let met = 0;
  const reader = {
    read: (object: ObjectValue): Value => {
      if (++met === MANY) reader.read = written(name) ?? ((other) => other[name]);
      return object[name];
    },
  };
  return reader;
}

/** `undefined` where code must not be made from texts, as `node --disallow-code-generation-from-strings` wants it. */
function written(name: string): FieldReader['read'] | undefined {
  try {
    // As JSON any name is a literal, of which no part is code.
    return new Function('object', `return object[${JSON.stringify(name)}]`) as FieldReader['read'];
  } catch {
    return undefined;
  }
}
