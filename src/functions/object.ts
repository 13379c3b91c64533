/** `object::*`: fields of objects as values, and objects of fields. Keys come in order. */
import { sortedKeys } from '../value/strings.js';
import { toBoundedDisplay, toErrorDisplay } from '../value/text/text.js';
import { isArray, kindOf, newObject, type ObjectValue, objectFrom, type Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { REBUILDS } from './calls/input-limit.js';
import { any, list, object } from './calls/parameters.js';

export const objectFunctions: readonly FunctionRow[] = [
  define(
    'object::entries',
    [object('object')],
    'array',
    'The fields of an object as pairs of key and value, by key.',
    (fields) => sortedKeys(fields).map((key) => [key, fields[key]]),
    REBUILDS,
  ),
  define(
    'object::extend',
    [object('object'), object('other')],
    'object',
    'An object with the fields of another added, which win.',
    (fields, others) => objectFrom([...Object.entries(fields), ...Object.entries(others)]),
    REBUILDS,
  ),
  define(
    'object::from_entries',
    [list('entries')],
    'object',
    'An object of pairs of key and value.',
    fromEntries,
    REBUILDS,
  ),
  define(
    'object::is_empty',
    [object('object')],
    'bool',
    'Whether an object has no fields.',
    (fields) => {
      for (const _ in fields) return false;
      return true;
    },
    REBUILDS,
  ),
  define(
    'object::keys',
    [object('object')],
    'array<string>',
    'The keys of an object, in order.',
    (fields) => sortedKeys(fields),
    REBUILDS,
  ),
  define(
    'object::len',
    [object('object')],
    'int',
    'Counts the fields of an object.',
    (fields) => Object.keys(fields).length,
    REBUILDS,
  ),
  define(
    'object::remove',
    [object('object'), any('keys')],
    'object',
    'An object without a field, or without several.',
    remove,
    REBUILDS,
  ),
  define(
    'object::values',
    [object('object')],
    'array',
    'The values of an object, in the order of their keys.',
    (fields) => sortedKeys(fields).map((key) => fields[key]),
    REBUILDS,
  ),
];

function fromEntries(entries: readonly Value[]): ObjectValue {
  const fields = newObject();
  for (const entry of entries) {
    if (!isArray(entry) || entry.length !== 2) {
      throw invalidArguments('object::from_entries', `Expected entries, found ${kindOf(entry)}`);
    }
    fields[toBoundedDisplay(entry[0])] = entry[1];
  }
  return fields;
}

function remove(fields: ObjectValue, keys: Value): ObjectValue {
  const removed = new Set(
    (isArray(keys) ? keys : [keys]).map((key) => {
      if (typeof key === 'string') return key;
      throw invalidArguments(
        'object::remove',
        `'${toErrorDisplay(key)}' cannot be used as a key. Please use a string instead.`,
      );
    }),
  );
  return objectFrom(Object.entries(fields).filter(([key]) => !removed.has(key)));
}
