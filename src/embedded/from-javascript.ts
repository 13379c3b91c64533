import { failure } from '../errors/error.js';
import { datetimeFromMilliseconds } from '../value/datetime.js';
import { deeper } from '../value/nesting.js';
import { setFrom } from '../value/order.js';
import { float, int, isObject, KIND, newObject, type ObjectValue, type Value } from '../value/value.js';

/**
 * A value of the data model from one of JavaScript's. Plain objects, maps, arrays, sets, dates, bytes, numbers (an int where it is a safe
 * integer, else a float), bigints of 64 bits, texts, booleans, `null` and `undefined` (NONE) are taken; values of ours stay as they are.
 * @throws TesseraError `not_a_value`, `nesting_too_deep`
 */
export function fromJavaScript(input: unknown): Value {
  return convert(input, 0);
}

/** The same for an object of variables or fields. */
export function objectFromJavaScript(input: Readonly<Record<string, unknown>>): ObjectValue {
  return convert(input, 0) as ObjectValue;
}

function convert(input: unknown, depth: number): Value {
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
      return input === null ? null : convertObject(input, depth);
  }
  throw failure('not_a_value', { found: typeof input });
}

function convertObject(input: object, depth: number): Value {
  if (input instanceof Uint8Array || isObject(input as Value) || KIND in input) return input as Value;
  const inner = deeper(depth);
  if (Array.isArray(input)) return input.map((item) => convert(item, inner));
  if (input instanceof Date) {
    const instant = datetimeFromMilliseconds(input.getTime());
    if (instant === undefined) throw failure('not_a_value', { found: 'Invalid Date' });
    return instant;
  }
  if (input instanceof Set) return setFrom([...input].map((item) => convert(item, inner)));
  const entries = input instanceof Map ? input : isPlain(input) ? Object.entries(input) : undefined;
  if (entries === undefined) throw failure('not_a_value', { found: input.constructor.name });
  const object = newObject();
  for (const [name, value] of entries) object[String(name)] = convert(value, inner);
  return object;
}

function isPlain(input: object): boolean {
  const prototype = Object.getPrototypeOf(input);
  return prototype === Object.prototype || prototype === null;
}
