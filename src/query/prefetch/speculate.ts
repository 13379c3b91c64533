/**
 * Speculative results of a statement for later records, so that their reads can
 * be prefetched for many at once. The values that are written are evaluated again in order.
 */
import { unawaited } from '../../base/promise-or-value.js';
import { TesseraError } from '../../errors/error.js';
import type { Data, Expression, Part } from '../../language/ast.js';
import { walk } from '../../language/visitor.js';
import type { Execution } from '../../runtime/execution.js';
import type { Draft } from '../../runtime/record-access.js';
import type { ObjectValue } from '../../value/value.js';

/**
 * Whether the data of a statement consists of values and fields only, so that evaluating it twice has no side effects.
 */
export function isSpeculable(data: Data | undefined): boolean {
  return data === undefined || expressionsOfData(data).every(isPlainExpression);
}

/** The same for an expression. */
export function isPlainExpression(expression: Expression): boolean {
  let plain = true;
  walk(expression, {
    expression: (each) => {
      plain &&= isPlainNode(each);
      return plain;
    },
    statement: () => {
      plain = false;
      return false;
    },
  });
  return plain;
}

/** The result of a draft for a record, if it is available synchronously and without an error. */
export function speculate(
  { request: { memory } }: Execution,
  draft: Draft,
  before: ObjectValue | undefined,
): ObjectValue | undefined {
  try {
    const drafted = memory.within(() => unawaited(draft(before)));
    return drafted instanceof Promise ? undefined : drafted;
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

/** The expressions of the data of a statement. */
export function expressionsOfData(data: Data): readonly Expression[] {
  switch (data.kind) {
    case 'set':
      return data.assignments.flatMap(({ path, value }) => [path, value]);
    case 'unset':
      return data.paths;
    default:
      return [data.value];
  }
}

const PLAIN: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  'literal',
  'constant',
  'param',
  'array',
  'set',
  'object',
  'range',
  'unary',
  'binary',
  'cast',
]);

/** Functions that take no closures. */
const PLAIN_FUNCTIONS = /^(math|string|time)::/;

function isPlainNode(expression: Expression): boolean {
  if (expression.kind === 'idiom') return expression.parts.every(isName);
  if (expression.kind === 'record-id') return expression.key.kind !== 'generate';
  if (expression.kind === 'call') return PLAIN_FUNCTIONS.test(expression.path);
  return PLAIN.has(expression.kind);
}

function isName({ kind }: Part): boolean {
  return kind === 'field';
}
