/** The errors of a store on disk whose files can't be used. */
import { failure, messageOf, TesseraError } from '../../../errors/error.js';

/** The folder couldn't be opened. An error of the catalogue says by itself why. */
export function unopened(folder: string, error: unknown): TesseraError {
  return error instanceof TesseraError ? error : unavailable(`can't open ${folder}`, error);
}

/** A read failed. */
export function unreadable(error: unknown): TesseraError {
  return unavailable('a read failed', error);
}

/** A write failed after it had begun. */
export function unwritable(error: unknown): TesseraError {
  return unavailable('a write failed', error);
}

function unavailable(what: string, cause: unknown): TesseraError {
  return failure('storage_unavailable', { reason: `${what}: ${messageOf(cause)}` }, { cause });
}
