/** The condition of a statement, evaluated batch by batch. */
import { andThen, filterInOrder, filterTogether, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Binary, Expression } from '../../../language/ast.js';
import { fieldNameOf } from '../../../language/field-name-of.js';
import { operandsOf } from '../../../plan/access/comparisons.js';
import { onlyLook } from '../../../plan/effects.js';
import type { Filter } from '../../../plan/nodes.js';
import type { Compiler, Evaluate, Frame } from '../../../runtime/frame.js';
import { rowFrames } from '../../../runtime/row-frames.js';
import { withSharedValues } from '../../../runtime/with-shared-values.js';
import { isTruthy } from '../../../value/truthiness.js';
import { isObject, type ObjectValue, type Value } from '../../../value/value.js';
import { type FieldReader, fieldReader } from '../../expression/field-reader.js';
import { type BinaryOperation, OPERATIONS, type PlainOperator } from '../../expression/operators.js';
import type { OperatorContext, Stream } from '../operator.js';

export function compileFilter(node: Filter, context: OperatorContext): Stream {
  const input = context.stream(node.input);
  const judge = sharing(node, compilePredicate(node, context.compiler));
  return (frame, { rows, inOrder, targets }, visit) => {
    let left = rows;
    return input(frame, { inOrder, targets }, (batch, direction) =>
      andThen(judge(frame, batch, left), (kept) => {
        if (left !== undefined) left -= kept.length;
        return kept.length === 0 ? undefined : visit(kept, direction);
      }),
    );
  };
}

/** The rows that meet a condition, at most `most`; rows behind these aren't evaluated. */
type Predicate = (frame: Frame, rows: readonly Value[], most?: number) => PromiseOrValue<readonly Value[]>;

/** Subqueries that are the same for all rows of a batch are evaluated once for them. */
function sharing({ shared }: Filter, judge: Predicate): Predicate {
  if (shared === undefined) return judge;
  const subqueries = new Set(shared);
  return (frame, rows, most) => withSharedValues(subqueries, frame, (inner) => judge(inner, rows, most));
}

/** The parts that can be evaluated a batch at a time come first; the rest is evaluated row by row. */
function compilePredicate({ condition, batched = [] }: Filter, compiler: Compiler): Predicate {
  if (batched.length === 0) return rowByRow(condition, compiler);
  const predicates = batched.map((part) => compileBatchPredicate(part, compiler));
  const others = operandsOf(condition, '&&').slice(batched.length);
  const rest = others.length === 0 ? undefined : rowByRow(others.reduce(and), compiler);
  // Not needed by most, and its parts are compiled anyway.
  let whole: Predicate | undefined;
  return (frame, rows, most) => {
    if (most !== undefined || !areObjects(rows)) {
      whole ??= rowByRow(condition, compiler);
      return whole(frame, rows, most);
    }
    const left = throughAll(predicates, 0, frame, rows);
    return rest === undefined ? left : andThen(left, (some) => rest(frame, some));
  };
}

function rowByRow(condition: Expression, compiler: Compiler): Predicate {
  const judge = compiler.expression(condition);
  const frames = rowFrames([condition]);
  return (frame, rows, most) => {
    const {
      request: { memory },
    } = frame.execution;
    const mark = memory.used;
    if (rows.length > 1 && frame.execution.context.answersLater && onlyLook([condition])) {
      const test = (row: Value) => andThen(judge(frame.within(row)), (verdict) => isTruthy(verdict));
      return andThen(filterTogether(rows, test, most), (kept) => {
        memory.releaseTo(mark);
        return kept;
      });
    }
    const at = frames(frame);
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

function and(left: Expression, right: Expression): Binary {
  return { kind: 'binary', operator: '&&', left, right };
}

/** Depends only on fields of the rows, which are objects. */
type BatchPredicate = (frame: Frame, rows: Objects) => PromiseOrValue<Objects>;
type Objects = readonly ObjectValue[];

function areObjects(rows: readonly Value[]): rows is Objects {
  for (const row of rows) if (!isObject(row)) return false;
  return true;
}

function throughAll(
  predicates: readonly BatchPredicate[],
  from: number,
  frame: Frame,
  rows: Objects,
): PromiseOrValue<Objects> {
  let left = rows;
  for (let at = from; at < predicates.length && left.length > 0; at++) {
    const passed = (predicates[at] as BatchPredicate)(frame, left);
    if (passed instanceof Promise) return passed.then((settled) => throughAll(predicates, at + 1, frame, settled));
    left = passed;
  }
  return left;
}

/** A field by itself, or a comparison of one with what is the same for all rows. */
function compileBatchPredicate(part: Expression, compiler: Compiler): BatchPredicate {
  if (part.kind !== 'binary') return truthy(fieldReader(fieldNameOf(part) ?? ''));
  const field = fieldReader(fieldNameOf(part.left) ?? '');
  return comparing(field, OPERATIONS[part.operator as PlainOperator], compiler.expression(part.right));
}

function truthy(field: FieldReader): BatchPredicate {
  return (_, rows) => {
    const kept: ObjectValue[] = [];
    for (const row of rows) if (isTruthy(field.read(row))) kept.push(row);
    return kept;
  };
}

function comparing(field: FieldReader, compare: BinaryOperation, operand: Evaluate): BatchPredicate {
  return (frame, rows) =>
    andThen(operand(frame), (other) => {
      const kept: ObjectValue[] = [];
      for (const row of rows) if (compare(field.read(row), other) === true) kept.push(row);
      return kept;
    });
}
