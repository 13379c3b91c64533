/** LIVE QUERY: answers a result, and keeps it right (`session/results/`). */

import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Expression, LiveResult } from '../../language/ast.js';
import { printStatement } from '../../language/print.js';
import { walk } from '../../language/visitor.js';
import { CONTROL_STATEMENTS } from '../../plan/effects.js';
import type { LiveResultRequest } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import { toText } from '../../value/text/text.js';
import { durationMilliseconds } from '../../value/time/duration.js';
import { Duration, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { keptWith, readSince } from './live.js';

/** Milliseconds. */
const LEAST_PERIOD = 100;

/** @throws TesseraError `live_result_statement`, `live_result_period` */
export function compileLiveResult(statement: LiveResult, compiler: Compiler): Evaluate {
  const { since, ...asked } = statement;
  const { expression, diff, every } = statement;
  assertReads(expression);
  const evaluate = compiler.expression(expression);
  const evaluateSince = since && compiler.expression(since);
  const { parameters, weight } = keptWith(asked);
  const printed = printStatement(asked);
  const period = every && periodOf(every.value);
  const isOrdered = orderMatters(expression);
  return (frame) => {
    const variables = new Scope();
    for (const name of parameters) if (frame.scope.has(name)) variables.set(name, frame.scope.get(name));
    const values = parameters.map((name) => variables.get(name));
    return andThen(evaluateSince?.(frame), (from) => {
      const request: LiveResultRequest = {
        evaluate: (execution) => evaluate(new Frame(execution, new Scope(variables))),
        text: `${printed} ${toText(values)}`,
        isOrdered,
        isPatched: diff,
        period,
        since: since && { stamp: readSince(from) },
        weight: weight + weightOf(...values),
      };
      return frame.execution.services.liveResults.begin(frame.execution, request);
    });
  };
}

/** What a live result may consist of: everything else writes, or shows what isn't in the transaction. */
const MAY_STAND: ReadonlySet<string> = new Set([...CONTROL_STATEMENTS, 'select']);

function assertReads(expression: Expression): void {
  walk(
    { kind: 'expression', expression },
    {
      statement: ({ kind }) => {
        if (!MAY_STAND.has(kind)) {
          throw failure('live_result_statement', { statement: kind.replaceAll('-', ' ').toUpperCase() });
        }
      },
    },
  );
}

function periodOf(every: Value): number {
  return checkedPeriod(every instanceof Duration ? durationMilliseconds(every) : 0);
}

/** Milliseconds. @throws TesseraError `live_result_period` */
export function checkedPeriod(milliseconds: number): number {
  if (milliseconds < LEAST_PERIOD) throw failure('live_result_period', { least: `${LEAST_PERIOD}ms` });
  return milliseconds;
}

/** Rows of a SELECT without ORDER come in any order; the order of others may be meant. */
function orderMatters(expression: Expression): boolean {
  if (expression.kind !== 'subquery' || expression.statement.kind !== 'select') return true;
  return expression.statement.order !== undefined;
}
