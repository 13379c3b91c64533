/** Short names for making values in tests. */

import { parseDecimal } from '../../src/value/decimal.js';
import { parseDatetime } from '../../src/value/time/datetime.js';
import { parseDuration } from '../../src/value/time/duration.js';
import { parseUuid } from '../../src/value/uuid.js';
import {
  type Bound,
  type Datetime,
  type Decimal,
  type Duration,
  Float,
  Geometry,
  type ObjectValue,
  objectFrom,
  Range,
  type Shape,
  type Uuid,
  type Value,
} from '../../src/value/value.js';

export const f = (number: number): Float => new Float(number);
export const dec = (text: string): Decimal => must(parseDecimal(text));
export const dt = (text: string): Datetime => must(parseDatetime(text));
export const dur = (text: string): Duration => must(parseDuration(text));
export const uuid = (text: string): Uuid => must(parseUuid(text));
export const o = (fields: Record<string, Value>): ObjectValue => objectFrom(fields);
export const geo = (type: Shape['type'], coordinates: unknown): Geometry =>
  new Geometry({ type, coordinates } as Shape);

/** `range(1, 2)` is `1..2`; an end that isn't given is open. */
export function range(...[start, end]: [start?: Value, end?: Value]): Range {
  const bound = (value: Value, inclusive: boolean): Bound | undefined =>
    value === undefined ? undefined : { value, inclusive };
  return new Range(bound(start, true), bound(end, false));
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not a value');
  return value;
}
