/** The condition of a SELECT, which judges rows batch by batch. */
import { andThen, filterInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Binary, Expression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { isDocumentFree } from '../../plan/dependencies.js';
import { isTruthy } from '../../value/truthiness.js';
import { isObject, type ObjectValue, type Value } from '../../value/value.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';
import { type FieldReader, fieldNamed, fieldReader } from '../expression/field-reader.js';
import { OPERATIONS, type Operation, type PlainOperator } from '../expression/operators.js';
import { rowFrames } from '../row-frames.js';

/** The rows that meet a condition; no more than `most`, and those behind them aren't judged. */
export type Filter = (frame: Frame, rows: readonly Value[], most?: number) => PromiseOrValue<readonly Value[]>;

/**
 * Of a condition such as `age > $age AND active AND …`, what compares a field with something that is the same for all rows is judged first,
 * each such part in a loop over all rows that the ones before it left. What remains is judged row by row.
 */
export function compileFilter(where: Expression, compiler: Compiler): Filter {
  const parts = conjunction(where);
  const sieves = leading(parts, (part) => compileSieve(part, compiler));
  if (sieves.length === 0) return rowByRow(where, compiler);
  // Not needed by most, and its parts are compiled anyway.
  let whole: Filter | undefined;
  const others = parts.slice(sieves.length);
  const rest = others.length === 0 ? undefined : rowByRow(others.reduce(and), compiler);
  return (frame, rows, most) => {
    if (most !== undefined || !areObjects(rows)) {
      whole ??= rowByRow(where, compiler);
      return whole(frame, rows, most);
    }
    const left = throughAll(sieves, 0, frame, rows);
    return rest === undefined ? left : andThen(left, (some) => rest(frame, some));
  };
}

function rowByRow(condition: Expression, compiler: Compiler): Filter {
  const judge = compiler.expression(condition);
  const frames = rowFrames([condition]);
  return (frame, rows, most) => {
    const at = frames(frame);
    const { memory } = frame.execution;
    const mark = memory.used;
    const judged = (verdict: Value): boolean => {
      memory.releaseTo(mark);
      return isTruthy(verdict);
    };
    const test = (row: Value): PromiseOrValue<boolean> => {
      const verdict = judge(at(row));
      return verdict instanceof Promise ? verdict.then(judged) : judged(verdict);
    };
    return filterInOrder(rows, test, most);
  };
}

/** What conditions joined by AND consist of; a row meets them all or isn't found. */
function conjunction(condition: Expression): Expression[] {
  const parts: Expression[] = [];
  let rest = condition;
  for (; rest.kind === 'binary' && rest.operator === '&&'; rest = rest.left) parts.push(rest.right);
  return [...parts, rest].reverse();
}

function and(left: Expression, right: Expression): Binary {
  return { kind: 'binary', operator: '&&', left, right };
}

/** What `make` makes of the first items, up to the first of which it makes nothing. */
function leading<T, U>(items: readonly T[], make: (item: T) => U | undefined): U[] {
  const made: U[] = [];
  for (const item of items) {
    const one = make(item);
    if (one === undefined) break;
    made.push(one);
  }
  return made;
}

/** Asks nothing but fields of the rows, which are objects. */
type Sieve = (frame: Frame, rows: Objects) => PromiseOrValue<Objects>;
type Objects = readonly ObjectValue[];

function areObjects(rows: readonly Value[]): rows is Objects {
  for (const row of rows) if (!isObject(row)) return false;
  return true;
}

function throughAll(sieves: readonly Sieve[], from: number, frame: Frame, rows: Objects): PromiseOrValue<Objects> {
  let left = rows;
  for (let at = from; at < sieves.length && left.length > 0; at++) {
    const passed = (sieves[at] as Sieve)(frame, left);
    if (passed instanceof Promise) return passed.then((settled) => throughAll(sieves, at + 1, frame, settled));
    left = passed;
  }
  return left;
}

/** The operators that compare, which do nothing else and fail for no values but huge ones. */
const COMPARING: ReadonlySet<unknown> = new Set<PlainOperator>(['=', '!=', '==', '<', '<=', '>', '>=']);

function compileSieve(condition: Expression, compiler: Compiler): Sieve | undefined {
  const name = fieldNamed(condition);
  if (name !== undefined) return truthy(fieldReader(name));
  if (condition.kind !== 'binary' || !COMPARING.has(condition.operator)) return undefined;
  const { left, right } = condition;
  const compared = fieldNamed(left);
  if (compared === undefined || !isSame(right)) return undefined;
  return comparing(fieldReader(compared), OPERATIONS[condition.operator as PlainOperator], compiler.expression(right));
}

/** Whether it is enough to evaluate an expression once for many rows. */
function isSame(expression: Expression): boolean {
  return constantValue(expression) !== undefined || (expression.kind === 'param' && isDocumentFree(expression));
}

function truthy(field: FieldReader): Sieve {
  return (_, rows) => {
    const kept: ObjectValue[] = [];
    for (const row of rows) if (isTruthy(field.read(row))) kept.push(row);
    return kept;
  };
}

function comparing(field: FieldReader, compare: Operation, operand: Evaluate): Sieve {
  return (frame, rows) =>
    andThen(operand(frame), (other) => {
      const kept: ObjectValue[] = [];
      for (const row of rows) if (compare(field.read(row), other) === true) kept.push(row);
      return kept;
    });
}
