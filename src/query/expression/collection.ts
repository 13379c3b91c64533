/** Arrays, sets and objects whose members are expressions. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ArrayLiteral, Expression, ObjectLiteral, SetLiteral } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { setFrom } from '../../value/order.js';
import { type MutableObject, newObject, type Value } from '../../value/value.js';

export function compileArray(array: ArrayLiteral, compiler: Compiler): Evaluate {
  return constant(array) ?? compileList(array.items, compiler);
}

export function compileSet(set: SetLiteral, compiler: Compiler): Evaluate {
  const known = constant(set);
  if (known !== undefined) return known;
  const items = compileList(set.items, compiler);
  return (frame) => andThen(items(frame), setFrom);
}

export function compileObject(object: ObjectLiteral, compiler: Compiler): Evaluate {
  const known = constant(object);
  if (known !== undefined) return known;
  const keys = object.entries.map(([key]) => key);
  const members = object.entries.map(([, member]) => compiler.expression(member));
  const fill = (frame: Frame, target: MutableObject, from: number): PromiseOrValue<Value> => {
    for (let index = from; index < members.length; index++) {
      const key = keys[index] as string;
      const value = (members[index] as Evaluate)(frame);
      if (value instanceof Promise) {
        return value.then((settled) => {
          target[key] = settled;
          return fill(frame, target, index + 1);
        });
      }
      target[key] = value;
    }
    return target;
  };
  return (frame) => fill(frame, newObject(), 0);
}

/** Expressions evaluated in order, as an array. */
export function compileList(
  expressions: readonly Expression[],
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Value[]> {
  const compiled = expressions.map((expression) => compiler.expression(expression));
  const [first, second] = compiled;
  if (first === undefined) return () => [];
  if (second === undefined) {
    return (frame) => {
      const value = first(frame);
      return value instanceof Promise ? value.then((settled) => [settled]) : [value];
    };
  }
  if (compiled.length === 2) {
    return (frame) => {
      const one = first(frame);
      if (one instanceof Promise) return one.then((settled) => andThen(second(frame), (two) => [settled, two]));
      const two = second(frame);
      return two instanceof Promise ? two.then((settled) => [one, settled]) : [one, two];
    };
  }
  return (frame) => mapInOrder(compiled, (evaluate) => evaluate(frame));
}

function constant(expression: Expression): Evaluate | undefined {
  const known = constantValue(expression);
  return known && (() => known.value);
}
