/** Closures over the items of arrays and sets. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { equals } from '../../value/order.js';
import { isTruthy } from '../../value/truthiness.js';
import { Closure, type Value } from '../../value/value.js';
import type { FunctionContext } from './contract.js';

export type Predicate = (item: Value) => PromiseOrValue<boolean>;

/** A predicate argument: a closure, or equality with any other value. */
export function predicateOf(test: Value, context: FunctionContext): Predicate {
  if (!(test instanceof Closure)) return (item) => equals(item, test);
  return (item) => andThen(context.call(test, [item]), isTruthy);
}

/** Items between two checkpoints. */
const STRIDE = 256;

/** Calls `visit` for each item in order, with a checkpoint now and then; `true` from `visit` ends the walk early. */
function walk(
  items: readonly Value[],
  context: FunctionContext,
  visit: (item: Value, index: number) => PromiseOrValue<boolean | undefined>,
): PromiseOrValue<void> {
  return forEachInOrder(items, (item, index) => {
    if (index % STRIDE !== STRIDE - 1) return visit(item, index);
    return andThen(context.checkpoint(), () => visit(item, index));
  });
}

/** The index of the first item that passes; −1 if none does. */
export function findIndex(items: readonly Value[], test: Predicate, context: FunctionContext): PromiseOrValue<number> {
  let found = -1;
  const walked = walk(items, context, (item, index) =>
    andThen(test(item), (passed) => {
      if (passed) found = index;
      return passed;
    }),
  );
  return andThen(walked, () => found);
}

/** Whether an item passes the test, if there is one; otherwise whether any is truthy. NONE is a test like any other. */
export function isAny(
  items: readonly Value[],
  tests: readonly Value[],
  context: FunctionContext,
): PromiseOrValue<boolean> {
  const passes = tests.length === 0 ? isTruthy : predicateOf(tests[0], context);
  return andThen(findIndex(items, passes, context), (index) => index >= 0);
}

/** Whether all items pass the test, if there is one; otherwise whether all are truthy. */
export function areAll(
  items: readonly Value[],
  tests: readonly Value[],
  context: FunctionContext,
): PromiseOrValue<boolean> {
  const passes = tests.length === 0 ? isTruthy : predicateOf(tests[0], context);
  const fails = (item: Value) => andThen(passes(item), (passed) => !passed);
  return andThen(findIndex(items, fails, context), (index) => index < 0);
}

/** The positions of the items that pass. */
export function findIndexes(
  items: readonly Value[],
  test: Predicate,
  context: FunctionContext,
): PromiseOrValue<number[]> {
  const passing: number[] = [];
  const walked = walk(items, context, (item, index) =>
    andThen(test(item), (passed): undefined => {
      if (passed) passing.push(index);
    }),
  );
  return andThen(walked, () => passing);
}

/** The items that pass. */
export function filter(items: readonly Value[], test: Predicate, context: FunctionContext): PromiseOrValue<Value[]> {
  return andThen(findIndexes(items, test, context), (indexes) => mapItems(indexes, context, (index) => items[index]));
}

/** The results of a closure for each item; it is given the index, too, if `indexed`. */
export function map(
  items: readonly Value[],
  closure: Closure,
  context: FunctionContext,
  indexed: boolean,
): PromiseOrValue<Value[]> {
  return mapInOrder(items, (item, index) => {
    const args = indexed ? [item, index] : [item];
    if (index % STRIDE !== STRIDE - 1) return context.call(closure, args);
    return andThen(context.checkpoint(), () => context.call(closure, args));
  });
}

/** Folds the items into `initial`: the closure gets the accumulator, the item, and its index if `indexed`. */
export function fold(
  items: readonly Value[],
  initial: Value,
  closure: Closure,
  context: FunctionContext,
  indexed: boolean,
): PromiseOrValue<Value> {
  let folded = initial;
  const walked = walk(items, context, (item, index) => {
    const args = indexed ? [folded, item, index] : [folded, item];
    return andThen(context.call(closure, args), (result): undefined => {
      folded = result;
    });
  });
  return andThen(walked, () => folded);
}

/** Folds the other items into the first one; NONE if there is none. Indexes begin at 0 with the second item. */
export function reduce(
  items: readonly Value[],
  closure: Closure,
  context: FunctionContext,
  indexed: boolean,
): PromiseOrValue<Value> {
  return fold(items.slice(1), items[0], closure, context, indexed);
}
