/** Whether a value has an inferred type, as strictly as types can be read. */

import { identical } from '../../src/value/identical.js';
import { GEOMETRY_TYPES, type Type } from '../../src/value/type.js';
import {
  Geometry,
  isArray,
  isNumber,
  isObject,
  kindOf,
  RecordId,
  SetValue,
  Table,
  type Value,
} from '../../src/value/value.js';

type Checks = { readonly [K in Type['kind']]?: (value: Value, type: Extract<Type, { kind: K }>) => boolean };

const CHECKS: Checks = {
  any: () => true,
  number: isNumber,
  array: (value, { item }) => isArray(value) && value.every((each) => item === undefined || conforms(each, item)),
  set: (value, { item }) =>
    value instanceof SetValue && value.items.every((each) => item === undefined || conforms(each, item)),
  tuple: (value, { items }) =>
    isArray(value) && value.length === items.length && items.every((item, at) => conforms(value[at], item)),
  object: (value, { fields, open }) => {
    if (!isObject(value)) return false;
    if (fields === undefined) return true;
    const names = new Set(fields.map(([name]) => name));
    if (open !== true && Object.keys(value).some((name) => !names.has(name))) return false;
    return fields.every(([name, type]) => conforms(value[name], type));
  },
  record: (value, { tables }) => value instanceof RecordId && (tables.length === 0 || tables.includes(value.table)),
  table: (value, { tables }) => value instanceof Table && (tables.length === 0 || tables.includes(value.name)),
  geometry: (value, { shapes }) =>
    value instanceof Geometry &&
    (shapes.length === 0 || shapes.some((shape) => GEOMETRY_TYPES[shape] === value.shape.type)),
  literal: (value, type) => identical(value, type.value),
  union: (value, { of }) => of.some((each) => conforms(value, each)),
};

export function conforms(value: Value, type: Type): boolean {
  const check = CHECKS[type.kind] as ((value: Value, type: Type) => boolean) | undefined;
  return check === undefined ? kindOf(value) === type.kind : check(value, type);
}
