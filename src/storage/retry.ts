/** Runs work in a transaction and repeats it on a conflict; the one loop for retries, with and without durability. */
import { andThen, lastly, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { TesseraError } from '../errors/error.js';
import type { BeginOptions, Engine, Reservation, Transaction } from './contract.js';
import { commitInterruptibly, untilInterrupted } from './interrupted.js';

/**
 * Number of attempts before work reserves its read set, and of further attempts at most, within the time of its
 * reservation.
 */
const ATTEMPTS = 5;
const RESERVED_ATTEMPTS = 20;

/**
 * The interrupt of its waits for the store and for the reservations of others, its memory bound, and whether it is
 * maintenance.
 */
export type WorkOptions = Pick<BeginOptions, 'interrupt' | 'memory' | 'maintenance'> & {
  /** Called with each attempt that conflicts. */
  readonly onConflict?: (() => void) | undefined;
};

/**
 * Runs `work` in a read-write transaction and commits it. If that conflicts, all of it is done again in a new
 * transaction; after some attempts it reserves its read set (`Reservation`). `work` must therefore change nothing but
 * the transaction.
 *
 * Stays synchronous on an engine that does, unless it has to wait for a reservation.
 *
 *     withRetries(engine, (transaction) => transaction.put(key, value))
 *
 * @throws TesseraError `transaction_conflict` if it still conflicts when its reservation is over
 */
export function withRetries<T>(
  engine: Engine,
  work: (transaction: Transaction) => PromiseOrValue<T>,
  options: WorkOptions = {},
): PromiseOrValue<T> {
  return attempt({
    // It must see the commits that it has waited for.
    begin: (options) =>
      options.reservation === undefined
        ? engine.begin(options)
        : andThen(engine.earlyAnswers?.durable(), () => engine.begin(options)),
    work,
    end: (transaction) => transaction.commit(),
    options,
  });
}

/**
 * The same, done as soon as the commit is accepted, where the engine answers before durability (`EarlyAnswers`). With
 * `onAccepted` it sees what is accepted when it begins, as it does in any case after a conflict.
 */
export function withRetriesAccepted<T>(
  engine: Engine,
  work: (transaction: Transaction) => PromiseOrValue<T>,
  onAccepted: boolean,
  options: WorkOptions = {},
): PromiseOrValue<T> {
  const { earlyAnswers } = engine;
  if (earlyAnswers === undefined) return withRetries(engine, work, options);
  return attempt({
    begin: (options, isFirst) =>
      isFirst && !onAccepted ? engine.begin(options) : earlyAnswers.beginOnAccepted(options),
    work,
    end: (transaction) => earlyAnswers.accept(transaction),
    options,
  });
}

/** Whether it is `transaction_conflict`: another commit came first, and the work may be done again. */
export function isConflict(error: unknown): boolean {
  return error instanceof TesseraError && error.code === 'transaction_conflict';
}

/** Work that may be done again. */
interface Repeatable<T> {
  begin(options: BeginOptions, isFirst: boolean): PromiseOrValue<Transaction>;
  work(transaction: Transaction): PromiseOrValue<T>;
  end(transaction: Transaction): PromiseOrValue<void>;
  readonly options: WorkOptions;
}

function attempt<T>(repeatable: Repeatable<T>, made = 0): PromiseOrValue<T> {
  return once(repeatable, { isFirst: made === 0 }, (failed) => {
    if (made + 1 < ATTEMPTS) return attempt(repeatable, made + 1);
    const reserved = untilInterrupted(repeatable.options.interrupt, failed.reserve(), (late) => late.release());
    return andThen(reserved, (reservation) =>
      lastly(
        () => attemptReserved(repeatable, reservation),
        () => reservation.release(),
      ),
    );
  });
}

function attemptReserved<T>(repeatable: Repeatable<T>, reservation: Reservation, made = 0): PromiseOrValue<T> {
  return once(repeatable, { isFirst: false, reservation }, (failed, error) => {
    if (reservation.isOver || made + 1 === RESERVED_ATTEMPTS) throw error;
    const reserved = untilInterrupted(repeatable.options.interrupt, failed.reserve());
    return andThen(reserved, () => attemptReserved(repeatable, reservation, made + 1));
  });
}

/**
 * Runs it in a new transaction. After a conflict `again` gets the transaction; after another error it is rolled back.
 */
function once<T>(
  { begin, work, end, options }: Repeatable<T>,
  { isFirst, reservation }: { readonly isFirst: boolean; readonly reservation?: Reservation },
  again: (failed: Transaction, error: unknown) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  const { interrupt, memory, maintenance } = options;
  const begun = begin({ writable: true, reservation, interrupt, memory, maintenance }, isFirst);
  return andThen(untilInterrupted(interrupt, begun, cancelled), (transaction) =>
    otherwise(
      () =>
        andThen(work(transaction), (result) =>
          andThen(commitInterruptibly(interrupt, transaction, end), () =>
            // Others wait for a reservation.
            reservation === undefined ? andThen(transaction.pace?.(), () => result) : result,
          ),
        ),
      (error) => {
        transaction.cancel();
        if (!isConflict(error)) throw error;
        options.onConflict?.();
        return again(transaction, error);
      },
    ),
  );
}

/** Cancels a transaction whose caller no longer waits. */
export function cancelled(transaction: Transaction): void {
  transaction.cancel();
}
