import type { Statement } from '../../language/ast.js';
import type { Value } from '../../value/value.js';
import type { StatementResult } from '../statement-executor.js';

export function succeeded(value: Value): StatementResult['outcome'] {
  return { ok: true, value };
}

/** The result of a statement, as answers have it. `milliseconds` is the time it took. */
export function resultOf(
  { kind }: Statement,
  milliseconds: number,
  outcome: StatementResult['outcome'],
): StatementResult {
  const time = BigInt(Math.round(milliseconds * 1e6));
  return kind === 'live' || kind === 'kill' ? { time, outcome, type: kind } : { time, outcome };
}
