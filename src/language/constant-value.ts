/** Expressions that are values written out, in which nothing is looked up, called or run. */
import { Derived } from '../base/derived.js';
import { geometryFromObject } from '../value/geometry.js';
import { setFrom } from '../value/order.js';
import {
  type ArrayValue,
  type Bound,
  newObject,
  type ObjectValue,
  Range,
  RecordId,
  type RecordKey,
  type Value,
} from '../value/value.js';
import type { ArrayLiteral, Expression, KeyBound, ObjectLiteral, RecordIdLiteral } from './ast.js';

/**
 * The value that an expression is, in a box since NONE is one, too; `undefined` if it has to be computed. An object
 * that describes a geometry (GeoJSON) is one when it is written out, and only then.
 *
 *     constantValue({ kind: 'literal', value: 1 })   // { value: 1 }
 *     constantValue({ kind: 'param', name: 'x' })    // undefined
 */
export function constantValue(expression: Expression): { readonly value: Value } | undefined {
  const value = read(expression);
  return value === COMPUTED ? undefined : { value };
}

/** The record id that a literal is; `undefined` if its key has to be computed. */
export function constantRecordId(literal: RecordIdLiteral): RecordId | undefined {
  const key = readKey(literal);
  return key === COMPUTED ? undefined : new RecordId(literal.table, key);
}

/** Values of literals that were found out before. */
const KNOWN = new Derived<ArrayLiteral | ObjectLiteral, { readonly value: Value }>();

/**
 * Finds out the value of a literal and keeps it; returns whether there is one. Of those inside it that are kept,
 * nothing is looked at again.
 */
export function keepConstant(literal: ArrayLiteral | ObjectLiteral): boolean {
  const known = constantValue(literal);
  if (known !== undefined) KNOWN.set(literal, known);
  return known !== undefined;
}

/** Whether an expression is known to be nothing but data. */
export function isKnownConstant(expression: Expression): boolean {
  return (expression.kind === 'array' || expression.kind === 'object') && KNOWN.get(expression) !== undefined;
}

const COMPUTED: unique symbol = Symbol('computed');
type Read = Value | typeof COMPUTED;

function read(expression: Expression): Read {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'array': {
      const known = KNOWN.get(expression);
      return known === undefined ? readAll(expression.items) : known.value;
    }
    case 'set': {
      const items = readAll(expression.items);
      return items === COMPUTED ? COMPUTED : setFrom(items);
    }
    case 'object': {
      const known = KNOWN.get(expression);
      if (known !== undefined) return known.value;
      const object = readObject(expression);
      return object === COMPUTED ? COMPUTED : (geometryFromObject(object) ?? object);
    }
    case 'record-id': {
      const key = readKey(expression);
      return key === COMPUTED ? COMPUTED : new RecordId(expression.table, key);
    }
    case 'range': {
      const start = readBound(expression.start);
      const end = readBound(expression.end);
      return start === COMPUTED || end === COMPUTED ? COMPUTED : new Range(start, end);
    }
    default:
      return COMPUTED;
  }
}

function readAll(expressions: readonly Expression[]): ArrayValue | typeof COMPUTED {
  const values: Value[] = [];
  for (const expression of expressions) {
    const value = read(expression);
    if (value === COMPUTED) return COMPUTED;
    values.push(value);
  }
  return values;
}

function readObject({ entries }: ObjectLiteral): ObjectValue | typeof COMPUTED {
  const object = newObject();
  for (const [key, entry] of entries) {
    const value = read(entry);
    if (value === COMPUTED) return COMPUTED;
    object[key] = value;
  }
  return object;
}

function readKey({ key }: RecordIdLiteral): RecordKey | Range | typeof COMPUTED {
  if (key.kind === 'generate') return COMPUTED;
  if (key.kind === 'key') {
    // An object that describes a geometry stays an object here: geometries are no keys.
    return key.value.kind === 'object' ? readObject(key.value) : (read(key.value) as RecordKey | typeof COMPUTED);
  }
  const start = readBound(key.start);
  const end = readBound(key.end);
  return start === COMPUTED || end === COMPUTED ? COMPUTED : new Range(start, end);
}

function readBound(
  bound: { readonly value: Expression; readonly inclusive: boolean } | KeyBound | undefined,
): Bound | undefined | typeof COMPUTED {
  if (bound === undefined) return undefined;
  const value = read(bound.value);
  return value === COMPUTED ? COMPUTED : { value, inclusive: bound.inclusive };
}
