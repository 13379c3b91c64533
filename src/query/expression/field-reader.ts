/** Reading one field of many objects. */
import type { ObjectValue, Value } from '../../value/value.js';

/** Reads one field of an object. */
export interface FieldReader {
  readonly read: (object: ObjectValue) => Value;
}

/** Number of objects from which a generated function pays off, which takes some 20 µs to make. */
const MANY = 1_024;

/**
 * V8 caches the location of a field in objects (inline caches): for each place in the code, and for
 * a single name if the name is variable. So a function that reads the name it was made with is slow as soon as
 * there are two of them (25 ns instead of 4). Places that read many objects get generated code, in which the name is
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

/** `undefined` if code generation from strings is disallowed (`node --disallow-code-generation-from-strings`). */
function written(name: string): FieldReader['read'] | undefined {
  try {
    // As JSON any name is a string literal, no part of which is code.
    return new Function('object', `return object[${JSON.stringify(name)}]`) as FieldReader['read'];
  } catch {
    return undefined;
  }
}
