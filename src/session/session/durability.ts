/** Commits that are accepted and not durable yet: later statements may see them, replies wait for them. */
import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { asTesseraError } from '../../errors/error.js';
import type { BeginOptions, Engine, Transaction, WaitInterrupt } from '../../storage/contract.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import { cancelled } from '../../storage/retry.js';
import type { Span } from '../../tracing/tracer.js';
import type { StatementResult } from '../statement-executor.js';

/**
 * Tracks the accepted commits that a session or request has written or read and that aren't durable yet. Replies wait
 * for `durable`.
 */
export class DurabilityTracker {
  readonly #engine: Pick<Engine, 'earlyAnswers'>;
  /**
   * Resolves when all of them are durable; `undefined`: none is pending. Only if one is, transactions may begin on
   * accepted commits. Rejects with `storage_unavailable` if they cannot become durable.
   */
  durable: Promise<void> | undefined = undefined;

  constructor(engine: Pick<Engine, 'earlyAnswers'>) {
    this.#engine = engine;
  }

  /** Call after accepting a commit, or after reading accepted commits. */
  note(): void {
    const durable = this.#engine.earlyAnswers?.durable();
    if (!isPromise(durable) || durable === this.durable) return;
    this.durable = durable;
    // A failure is kept.
    const over = () => {
      if (this.durable === durable) this.durable = undefined;
    };
    durable.then(over, () => {});
  }
}

/**
 * The results of a request once they are durable; if durability fails, every result is replaced by that error. The wait
 * is a part of `span`.
 */
export function whenDurable(
  results: PromiseOrValue<StatementResult[]>,
  durability: DurabilityTracker,
  span?: Span,
): PromiseOrValue<StatementResult[]> {
  if (isPromise(results)) return results.then((all) => afterCommits(all, durability, span));
  return durability.durable === undefined ? results : afterCommits(results, durability, span);
}

function afterCommits(
  results: StatementResult[],
  { durable }: DurabilityTracker,
  span: Span | undefined,
): PromiseOrValue<StatementResult[]> {
  if (durable === undefined) return results;
  const wait = span?.begin('store wait');
  const settled = unlessLost(results, durable);
  return wait === undefined ? settled : settled.finally(() => wait.end());
}

function unlessLost(results: StatementResult[], durable: Promise<void>): Promise<StatementResult[]> {
  const lost = (thrown: unknown): StatementResult[] => {
    const error = asTesseraError(thrown);
    return results.map((result) => ({ ...result, outcome: { ok: false, error } }));
  };
  return durable.then(() => results, lost);
}

const READ_ONLY: BeginOptions = { writable: false };

/**
 * A read-only transaction that shows the session's own writes: on accepted commits, if some of these may not be
 * durable yet. The wait for the store ends with the interrupt.
 */
export function beginSnapshot(
  engine: Engine,
  durability: DurabilityTracker,
  interrupt: WaitInterrupt,
): PromiseOrValue<Transaction> {
  if (engine.earlyAnswers === undefined || durability.durable === undefined) {
    const options = interrupt.waiting === undefined ? READ_ONLY : { writable: false, interrupt };
    return untilInterrupted(interrupt, engine.begin(options), cancelled);
  }
  const begun = untilInterrupted(interrupt, engine.earlyAnswers.beginOnAccepted(READ_ONLY), cancelled);
  return andThen(begun, (transaction) => {
    durability.note();
    return transaction;
  });
}
