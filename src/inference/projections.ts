/** The types of what SELECT and RETURN make of a row. */
import type { Projection, Projections } from '../language/ast.js';
import { isWhole, selectsFieldsOnly } from '../plan/projections.js';
import { projectionPath } from '../query/expression/projection-name.js';
import type { Type } from '../value/type.js';
import type { TypeScope } from './scope.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  fieldIn,
  isAnyType,
  itemOf,
  mapType,
  type ObjectType,
  objectType,
  unionOf,
  withKnownField,
} from './types.js';

type Column = Extract<Projection, { kind: 'expression' }>;

/** The columns are looked at once, whatever rows there are; `*` is the fields of each. */
export function projectedType(projections: Projections, row: Type, scope: TypeScope): Type {
  if (projections.kind === 'value') return scope.type(projections.expression);
  if (isWhole(projections)) return row;
  const columns = projections.items.flatMap((item): Column[] => (item.kind === 'expression' ? [item] : []));
  const types = columns.map((column) => ({ column, type: scope.type(column.expression) }));
  const hasAll = columns.length < projections.items.length;
  const passesOn = selectsFieldsOnly(projections);
  const rows = alternativesOf(row).map((one) => {
    if (passesOn && isScalar(one)) return one;
    const from = !hasAll ? objectType([]) : one.kind === 'object' ? one : objectType([], true);
    return types.reduce((made, { column, type }) => withColumn(made, column, type), from);
  });
  return unionOf(rows);
}

function isScalar(type: Type): boolean {
  return type.kind !== 'object' && type.kind !== 'none' && !isAnyType(type);
}

/** Fields whose names are computed stand at any place. */
const NAMED: ReadonlySet<string> = new Set(['type::field', 'type::fields']);

function withColumn(made: ObjectType, column: Column, type: Type): ObjectType {
  const { expression, alias } = column;
  if (expression.kind === 'call' && NAMED.has(expression.path) && alias === undefined)
    return objectType(made.fields ?? [], true);
  return writtenAt(made, projectionPath(column), type);
}

/** With a value at a nested path, in each element of a list on the way. */
export function writtenAt(object: ObjectType, [name, ...below]: readonly string[], value: Type): ObjectType {
  if (name === undefined) return object;
  const existing = fieldIn(object, name);
  return withKnownField(
    object,
    name,
    below.length === 0 ? value : writtenInto(existing ?? objectType([]), below, value),
  );
}

function writtenInto(existing: Type, path: readonly string[], value: Type): Type {
  return mapType(existing, (one) => {
    if (isAnyType(one)) return ANY;
    if (one.kind === 'object') return writtenAt(one, path, value);
    const item = one.kind === 'array' || one.kind === 'tuple' ? itemOf(one) : undefined;
    return item === undefined ? writtenAt(objectType([]), path, value) : arrayOf(writtenInto(item, path, value));
  });
}
