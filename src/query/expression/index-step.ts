/** `[index]`, `[from..to]`, `[$]` and `[WHERE …]`: parts that take an array as a whole. */
import { andThen, mapInOrder } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import { CoercionError, coerce } from '../../value/coerce.js';
import { toNumber } from '../../value/number.js';
import { toErrorText } from '../../value/text/text.js';
import { isTruthy } from '../../value/truthiness.js';
import {
  type ArrayValue,
  type Bound,
  Decimal,
  Float,
  isArray,
  isNumber,
  isObject,
  Range,
  RecordId,
  SetValue,
  type Value,
} from '../../value/value.js';
import { frameAt } from './document-frame.js';
import { isKeyField, type PartStep, type Step } from './step.js';

/** The step `[index]`; a constant index is evaluated when the path is compiled. */
export function indexStep(index: Expression, compiler: Compiler): PartStep {
  const known = constantValue(index);
  if (known !== undefined) return { apply: (value, frame) => elementAt(value, known.value, frame) };
  const evaluate = compiler.expression(index);
  return { apply: (value, frame) => andThen(evaluate(frame), (at) => elementAt(value, at, frame)) };
}

/** An element by its place, a field by its name, a slice by a range; NONE where there is no such thing. */
function elementAt(value: Value, index: Value, frame: Frame): Value {
  if (!(value instanceof RecordId)) return plainElementAt(value, index);
  // Indexes of a record id apply to its key; the record isn't read.
  const isKnown = typeof index !== 'string' || isKeyField(value, index, frame);
  return isKnown ? plainElementAt(value.key as Value, index) : undefined;
}

/** The same of what isn't a record id. */
export function plainElementAt(value: Value, index: Value): Value {
  if (isObject(value)) {
    const name = indexAsFieldName(index);
    return name === undefined ? undefined : value[name];
  }
  if (isArray(value) && index instanceof Range) return slice(value, index);
  const items = value instanceof SetValue ? value.items : value;
  return isArray(items) && isNumber(index) ? items[Math.trunc(toNumber(index))] : undefined;
}

/** An index as the name of a field: `{`1.5`: 'x'}[1.5]`. */
export function indexAsFieldName(index: Value): string | undefined {
  if (typeof index === 'string') return index;
  return isNumber(index) ? `${index instanceof Float || index instanceof Decimal ? index.number : index}` : undefined;
}

function slice(items: ArrayValue, { start, end }: Range): Value {
  const from = start === undefined ? 0 : intBound(start) + (start.inclusive ? 0 : 1);
  const to = end === undefined ? items.length : intBound(end) + (end.inclusive ? 1 : 0);
  return from < 0 || from > to || to > items.length ? undefined : items.slice(from, to);
}

function intBound({ value }: Bound): number {
  try {
    return Number(coerce(value, { kind: 'int' }));
  } catch (error) {
    if (!(error instanceof CoercionError)) throw error;
    throw failure('invalid_slice', { value: toErrorText(value) });
  }
}

/** `[$]`. */
export const LAST: PartStep = { apply: lastElement };

/** The last element; a value that isn't an array is its own last element. */
export function lastElement(value: Value): Value {
  return isArray(value) ? value.at(-1) : value;
}

/** The step `[WHERE condition]`. */
export function whereStep(condition: Expression, compiler: Compiler): PartStep {
  return { apply: compileElementFilter(condition, compiler) };
}

/** Keeps the elements that meet a condition; a value that isn't an array counts as an array of one element. */
export function compileElementFilter(condition: Expression, compiler: Compiler, frameOf = frameAt): Step {
  const holds = compiler.expression(condition);
  return (value, frame) => {
    const items = isArray(value) ? value : [value];
    const verdicts = mapInOrder(items, (item) =>
      andThen(frame.execution.interrupt.checkpoint(CALL), () => andThen(holds(frameOf(frame, item)), isTruthy)),
    );
    return andThen(verdicts, (kept) => items.filter((_, index) => kept[index]));
  };
}
