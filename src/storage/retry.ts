import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { TesseraError } from '../errors/error.js';
import type { BeginOptions, Engine, Transaction } from './contract.js';

/** How often work is tried among others before it is given the engine to itself. */
const ATTEMPTS = 5;

/**
 * Runs `work` in a read-write transaction and commits it. If that conflicts, all of it is done again in a new transaction; after some
 * attempts exclusively, so that it never fails with a conflict in the end. `work` must therefore change nothing but the transaction.
 *
 * Stays synchronous on an engine that does.
 */
export function withRetries<T>(
  engine: Engine,
  work: (transaction: Transaction) => PromiseOrValue<T>,
  attempts = ATTEMPTS,
): PromiseOrValue<T> {
  return inTransaction(
    (options) => engine.begin(options),
    work,
    commit,
    (error) => {
      if (!isConflict(error)) throw error;
      if (attempts > 1) return withRetries(engine, work, attempts - 1);
      return engine.exclusively((begin) => inTransaction(begin, work, commit, rethrow));
    },
  );
}

/**
 * The same, done as soon as the commit has its place (`Transaction.place`). With `early` it sees what is placed when it begins (`beginEarly`),
 * as it does in any case after a conflict.
 */
export function withRetriesPlaced<T>(
  engine: Engine,
  work: (transaction: Transaction) => PromiseOrValue<T>,
  early: boolean,
  attempts = ATTEMPTS,
): PromiseOrValue<T> {
  return inTransaction(
    (options) => (early ? engine.beginEarly(options) : engine.begin(options)),
    work,
    place,
    (error) => {
      if (!isConflict(error)) throw error;
      if (attempts > 1) return withRetriesPlaced(engine, work, true, attempts - 1);
      return engine.exclusively((begin) => inTransaction(begin, work, place, rethrow));
    },
  );
}

/** The same beside everything else (`BeginOptions.aside`): it may be run within the work of another transaction. */
export function withRetriesAside<T>(
  engine: Engine,
  work: (transaction: Transaction) => PromiseOrValue<T>,
  attempts = ATTEMPTS,
): PromiseOrValue<T> {
  return inTransaction(
    (options) => engine.begin({ ...options, aside: true }),
    work,
    commit,
    (error) => {
      if (attempts > 1 && isConflict(error)) return withRetriesAside(engine, work, attempts - 1);
      throw error;
    },
  );
}

function isConflict(error: unknown): boolean {
  return error instanceof TesseraError && error.code === 'transaction_conflict';
}

function rethrow(error: unknown): never {
  throw error;
}

const commit = (transaction: Transaction) => transaction.commit();
const place = (transaction: Transaction) => transaction.place();

/** `end` commits what `work` did. What fails is taken back and handed to `failed`. */
function inTransaction<T>(
  begin: (options: BeginOptions) => PromiseOrValue<Transaction>,
  work: (transaction: Transaction) => PromiseOrValue<T>,
  end: (transaction: Transaction) => PromiseOrValue<void>,
  failed: (error: unknown) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  return andThen(begin({ writable: true }), (transaction) =>
    otherwise(
      () => andThen(work(transaction), (result) => andThen(end(transaction), () => result)),
      (error) => {
        transaction.cancel();
        return failed(error);
      },
    ),
  );
}
