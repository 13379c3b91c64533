/**
 * SET, UNSET and ON DUPLICATE KEY UPDATE: changes at the places that a path names. The given values aren't changed:
 * the result is a copy.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { ValueBag } from '../../functions/array/value-bag.js';
import type { Assignment, DestructureField, Expression, Idiom, Part } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { add, cannotAdd, subtract } from '../../value/arithmetic.js';
import { concat, union, without } from '../../value/collection-operations.js';
import { toNumber } from '../../value/number.js';
import { withField } from '../../value/paths.js';
import { toErrorText } from '../../value/text/text.js';
import { isTruthy } from '../../value/truthiness.js';
import {
  type ArrayValue,
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
import { frameAt } from './document-frame.js';
import { indexAsFieldName } from './index-step.js';

export type AssignmentOperator = Assignment['operator'];

/**
 * Changes a document at the places of a path; `frame` is where the expressions inside the path are evaluated. What a
 * path leads into though it can't have such a place stays as it is with `keepsBlocked`, and is an error otherwise.
 * @throws TesseraError `path_blocked`, and as the operator
 */
export type Assign = (
  target: ObjectValue,
  operator: AssignmentOperator,
  value: Value,
  frame: Frame,
  keepsBlocked?: boolean,
) => PromiseOrValue<ObjectValue>;

/** Removes what is at the places of paths, if it is there. */
export type Unset = (target: ObjectValue, frame: Frame) => PromiseOrValue<ObjectValue>;

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
  return (target, operator, value, frame, keepsBlocked = false) => {
    const at = (old: Value) => OPERATORS[operator](old, value);
    return changeAt(
      target,
      locators,
      0,
      { path, at, keepsBlocked, removes: false },
      frame,
    ) as PromiseOrValue<ObjectValue>;
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

/** `=` at a plain path, compiled when it is first used. */
export function setPath(
  target: ObjectValue,
  path: Idiom,
  value: Value,
  frame: Frame,
  keepsBlocked?: boolean,
): PromiseOrValue<ObjectValue> {
  let assign = plainAssigns.get(path);
  if (assign === undefined) {
    assign = compileAssign(path, PLAIN);
    plainAssigns.set(path, assign);
  }
  return assign(target, '=', value, frame, keepsBlocked);
}

/** One path after the other; elements of arrays close up. @throws TesseraError `path_not_assignable` */
export function compileUnset(paths: readonly Idiom[], compiler: Pick<Compiler, 'expression'>): Unset {
  const places = paths.flatMap(plainPaths).map((path) => {
    // What has no such place has nothing to remove.
    const removal: Change = { path, at: () => undefined, keepsBlocked: true, removes: true };
    return { locators: locatorsOf(path, compiler), removal };
  });
  return (target, frame) => {
    let rest: Value = target;
    const done = forEachInOrder(places, ({ locators, removal }) =>
      andThen(changeAt(rest, locators, 0, removal, frame), (removed) => {
        rest = removed;
        return undefined;
      }),
    );
    return andThen(done, () => rest as ObjectValue);
  };
}

/** `a.{b, c.{d}}` is the paths `a.b` and `a.c.d`. */
function plainPaths(path: Idiom): readonly Idiom[] {
  const last = path.parts.at(-1);
  if (last?.kind !== 'destructure') return [path];
  const before = path.parts.slice(0, -1);
  return last.fields.flatMap((field) => plainPaths({ ...path, parts: [...before, ...destructuredPath(field)] }));
}

/** `.{a, b.{c}}` leads to `a` and to `b.{c}`. */
export function destructuredPath(field: DestructureField): Part[] {
  const name: Part = { kind: 'field', name: field.name };
  return field.kind === 'nested' ? [name, { kind: 'destructure', fields: field.fields }] : [name];
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

/** What happens at the places of a path. */
interface Change {
  readonly path: Idiom;
  at(old: Value): Value;
  readonly keepsBlocked: boolean;
  /** Whether elements are taken away, NONE among them. */
  readonly removes: boolean;
}

/** The path leads into a value that can't have such a place: a field of a number, an element of a text. */
function blocked(value: Value, change: Change): Value {
  return change.keepsBlocked ? value : refuse(value, change);
}

function refuse(value: Value, { path }: Change): never {
  throw failure('path_blocked', { path: printExpression(path), value: toErrorText(value) });
}

function changeAt(
  value: Value,
  locators: readonly Locator[],
  from: number,
  change: Change,
  frame: Frame,
): PromiseOrValue<Value> {
  const locator = locators[from];
  if (locator === undefined) return change.at(value);
  if (isArray(value)) frame.unfold(value.length);
  const below: Below = (inner, at = from + 1) => changeAt(inner, locators, at, change, frame);
  const changeChosen = (isChosen: IsChosen): PromiseOrValue<Value> => {
    if (value === undefined || value === null) return value;
    if (!isArray(value)) return blocked(value, change);
    return changeItems(value, isChosen, below, change.removes && from + 1 === locators.length);
  };
  switch (locator.kind) {
    case 'field':
      return changeField(value, locator.name, from, below, change);
    case 'index':
      return andThen(locator.index(frame), (index) =>
        isArray(value) ? changeChosen(placesOf(index, value, change)) : changeMember(value, index, below, change),
      );
    case 'last':
      return changeChosen((_, index) => isArray(value) && index === value.length - 1);
    case 'all':
      return isObject(value) ? changeMembers(value, below) : changeChosen(() => true);
    case 'where': {
      const items = isArray(value) ? value : [];
      const verdicts = mapInOrder(items, (item) => andThen(locator.holds(frameAt(frame, item)), isTruthy));
      return andThen(verdicts, (chosen) => changeChosen((_, index) => chosen[index] === true));
    }
  }
}

/** Continues with the rest of the path; with `at` from another place in it. */
type Below = (inner: Value, at?: number) => PromiseOrValue<Value>;

function changeField(value: Value, name: string, from: number, below: Below, change: Change): PromiseOrValue<Value> {
  if (isObject(value)) return andThen(below(value[name]), (fresh) => withField(value, name, fresh));
  if (isArray(value)) return mapInOrder(value, (item) => (isObject(item) || isArray(item) ? below(item, from) : item));
  // A link isn't followed: the field is one of this record.
  if (value !== undefined && value !== null && !(value instanceof RecordId)) return blocked(value, change);
  return andThen(below(undefined), (fresh) => (fresh === undefined ? value : withField(newObject(), name, fresh)));
}

/** `[index]` of what isn't an array: the field of that name. */
function changeMember(value: Value, index: Value, below: Below, change: Change): PromiseOrValue<Value> {
  const name = indexAsFieldName(index);
  const isOpen = value === undefined || value === null || isObject(value);
  return name === undefined || !isOpen
    ? blocked(value, change)
    : changeField(value, name, 0, (inner) => below(inner), change);
}

type IsChosen = (item: Value, index: number) => boolean;

/** The elements that an index or a range means. Nothing but these means one, also where elements are removed. */
function placesOf(index: Value, value: ArrayValue, change: Change): IsChosen {
  if (index instanceof Range) return (_, at) => isWithin(index, at);
  if (!isNumber(index)) refuse(value, change);
  const place = Math.trunc(toNumber(index));
  return (_, at) => at === place;
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

/** An element that becomes NONE is removed; with `drops` all that are chosen. */
function changeItems(items: ArrayValue, isChosen: IsChosen, below: Below, drops: boolean): PromiseOrValue<Value> {
  if (drops) return items.filter((item, index) => !isChosen(item, index));
  const changed = mapInOrder(items, (item, index) => (isChosen(item, index) ? below(item) : item));
  return andThen(changed, (fresh) => fresh.filter((item, index) => item !== undefined || items[index] === undefined));
}

/**
 * The result of each operator for the old value and the given one. Lists, sets and missing values take any value as an
 * element; otherwise `+=` and `-=` are `+` and `-`.
 * @throws TesseraError as `add` and `subtract`
 */
const OPERATORS: Readonly<Record<AssignmentOperator, (old: Value, given: Value) => Value>> = {
  '=': (_, given) => given,
  '+=': (old, given) => {
    if (old === undefined) return isNumber(given) || given instanceof Duration || isCollection(given) ? given : [given];
    if (isArray(old)) return concat(old, itemsOf(given));
    return old instanceof SetValue ? union(old.items, itemsOf(given)) : add(old, given);
  },
  '-=': (old, given) => {
    // What isn't there has no elements either.
    if (old === undefined) return isNumber(given) ? subtract(0, given) : undefined;
    if (isArray(old)) return without(old, itemsOf(given));
    return old instanceof SetValue ? new SetValue(without(old.items, itemsOf(given))) : subtract(old, given);
  },
  '+?=': (old, given) => {
    if (old === undefined) return isCollection(given) ? given : [given];
    if (old instanceof SetValue) return union(old.items, itemsOf(given));
    if (!isArray(old)) throw cannotAdd(old, given);
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
