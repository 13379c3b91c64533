/** What counts as true, kind by kind. */
import { type ByKind, byKind } from './by-kind.js';
import type { Value } from './value.js';

const never = () => false;
const always = () => true;

const TRUTHY: ByKind<boolean> = {
  none: never,
  null: never,
  bool: (value) => value,
  int: (value) => Boolean(value),
  // NaN counts as true.
  float: (value) => (typeof value === 'number' ? value : value.number) !== 0,
  decimal: (value) => !value.number.isZero(),
  string: (value) => value !== '',
  duration: (value) => value.nanoseconds !== 0n,
  datetime: always,
  uuid: always,
  array: (value) => value.length > 0,
  set: (value) => value.items.length > 0,
  object: hasFields,
  geometry: always,
  bytes: (value) => value.length > 0,
  table: never,
  record: always,
  file: never,
  regex: never,
  range: never,
  function: never,
};

/**
 * Whether a value counts as true in a condition, as the reference engine sees it.
 *
 *     isTruthy('')   // false
 *     isTruthy([])   // false
 */
export function isTruthy(value: Value): boolean {
  return typeof value === 'boolean' ? value : byKind(TRUTHY, value);
}

function hasFields(object: object): boolean {
  for (const _ in object) return true;
  return false;
}
