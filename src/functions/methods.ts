/** Functions called as methods: `x.len()` is the `len` of the family of x, with x as the first argument. */
import { type Kind, kindOf, type Value } from '../value/value.js';
import { arrayFunctions } from './array.js';
import { bytesFunctions } from './bytes.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, closure } from './calls/parameters.js';
import { durationFunctions } from './duration.js';
import { fileFunctions } from './file.js';
import { geoFunctions } from './geo.js';
import { mathFunctions } from './math.js';
import { objectFunctions } from './object.js';
import { recordFunctions } from './record.js';
import { setFunctions } from './set.js';
import { stringFunctions } from './string.js';
import { timeFunctions } from './time.js';
import { typeFunctions } from './type.js';
import { valueFunctions } from './value.js';
import { vectorFunctions } from './vector.js';

type Methods = ReadonlyMap<string, FunctionRow>;

/** Functions that aren't methods too, though their first parameter takes a value of their family. */
const NO_METHODS: ReadonlySet<string> = new Set([
  'array::range',
  'math::clamp',
  'math::fixed',
  'math::lerp',
  'math::lerpangle',
  'math::pow',
  'math::sqrt',
  'string::distance::osa',
  'vector::distance::knn',
]);

/** Functions that are methods too, though their first parameter takes no value of their family. */
const METHODS_THAT_FAIL: ReadonlySet<string> = new Set(['file::list']);

/** The last part of each name, with `_` for `::`, of the functions whose first parameter takes such a value. */
function methodsOf(rows: readonly FunctionRow[], receiver: Kind | 'number', prefix = ''): Methods {
  const methods = new Map<string, FunctionRow>();
  for (const row of rows) {
    const type = row.parameters[0]?.type.kind;
    if ((type !== receiver && type !== 'any' && !METHODS_THAT_FAIL.has(row.name)) || NO_METHODS.has(row.name)) continue;
    for (const name of [row.name, ...(row.aliases ?? [])]) {
      methods.set(prefix + name.split('::').slice(1).join('_'), row);
    }
  }
  return methods;
}

const NUMBER = methodsOf(mathFunctions, 'number');

/** By the kind of the receiver. Kinds without a family have the methods of every value only. */
const FAMILIES: { readonly [K in Kind]?: Methods } = {
  array: new Map([...methodsOf(arrayFunctions, 'array'), ...methodsOf(vectorFunctions, 'array', 'vector_')]),
  bytes: methodsOf(bytesFunctions, 'bytes'),
  datetime: methodsOf(timeFunctions, 'datetime'),
  decimal: NUMBER,
  duration: methodsOf(durationFunctions, 'duration'),
  file: methodsOf(fileFunctions, 'file'),
  float: NUMBER,
  geometry: methodsOf(geoFunctions, 'geometry'),
  int: NUMBER,
  object: methodsOf(objectFunctions, 'object'),
  record: methodsOf(recordFunctions, 'record'),
  set: methodsOf(setFunctions, 'set'),
  string: methodsOf(stringFunctions, 'string'),
};

/** On every value: `is_…`, `to_…`, `type_of`, `repeat`, `diff`, `patch` and `chain`. */
const GENERAL: Methods = new Map<string, FunctionRow>([
  ...typeFunctions.flatMap((row): [string, FunctionRow][] => {
    const name = row.name.slice('type::'.length);
    if (name.startsWith('is_')) return [[name, row]];
    if (name === 'table') return [];
    return row.parameters[0]?.type.kind === 'any' ? [[name === 'of' ? 'type_of' : `to_${name}`, row]] : [];
  }),
  ...arrayFunctions.filter(({ name }) => name === 'array::repeat').map((row): [string, FunctionRow] => ['repeat', row]),
  ...valueFunctions.map((row): [string, FunctionRow] => [row.name.slice('value::'.length), row]),
  [
    'chain',
    define(
      'chain',
      [any('value'), closure('closure')],
      'any',
      'The result of a closure for the value.',
      (value, body, context) => context.call(body, [value]),
    ),
  ],
]);

/** The function that a method call on `receiver` means; the receiver becomes its first argument. */
export function methodFor(receiver: Value, name: string): FunctionRow | undefined {
  return methodForKind(kindOf(receiver), name);
}

/** The same for values of a kind, for types. */
export function methodForKind(kind: Kind, name: string): FunctionRow | undefined {
  return FAMILIES[kind]?.get(name) ?? GENERAL.get(name);
}

/** Whether any kind of value has a method of this name. */
export function isMethodName(name: string): boolean {
  return GENERAL.has(name) || Object.values(FAMILIES).some((methods) => methods.has(name));
}
