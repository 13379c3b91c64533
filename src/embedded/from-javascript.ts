/** Values of a program become values of the database: of the library in process, and of scripts. */
import { failure } from '../errors/error.js';
import { copyValue } from '../value/copy.js';
import { nextDepth } from '../value/nesting.js';
import { setFrom } from '../value/order.js';
import { datetimeFromMilliseconds } from '../value/time/datetime.js';
import { float, int, isObject, KIND, newObject, type ObjectValue, type Value } from '../value/value.js';

/** Converts a nested value. */
export type Convert = (input: unknown) => Value;
/**
 * Converts an object of an unknown class.
 * @throws TesseraError `not_a_value`
 */
export type ConvertForeign = (input: object, convert: Convert) => Value;

/**
 * Converts a JavaScript value: plain objects, maps, arrays, sets, dates, bytes, numbers (int if a safe integer, float
 * otherwise), bigints of 64 bits, strings, booleans, `null`, `undefined` (NONE), and Tessera's values. Mutable values
 * are copied.
 * @throws TesseraError `not_a_value`, `nesting_too_deep`
 */
export function fromJavaScript(input: unknown, foreign: ConvertForeign = refuse): Value {
  return convert(input, 0, foreign);
}

/** Converts an object of variables or fields. */
export function objectFromJavaScript(input: Readonly<Record<string, unknown>>): ObjectValue {
  return fromJavaScript(input) as ObjectValue;
}

function refuse(input: object): never {
  throw failure('not_a_value', { found: input.constructor.name });
}

function convert(input: unknown, depth: number, foreign: ConvertForeign): Value {
  switch (typeof input) {
    case 'undefined':
    case 'boolean':
    case 'string':
      return input;
    case 'number':
      return Number.isSafeInteger(input) ? input + 0 : float(input);
    case 'bigint':
      if (BigInt.asIntN(64, input) === input) return int(input);
      break;
    case 'object':
      return input === null ? null : convertObject(input, depth, foreign);
  }
  throw failure('not_a_value', { found: typeof input });
}

function convertObject(input: object, depth: number, foreign: ConvertForeign): Value {
  if (input instanceof Uint8Array || isObject(input as Value) || KIND in input) return copyValue(input as Value);
  const below = nextDepth(depth);
  const inner: Convert = (item) => convert(item, below, foreign);
  if (Array.isArray(input)) return input.map(inner);
  if (input instanceof Date) {
    const instant = datetimeFromMilliseconds(input.getTime());
    if (instant === undefined) throw failure('not_a_value', { found: 'Invalid Date' });
    return instant;
  }
  if (input instanceof Set) return setFrom([...input].map(inner));
  const object = newObject();
  if (isPlain(input)) {
    const fields = input as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(fields)) object[name] = convert(fields[name], below, foreign);
    return object;
  }
  if (!(input instanceof Map)) return foreign(input, inner);
  for (const [name, value] of input) object[String(name)] = inner(value);
  return object;
}

function isPlain(input: object): boolean {
  const prototype = Object.getPrototypeOf(input);
  return prototype === Object.prototype || prototype === null;
}
