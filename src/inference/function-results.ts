/**
 * What built-in functions give for arguments of known types: what their row in the table says, or more where the result
 * is made of the arguments.
 */
import type { FunctionRow } from '../functions/calls/contract.js';
import type { Expression } from '../language/ast.js';
import { parseType } from '../language/parse.js';
import type { Type } from '../value/type.js';
import { closureResult } from './closures.js';
import type { TypeScope } from './scope.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  exclude,
  INT,
  itemOf,
  mapType,
  NONE,
  optionOf,
  plainType,
  recordOf,
  STRING,
  unionOf,
  widen,
} from './types.js';

export interface GivenArgument {
  readonly type: Type;
  readonly expression?: Expression;
}

export function resultOf(row: FunctionRow, args: readonly GivenArgument[], scope: TypeScope): Type {
  const result = declaredResult(row);
  return REFINED.get(row.name)?.(args, scope, result) ?? numbersOf(result, args);
}

const declared = new Map<string, Type>();

/** The type that the table of functions names. */
function declaredResult({ returns }: FunctionRow): Type {
  let type = declared.get(returns);
  if (type === undefined) {
    type = parseType(returns);
    declared.set(returns, type);
  }
  return type;
}

/** Without decimals among the arguments there is none in the result. */
function numbersOf(result: Type, args: readonly GivenArgument[]): Type {
  const isPlain = args.every(({ type }) => alternativesOf(widen(itemOf(type) ?? type)).every(isPlainNumber));
  if (!isPlain) return result;
  const numbers = unionOf([INT, plainType('float')]);
  return mapType(result, (one) => (one.kind === 'number' ? numbers : one));
}

function isPlainNumber({ kind }: Type): boolean {
  return kind !== 'decimal' && kind !== 'number' && kind !== 'any';
}

/** `result`: what the table of functions says. */
type Result = (args: readonly GivenArgument[], scope: TypeScope, result: Type) => Type | undefined;

/** The elements of an argument. */
function items({ type }: GivenArgument): Type {
  return unionOf(alternativesOf(type).map((one) => itemOf(one) ?? ANY));
}

const list = (item: Type): Type => arrayOf(item);
const set = (item: Type): Type => ({ kind: 'set', item });

/** Of each function's result the elements are those of the first argument. */
const sameItems =
  (wrap: (item: Type) => Type): Result =>
  ([first]) =>
    first && wrap(items(first));

/** … or an element, if there is one. */
const oneItem: Result = ([first]) => first && optionOf(items(first));

/** … or those of several arguments. */
const allItems =
  (wrap: (item: Type) => Type): Result =>
  (args) =>
    wrap(unionOf(args.map(items)));

/** … and other arguments, each as it is, or its elements. */
const withValues =
  (wrap: (item: Type) => Type): Result =>
  ([first, second]) =>
    first && second && wrap(unionOf([items(first), ...alternativesOf(second.type), ...unpacked(second.type)]));

function unpacked(type: Type): readonly Type[] {
  return alternativesOf(type).flatMap((one) => itemOf(one) ?? []);
}

/** Lists within lists as their elements. */
const flattened: Result = ([first]) => first && arrayOf(mapType(items(first), (one) => arrayItem(one) ?? one));

function arrayItem(type: Type): Type | undefined {
  return type.kind === 'set' ? undefined : itemOf(type);
}

const mapped =
  (wrap: (item: Type) => Type): Result =>
  ([first, second], scope) => {
    const closure = second?.expression;
    if (first === undefined || closure?.kind !== 'closure') return undefined;
    return wrap(closureResult(closure, [items(first), INT], scope));
  };

const named = (names: string, result: Result): [string, Result][] => names.split(' ').map((name) => [name, result]);

const typeOf = ({ type }: GivenArgument): Type => type;
const elementsOf = ({ type }: GivenArgument): Type => arrayItem(type) ?? type;

/** Of points alone there always is a result. */
const ofPoints: Result = (args, _, result) =>
  args.every(({ type }) => isPoint(type)) ? exclude(result, 'none') : undefined;

function isPoint(type: Type): boolean {
  return type.kind !== 'geometry' || (type.shapes.length === 1 && type.shapes[0] === 'point');
}

/** A record of the table that is written out. */
const ofTable: Result = ([first, key]) => {
  const written = first?.expression;
  if (written?.kind === 'literal' && typeof written.value === 'string' && !written.value.includes(':'))
    return recordOf(written.value);
  return key === undefined && first?.type.kind === 'record' ? first.type : undefined;
};

const fieldsOf: Result = ([first]) => {
  if (first?.type.kind !== 'object' || first.type.fields === undefined || first.type.open) return undefined;
  return arrayOf(unionOf(first.type.fields.map(([, type]) => type)));
};

const REFINED: ReadonlyMap<string, Result> = new Map([
  ...named(
    'array::complement array::distinct array::filter array::intersect array::remove array::reverse array::shuffle array::slice ' +
      'array::sort array::sort::asc array::sort::desc array::sort_lexical array::sort_natural array::swap',
    sameItems(list),
  ),
  ...named('set::complement set::filter set::intersect set::remove set::slice', sameItems(set)),
  ...named(
    'array::at array::find array::first array::last array::max array::min array::pop ' +
      'set::at set::find set::first set::last set::max set::min',
    oneItem,
  ),
  ...named('array::concat array::difference array::union', allItems(list)),
  ...named('set::difference set::union', allItems(set)),
  ...named('array::add array::append array::prepend array::push', withValues(list)),
  ...named('set::add', withValues(set)),
  ...named('array::flatten array::group', flattened),
  ...named('array::map', mapped(list)),
  ...named('set::map', mapped(set)),
  ...named(
    'array::clump array::windows',
    sameItems((item) => arrayOf(arrayOf(item))),
  ),
  ...named('type::record', ofTable),
  ...named('object::keys', () => arrayOf(STRING)),
  ...named('object::values', fieldsOf),
  ...named('rand::enum', (args) => unionOf([NONE, ...(args.length === 1 ? args.map(elementsOf) : args.map(typeOf))])),
  ...named('geo::bearing geo::distance geo::hash::encode', ofPoints),
]);
