/** Which values clients may send as variables of a sign-in or sign-up. */
import { failure } from '../errors/error.js';
import {
  type ArrayValue,
  type Kind,
  kindOf,
  type ObjectValue,
  Range,
  type RecordId,
  type SetValue,
  type Value,
} from '../value/value.js';

const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;

type Judge = 'inert' | 'live' | ((value: Value) => readonly Value[] | 'live');

/**
 * Which kinds are plain data: values that a query can only compare and store. Others have effects in a query: a
 * function runs, a table or record range reads other records, a regex or range matches many values.
 */
const KINDS: Readonly<Record<Kind, Judge>> = {
  none: 'inert',
  null: 'inert',
  bool: 'inert',
  int: 'inert',
  float: 'inert',
  decimal: 'inert',
  string: 'inert',
  duration: 'inert',
  datetime: 'inert',
  uuid: 'inert',
  bytes: 'inert',
  geometry: 'inert',
  file: 'inert',
  array: (value) => value as ArrayValue,
  set: (value) => (value as SetValue).items,
  object: (value) => Object.values(value as ObjectValue),
  record: (value) => {
    const { key } = value as RecordId;
    return key instanceof Range ? 'live' : [key];
  },
  table: 'live',
  regex: 'live',
  range: 'live',
  function: 'live',
};

/**
 * Checks that a sign-in or sign-up variable is plain data at any depth, to prevent query injection.
 *
 * @throws TesseraError `variable_not_data`; `malformed_credentials` if it is nested too deep or too large
 */
export function assertPlainData(name: string, value: Value): void {
  let count = 0;
  const judge = (part: Value, depth: number): void => {
    if (depth > MAX_DEPTH) throw failure('malformed_credentials', { what: `'${name}' is nested too deep` });
    if (++count > MAX_VALUES) throw failure('malformed_credentials', { what: `'${name}' holds too many values` });
    const kind = kindOf(part);
    const judged = KINDS[kind];
    const parts = typeof judged === 'function' ? judged(part) : judged;
    if (parts === 'live') throw failure('variable_not_data', { name, found: kind });
    if (parts !== 'inert') for (const inner of parts) judge(inner, depth + 1);
  };
  judge(value, 0);
}
