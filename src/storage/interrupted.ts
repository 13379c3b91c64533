/** Waiting for the store that ends when it has to, whether or not the store ever answers. */
import { isPromise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Transaction, WaitInterrupt } from './contract.js';

/**
 * Milliseconds that a commit has for its answer after the interruption, so that most outcomes become known.
 */
export const COMMIT_GRACE = 50;

/**
 * The store's answer, or the reason why the wait had to end; a later answer is passed to
 * `discard`.
 * @throws TesseraError the reason
 */
export function untilInterrupted<T>(
  interrupt: WaitInterrupt | undefined,
  answer: PromiseOrValue<T>,
  discard?: (late: T) => void,
): PromiseOrValue<T> {
  if (interrupt === undefined || !isPromise(answer)) return answer;
  return race(answer, interrupt, { grace: 0, failureOf: (reason) => reason, discard });
}

/**
 * Commits a transaction. One whose answer doesn't come in time is cancelled, which frees what it holds in this process;
 * whether it was applied isn't known then.
 * @throws TesseraError `commit_outcome_unknown`, and what the commit throws
 */
export function commitInterruptibly(
  interrupt: WaitInterrupt | undefined,
  transaction: Transaction,
  commit: (transaction: Transaction) => PromiseOrValue<void>,
): PromiseOrValue<void> {
  const committed = commit(transaction);
  if (interrupt === undefined || !isPromise(committed)) return committed;
  return race(committed, interrupt, {
    grace: COMMIT_GRACE,
    failureOf(reason) {
      transaction.cancel();
      return failure('commit_outcome_unknown', { reason: reason.message }, { cause: reason });
    },
  });
}

interface Ending<T> {
  /** Milliseconds that it still waits. */
  readonly grace: number;
  failureOf(reason: TesseraError): TesseraError;
  readonly discard?: ((late: T) => void) | undefined;
}

function race<T>(answer: Promise<T>, interrupt: WaitInterrupt, { grace, failureOf, discard }: Ending<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let stop: (() => void) | undefined;
    const waited = interrupt.waiting?.();
    const end = () => {
      isOver = true;
      stop?.();
      waited?.();
    };
    stop = interrupt.onEnd((reason) => {
      if (isOver) return;
      end();
      reject(failureOf(reason));
    }, grace);
    // It has called back already.
    if (isOver) stop();
    answer.then(
      (value) => {
        if (isOver) return discard?.(value);
        end();
        resolve(value);
      },
      (error) => {
        if (isOver) return;
        end();
        reject(error);
      },
    );
  });
}
