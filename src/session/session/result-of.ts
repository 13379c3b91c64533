import type { Statement } from '../../language/ast.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { StatementResult } from '../statement-executor.js';

/** The result of a statement, as answers have it. `milliseconds` is the time it took. */
export function resultOf(
  { kind }: Statement,
  milliseconds: number,
  outcome: StatementResult['outcome'],
): StatementResult {
  const time = BigInt(Math.round(milliseconds * 1e6));
  return kind === 'live' || kind === 'kill' ? { time, outcome, type: kind } : { time, outcome };
}

/** Counts a statement by kind and outcome. */
export function countResult(
  metrics: ServerMetrics | undefined,
  { kind }: Statement,
  { time, outcome }: StatementResult,
): void {
  metrics?.statement(kind, Number(time) / 1e6, outcome.ok ? undefined : outcome.error.code);
}
