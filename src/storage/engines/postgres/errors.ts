/** What PostgreSQL and the network say, in the terms of the storage contract. */
import pg from 'pg';
import { failure, TesseraError } from '../../../errors/error.js';

/** SQLSTATEs of a serialization failure and of a deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);

/** @returns `transaction_conflict`, or `storage_unavailable` with what the server said */
export function storageError(error: unknown): TesseraError {
  if (error instanceof TesseraError) return error;
  if (error instanceof pg.DatabaseError && error.code !== undefined && CONFLICTS.has(error.code)) {
    return failure('transaction_conflict');
  }
  const reason = error instanceof Error ? error.message : String(error);
  return failure('storage_unavailable', { reason }, { cause: error });
}

/**
 * Whether the server has answered that a statement failed, so that it is known that nothing of it was done. An error
 * that ends the connection (`FATAL`, as when the server is shut down) doesn't say so.
 */
export function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}
