/**
 * Error redaction. Stored code (events, clauses of fields, computed fields) reads data that the client may not see, and
 * its error texts quote values.
 */
import { otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, TesseraError } from '../../errors/error.js';
import { memoryErrors } from '../../errors/sections/memory.js';
import type { Execution } from '../execution.js';

/** What the store or the machine lacks at the moment, whatever is run. */
const PASSING: ReadonlySet<string> = new Set<ErrorCode>([
  ...(Object.keys(memoryErrors) as (keyof typeof memoryErrors)[]),
  'storage_unavailable',
  'storage_denied',
  'storage_full',
]);

/**
 * Whether an error is the outcome of what was run, rather than a deadline, a cancellation, a conflict, a store that
 * doesn't answer, or a fault of ours.
 */
export function isQueryError(error: unknown): error is TesseraError {
  return error instanceof TesseraError && error.kind !== 'Query' && !PASSING.has(error.code);
}

/** Whether the text of an error quotes only what its author meant to be read. */
export function isSafeToExpose(error: unknown): boolean {
  if (!isQueryError(error)) return true;
  if (error.code === 'event_failed' || error.code === 'references_failed') return isSafeToExpose(error.cause);
  return error.kind === 'Thrown' || error.kind === 'NotAllowed' || error.code === 'computation_too_deep';
}

/** Runs stored code. For a principal whom PERMISSIONS apply to, errors other than THROW are redacted. */
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
