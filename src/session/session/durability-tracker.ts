import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { asTesseraError } from '../../errors/error.js';
import type { Engine } from '../../storage/contract.js';
import type { Span } from '../../tracing/tracer.js';
import type { StatementResult } from '../statement-executor.js';

/**
 * Tracks the accepted commits that a session or request has written or read and that aren't durable yet. Replies wait
 * for `durable`.
 */
export class DurabilityTracker {
  readonly #engine: Pick<Engine, 'earlyAnswers'>;
  #durable: Promise<void> | undefined;

  constructor(engine: Pick<Engine, 'earlyAnswers'>) {
    this.#engine = engine;
  }

  /** Whether any are pending: only then may transactions begin on accepted commits. */
  get isPending(): boolean {
    return this.#durable !== undefined;
  }

  /**
   * Resolves when all of them are durable.
   * @throws TesseraError `storage_unavailable` if they cannot become durable
   */
  get durable(): PromiseOrValue<void> {
    return this.#durable;
  }

  /** Call after accepting a commit, or after reading accepted commits. */
  note(): void {
    const durable = this.#engine.earlyAnswers?.durable();
    if (!isPromise(durable) || durable === this.#durable) return;
    this.#durable = durable;
    // A failure is kept.
    const over = () => {
      if (this.#durable === durable) this.#durable = undefined;
    };
    durable.then(over, () => {});
  }
}

/**
 * Runs `work` and returns its results once they are durable; if durability fails, every result is replaced by that
 * error. The wait is a part of `span`.
 */
export function whenDurable(
  engine: Pick<Engine, 'earlyAnswers'>,
  work: (durability: DurabilityTracker) => PromiseOrValue<StatementResult[]>,
  span?: Span,
): PromiseOrValue<StatementResult[]> {
  const durability = new DurabilityTracker(engine);
  const results = work(durability);
  return isPromise(results) ? afterRun(results, durability, span) : afterCommits(results, durability, span);
}

function afterRun(
  running: Promise<StatementResult[]>,
  durability: DurabilityTracker,
  span: Span | undefined,
): Promise<StatementResult[]> {
  return running.then((results) => afterCommits(results, durability, span));
}

function afterCommits(
  results: StatementResult[],
  { durable }: DurabilityTracker,
  span: Span | undefined,
): PromiseOrValue<StatementResult[]> {
  if (!isPromise(durable)) return results;
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
