/** What clients learn of the errors of SIGNUP, SIGNIN and AUTHENTICATE clauses. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, TesseraError } from '../../errors/error.js';

/**
 * Runs a clause and replaces errors that would reveal internals.
 * @param detailed the access method says which field is why
 * @throws TesseraError `failedAs`, and what clients may see: `thrown`, `hashing_busy`, `unexpected_auth`,
 * `signup_conflict`, `signup_invalid`
 */
export async function judged<T>(
  failedAs: 'invalid_auth' | 'record_access_signup_query_failed',
  run: () => PromiseOrValue<T>,
  detailed = false,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TesseraError)) throw failure(failedAs, undefined, { cause: error });
    const outward = OUTWARD.get(error.code);
    if (outward === 'itself') throw error;
    const told = detailed ? DETAILED.get(error.code) : undefined;
    if (told !== undefined) throw failure(told, { field: error.fields.join(', ') }, { cause: error });
    throw failure(outward ?? failedAs, undefined, { cause: error });
  }
}

/** What a sign-up reveals of errors with ERRORS DETAILED. */
const DETAILED: ReadonlyMap<ErrorCode, 'signup_conflict' | 'signup_invalid'> = new Map<
  ErrorCode,
  'signup_conflict' | 'signup_invalid'
>([
  ['index_violation', 'signup_conflict'],
  ['record_exists', 'signup_conflict'],
  ['field_assert', 'signup_invalid'],
  ['field_coercion', 'signup_invalid'],
]);

/** Errors returned to the client: THROW is meant for it; the others are retryable. */
const OUTWARD: ReadonlyMap<ErrorCode, 'itself' | 'unexpected_auth'> = new Map<ErrorCode, 'itself' | 'unexpected_auth'>([
  ['thrown', 'itself'],
  ['hashing_busy', 'itself'],
  ['account_exists', 'itself'],
  ['transaction_conflict', 'unexpected_auth'],
  ['storage_unavailable', 'unexpected_auth'],
]);
