/** Errors of PostgreSQL and the network as errors of the storage contract. */
import pg from 'pg';
import { failure, messageOf, TesseraError } from '../../errors/error.js';
import type { SqlDialect } from './dialect.js';

type MakeFailure = (reason: string) => TesseraError;

const conflict: MakeFailure = () => failure('transaction_conflict');
const denied: MakeFailure = (reason) => failure('storage_denied', { reason });

/** By SQLSTATE (PostgreSQL's documentation, appendix "Error Codes"); all others are `storage_unavailable`. */
const FAILURES: Readonly<Record<string, MakeFailure>> = {
  // Serialization failure, deadlock.
  '40001': conflict,
  '40P01': conflict,
  // A role or its password, a permission, a database that isn't there.
  '28000': denied,
  '28P01': denied,
  '42501': denied,
  '3D000': denied,
  // A feature that the server doesn't have, as advisory locks where they are switched off.
  '0A000': (reason) => failure('storage_unsupported', { database: 'The server', reason }),
  // Disk full.
  '53100': (reason) => failure('storage_full', { reason }),
  // Of `settle_group_v1`.
  TS002: (reason) => failure('commit_outcome_unknown', { reason }),
};

/** @returns the failure for an error of the server or the network, with its text */
export function storageError(error: unknown): TesseraError {
  if (error instanceof TesseraError) return error;
  const reason = messageOf(error);
  const make = FAILURES[sqlState(error) ?? ''];
  return make?.(reason) ?? failure('storage_unavailable', { reason }, { cause: error });
}

/** Whether a group of commits was refused as `GroupTooOld` says. */
export function isTooOld(error: unknown): boolean {
  return sqlState(error) === 'TS003';
}

/** Whether the server takes no more connections for now. */
export function isOverfull(error: unknown): boolean {
  return sqlState(error) === '53300';
}

/**
 * Whether the server has answered that a statement failed, so that nothing of it was applied. An error
 * that ends the connection (`FATAL`, as when the server is shut down) doesn't say so.
 */
export function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}

/** Whether the error answer to a commit guarantees, in this dialect, that nothing of it was or will be applied. */
export function isRefusal(error: unknown, dialect: SqlDialect): boolean {
  return isAnswer(error) && dialect.isRefusal(sqlState(error) ?? '');
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
