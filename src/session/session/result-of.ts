import type { Statement } from '../../language/ast.js';
import type { RequestMemory } from '../../runtime/request-memory.js';
import type { Value } from '../../value/value.js';
import { weightOfResult } from '../../value/weight.js';
import type { StatementResult } from '../statement-executor.js';

export type KeptOutcome = StatementResult['outcome'];

export function succeeded(value: Value): KeptOutcome {
  return { ok: true, value };
}

/** The result of a statement, as answers have it. `milliseconds` is the time it took. */
export function resultOf({ kind }: Statement, milliseconds: number, outcome: KeptOutcome): StatementResult {
  const time = BigInt(Math.round(milliseconds * 1e6));
  return kind === 'live' || kind === 'kill' ? { time, outcome, type: kind } : { time, outcome };
}

/** Bytes of a completed statement besides its value: tree, closure, outcome. Those of short texts are free. */
const RESULT = 512;
const FEW_RESULTS = 64;

/** Charges an outcome that is kept behind `count` others, of a value what isn't charged yet. */
export function chargeOutcome(memory: RequestMemory, outcome: KeptOutcome, count: number): void {
  if (count >= FEW_RESULTS) memory.charge(RESULT);
  if (outcome.ok) return;
  memory.charge(weightOfResult(outcome.error.message));
  if (count >= FEW_RESULTS) dropStack(outcome.error);
}

/**
 * V8 keeps the functions of an error's stack with it, and so all that its statement was compiled to, until the stack is
 * read or set.
 */
function dropStack(error: Error): void {
  error.stack = '';
  if (error.cause instanceof Error) dropStack(error.cause);
}
