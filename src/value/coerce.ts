/**
 * Coercion to a declared type (of a field, a parameter, an argument, a result). It is strict: a text never
 * becomes a number, but numbers change their kind where nothing is lost: `int` accepts `2.0` and `3dec`, `float`
 * accepts `1`.
 */
import { shown } from '../errors/sections/value.js';
import { type Conversion, convert, FAILED, Mismatch } from './conversion.js';
import { decimalFrom } from './decimal.js';
import { geometryFromObject } from './geometry.js';
import { intFromNumber, toNumber } from './number.js';
import { toErrorText } from './text/text.js';
import { typeTextInErrors } from './text/type-text.js';
import type { Type } from './type.js';
import {
  Closure,
  Datetime,
  Decimal,
  Duration,
  FileReference,
  Float,
  float,
  Geometry,
  int,
  isArray,
  isNumber,
  isObject,
  Range,
  RecordId,
  Regex,
  SetValue,
  Table,
  Uuid,
  type Value,
} from './value.js';

/**
 * Thrown by `coerce`, and caught by callers that add the context: ``Couldn't coerce value for field `n` of `sf:1`: `` +
 * `message`.
 */
export class CoercionError extends Error {
  override readonly name = 'CoercionError';

  constructor(mismatch: Mismatch) {
    super(shown(mismatchText(mismatch)));
  }
}

/**
 * Coerces a value to a type.
 * @throws CoercionError with a text such as ``Expected `int` but found `'x'` ``
 */
export function coerce(value: Value, type: Type): Value {
  const coerced = convert(COERCION, value, type);
  if (coerced instanceof Mismatch) throw new CoercionError(coerced);
  return coerced;
}

/** Whether `coerce` would accept the value. */
export function matches(value: Value, type: Type): boolean {
  return !(convert(COERCION, value, type) instanceof Mismatch);
}

function mismatchText(mismatch: Mismatch): string {
  const { type, value, location, lengthText } = mismatch;
  return lengthText ?? `Expected \`${typeTextInErrors(type)}\` but found \`${toErrorText(value)}\`${location}`;
}

const instance =
  <T extends Value>(type: abstract new (...args: never[]) => T) =>
  (value: Value) =>
    value instanceof type ? value : FAILED;

export const COERCION: Conversion = {
  plain: {
    any: (value) => value,
    none: (value) => (value === undefined ? value : FAILED),
    null: (value) => (value === null ? value : FAILED),
    bool: (value) => (typeof value === 'boolean' ? value : FAILED),
    bytes: instance(Uint8Array),
    datetime: instance(Datetime),
    decimal: (value) => toDecimal(value) ?? FAILED,
    duration: instance(Duration),
    float: (value) => (isNumber(value) ? float(toNumber(value)) : FAILED),
    function: instance(Closure),
    int: (value) => toInt(value) ?? FAILED,
    number: (value) => (isNumber(value) ? value : FAILED),
    range: instance(Range),
    regex: instance(Regex),
    string: (value) => (typeof value === 'string' ? value : FAILED),
    uuid: instance(Uuid),
  },
  object: (value) => (isObject(value) ? value : FAILED),
  array: (value) => (isArray(value) ? value : FAILED),
  set: (value) => (value instanceof SetValue ? value.items : FAILED),
  record: instance(RecordId),
  file: instance(FileReference),
  table: (value) => (typeof value === 'string' ? new Table(value) : value instanceof Table ? value : FAILED),
  geometry: (value) => toGeometry(value) ?? FAILED,
};

/** An int, or a number of another kind that is whole: a float beyond 64 bits gives the nearest int, a decimal none. */
export function toInt(value: Value): number | bigint | undefined {
  if (typeof value === 'number') return intFromNumber(value);
  if (typeof value === 'bigint') return value;
  if (value instanceof Float) return intFromNumber(value.number);
  if (!(value instanceof Decimal) || !value.number.isInteger()) return undefined;
  const whole = BigInt(value.number.toFixed());
  return BigInt.asIntN(64, whole) === whole ? int(whole) : undefined;
}

/** A number as a decimal, if one can hold it. */
export function toDecimal(value: Value): Decimal | undefined {
  if (value instanceof Decimal) return value;
  if (value instanceof Float) return decimalFrom(value.number);
  return typeof value === 'number' || typeof value === 'bigint' ? decimalFrom(value) : undefined;
}

/**
 * A geometry as it is, or made of an object in GeoJSON's form; `undefined` of anything else.
 * @throws TesseraError `nesting_too_deep`
 */
export function toGeometry(value: Value): Geometry | undefined {
  if (value instanceof Geometry) return value;
  return isObject(value) ? geometryFromObject(value) : undefined;
}
