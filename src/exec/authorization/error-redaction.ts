/**
 * What may be told of errors. Code that the owner of a schema wrote (events, clauses of fields, computed fields) looks at what the client
 * may not see, and the texts of its errors quote what they stumbled over.
 */
import { otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Execution } from '../runtime/execution.js';

/** Whether an error is the outcome of what was run, rather than a deadline, a cancellation, a conflict, or a fault of ours. */
export function isQueryError(error: unknown): error is TesseraError {
  return error instanceof TesseraError && error.kind !== 'Query';
}

/** Whether the text of an error quotes nothing but what its author meant to be read. */
export function isSafeToExpose(error: unknown): boolean {
  if (!isQueryError(error)) return true;
  if (error.code === 'event_failed' || error.code === 'references_failed') return isSafeToExpose(error.cause);
  return error.kind === 'Thrown' || error.kind === 'NotAllowed' || error.code === 'computation_too_deep';
}

/** Runs stored code; those from whom something may be hidden aren't told why it fails, unless it THROWs. */
export function withErrorRedaction<T>(
  execution: Execution,
  what: string,
  work: () => PromiseOrValue<T>,
): PromiseOrValue<T> {
  if (!execution.checks.view) return work();
  return otherwise(work, (error) => {
    throw isSafeToExpose(error) ? error : failure('stored_code_failed', { what }, { cause: error });
  });
}
