/**
 * SET, UNSET and ON DUPLICATE KEY UPDATE: changes at the places that a path names. The given values aren't changed:
 * the result is a copy.
 */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { ValueBag } from '../../functions/value-bag.js';
import type { Assignment, DestructureField, Expression, Idiom, Part } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { add, subtract } from '../../value/arithmetic.js';
import { concat, union, without } from '../../value/collection-operations.js';
import { toNumber } from '../../value/number.js';
import { withField } from '../../value/paths.js';
import { isTruthy } from '../../value/truthiness.js';
import {
  type ArrayValue,
  Datetime,
  Duration,
  isArray,
  isNumber,
  isObject,
  newObject,
  type ObjectValue,
  Range,
  RecordId,
  SetValue,
  type Value,
} from '../../value/value.js';
import type { Compiler, Evaluate, Frame } from '../runtime/frame.js';
import { frameAt } from './document-frame.js';
import { indexAsFieldName } from './index-step.js';

export type AssignmentOperator = Assignment['operator'];

/** Changes a document at the places of a path; `frame` is where the expressions inside the path are evaluated. */
export type Assign = (
  target: ObjectValue,
  operator: AssignmentOperator,
  value: Value,
  frame: Frame,
) => PromiseOrValue<ObjectValue>;

/**
 * One step towards the places: to fields and elements by name or number, to all elements, or to those that satisfy a
 * condition.
 */
type Locator =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: Evaluate }
  | { readonly kind: 'last' | 'all' }
  | { readonly kind: 'where'; readonly holds: Evaluate };

/** @throws TesseraError `path_not_assignable` */
export function compileAssign(path: Idiom, compiler: Pick<Compiler, 'expression'>): Assign {
  const locators = locatorsOf(path, compiler);
  return (target, operator, value, frame) => {
    const change = (old: Value) => OPERATORS[operator](old, value);
    return changeAt(target, locators, 0, change, frame) as PromiseOrValue<ObjectValue>;
  };
}

/** Without a compiler, indexes may be literals or params. */
const PLAIN: Pick<Compiler, 'expression'> = {
  expression(expression: Expression): Evaluate {
    if (expression.kind === 'literal') return () => expression.value;
    if (expression.kind === 'param') return (frame) => frame.scope.getAnywhere(expression.name);
    throw failure('path_not_assignable', { path: printExpression(expression) });
  },
};

const plainAssigns = new WeakMap<Idiom, Assign>();

/** The same for a plain path, compiled when it is first used. */
export function setPath(
  target: ObjectValue,
  path: Idiom,
  operator: AssignmentOperator,
  value: Value,
  frame: Frame,
): PromiseOrValue<ObjectValue> {
  let assign = plainAssigns.get(path);
  if (assign === undefined) {
    assign = compileAssign(path, PLAIN);
    plainAssigns.set(path, assign);
  }
  return assign(target, operator, value, frame);
}

/** Removes what is at a plain path, if it is there. Elements of arrays close up. */
export function unsetPath(target: ObjectValue, path: Idiom): ObjectValue {
  return unsetAt(target, path.parts, 0) as ObjectValue;
}

function locatorsOf(path: Idiom, compiler: Pick<Compiler, 'expression'>): Locator[] {
  if (path.start !== undefined) throw failure('path_not_assignable', { path: printExpression(path) });
  return path.parts.map((part): Locator => {
    switch (part.kind) {
      case 'field':
      case 'last':
      case 'all':
        return part;
      case 'index':
        return { kind: 'index', index: compiler.expression(part.index) };
      case 'where':
        return { kind: 'where', holds: compiler.expression(part.condition) };
      default:
        throw failure('path_not_assignable', { path: printExpression(path) });
    }
  });
}

type Change = (old: Value) => Value;

function changeAt(
  value: Value,
  locators: readonly Locator[],
  from: number,
  change: Change,
  frame: Frame,
): PromiseOrValue<Value> {
  const locator = locators[from];
  if (locator === undefined) return change(value);
  if (isArray(value)) frame.unfold(value.length);
  const below: Below = (inner, at = from + 1) => changeAt(inner, locators, at, change, frame);
  switch (locator.kind) {
    case 'field':
      return changeField(value, locator.name, from, below);
    case 'index':
      return andThen(locator.index(frame), (index) => changeElement(value, index, below));
    case 'last':
      return isArray(value) ? changeItems(value, (_, index) => index === value.length - 1, below) : value;
    case 'all':
      return isObject(value)
        ? changeMembers(value, below)
        : isArray(value)
          ? changeItems(value, () => true, below)
          : value;
    case 'where': {
      if (!isArray(value)) return value;
      const verdicts = mapInOrder(value, (item) => andThen(locator.holds(frameAt(frame, item)), isTruthy));
      return andThen(verdicts, (chosen) => changeItems(value, (_, index) => chosen[index] === true, below));
    }
  }
}

/** Continues with the rest of the path; with `at` from another place in it. */
type Below = (inner: Value, at?: number) => PromiseOrValue<Value>;

function changeField(value: Value, name: string, from: number, below: Below): PromiseOrValue<Value> {
  if (isObject(value)) return andThen(below(value[name]), (fresh) => withField(value, name, fresh));
  if (isArray(value)) return mapInOrder(value, (item) => (isObject(item) || isArray(item) ? below(item, from) : item));
  // A link isn't followed: the field is one of this record.
  if (value !== undefined && value !== null && !(value instanceof RecordId)) return value;
  return andThen(below(undefined), (fresh) => (fresh === undefined ? value : withField(newObject(), name, fresh)));
}

function changeElement(value: Value, index: Value, below: Below): PromiseOrValue<Value> {
  if (isArray(value)) {
    if (index instanceof Range) return changeItems(value, (_, at) => isWithin(index, at), below);
    const at = isNumber(index) ? toNumber(index) : -1;
    return changeItems(value, (_, each) => each === at, below);
  }
  const name = indexAsFieldName(index);
  const isOpen = value === undefined || value === null || isObject(value);
  return name === undefined || !isOpen ? value : changeField(value, name, 0, (inner) => below(inner));
}

function isWithin({ start, end }: Range, at: number): boolean {
  const from = start === undefined ? 0 : Number(start.value) + (start.inclusive ? 0 : 1);
  const to = end === undefined ? Number.POSITIVE_INFINITY : Number(end.value) + (end.inclusive ? 1 : 0);
  return at >= from && at < to;
}

function changeMembers(object: ObjectValue, below: Below): PromiseOrValue<Value> {
  const names = Object.keys(object);
  const members = mapInOrder(names, (name) => below(object[name]));
  return andThen(members, (fresh) => names.reduce<Value>((all, name, at) => withField(all, name, fresh[at]), object));
}

/** NONE removes an element. */
function changeItems(
  items: ArrayValue,
  isChosen: (item: Value, index: number) => boolean,
  below: Below,
): PromiseOrValue<Value> {
  const changed = mapInOrder(items, (item, index) => (isChosen(item, index) ? below(item) : item));
  return andThen(changed, (fresh) => fresh.filter((item, index) => item !== undefined || items[index] === undefined));
}

function unsetAt(value: Value, parts: readonly Part[], from: number): Value {
  const part = parts[from];
  if (part === undefined) return undefined;
  switch (part.kind) {
    case 'field':
      if (isArray(value)) return value.map((item) => unsetAt(item, parts, from));
      return isObject(value) ? unsetField(value, part.name, parts, from) : value;
    case 'index': {
      if (part.index.kind !== 'literal') return value;
      const index = part.index.value;
      if (isObject(value) && typeof index === 'string') return unsetField(value, index, parts, from);
      return unsetItems(value, (at) => isNumber(index) && at === toNumber(index), parts, from);
    }
    case 'last':
      return unsetItems(value, (at) => isArray(value) && at === value.length - 1, parts, from);
    case 'all':
      if (!isObject(value)) return unsetItems(value, () => true, parts, from);
      return Object.keys(value).reduce<ObjectValue>((rest, name) => unsetField(rest, name, parts, from), value);
    case 'destructure':
      return part.fields.reduce((rest, field) => unsetAt(rest, destructuredPath(field), 0), value);
    default:
      return value;
  }
}

/** `.{a, b.{c}}` leads to `a` and to `b.{c}`. */
export function destructuredPath(field: DestructureField): Part[] {
  const name: Part = { kind: 'field', name: field.name };
  return field.kind === 'nested' ? [name, { kind: 'destructure', fields: field.fields }] : [name];
}

function unsetField(object: ObjectValue, name: string, parts: readonly Part[], from: number): ObjectValue {
  return name in object ? (withField(object, name, unsetAt(object[name], parts, from + 1)) as ObjectValue) : object;
}

function unsetItems(value: Value, isChosen: (at: number) => boolean, parts: readonly Part[], from: number): Value {
  if (!isArray(value)) return value;
  if (from + 1 === parts.length) return value.filter((_, at) => !isChosen(at));
  return value.map((item, at) => (isChosen(at) ? unsetAt(item, parts, from + 1) : item));
}

/** The result of each operator for the old value and the given one. If they are incompatible the old value stays. */
const OPERATORS: Readonly<Record<AssignmentOperator, (old: Value, given: Value) => Value>> = {
  '=': (_, given) => given,
  '+=': (old, given) => {
    if (old === undefined) return isNumber(given) || given instanceof Duration || isCollection(given) ? given : [given];
    if (isNumber(old)) return isNumber(given) ? add(old, given) : old;
    if (old instanceof Duration || old instanceof Datetime) return given instanceof Duration ? add(old, given) : old;
    if (isArray(old)) return concat(old, itemsOf(given));
    return old instanceof SetValue ? union(old.items, itemsOf(given)) : old;
  },
  '-=': (old, given) => {
    if (old === undefined) return isNumber(given) ? subtract(0, given) : undefined;
    if (isNumber(old)) return isNumber(given) ? subtract(old, given) : old;
    if (old instanceof Duration || old instanceof Datetime)
      return given instanceof Duration ? subtract(old, given) : old;
    if (isArray(old)) return without(old, itemsOf(given));
    return old instanceof SetValue ? new SetValue(without(old.items, itemsOf(given))) : old;
  },
  '+?=': (old, given) => {
    if (old === undefined) return isCollection(given) ? given : [given];
    if (old instanceof SetValue) return union(old.items, itemsOf(given));
    if (!isArray(old)) return old;
    // The peer removes all duplicates, even existing ones.
    const seen = new ValueBag();
    return concat(old, itemsOf(given)).filter((item) => seen.add(item));
  },
};

function isCollection(value: Value): boolean {
  return isArray(value) || value instanceof SetValue;
}

function itemsOf(value: Value): ArrayValue {
  if (isArray(value)) return value;
  return value instanceof SetValue ? value.items : [value];
}
