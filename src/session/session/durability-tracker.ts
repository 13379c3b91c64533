import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { asTesseraError } from '../../errors/error.js';
import type { Engine } from '../../storage/contract.js';
import type { StatementResult } from '../statement-executor.js';

/** What was done and seen, by a session or in a request, that may not be durable yet. Nobody may be told of it before. */
export class DurabilityTracker {
  readonly #engine: Pick<Engine, 'earlyAnswers'>;
  #durable: Promise<void> | undefined;

  constructor(engine: Pick<Engine, 'earlyAnswers'>) {
    this.#engine = engine;
  }

  /** Whether there is any: only transactions that begin on accepted commits see it then. */
  get isPending(): boolean {
    return this.#durable !== undefined;
  }

  /** Waits until all of it is durable. @throws TesseraError `storage_unavailable`: it never will be */
  get durable(): PromiseOrValue<void> {
    return this.#durable;
  }

  /** Something was accepted just now, or read that was. */
  note(): void {
    const durable = this.#engine.earlyAnswers?.durable();
    if (!isPromise(durable) || durable === this.#durable) return;
    this.#durable = durable;
    // What has failed stays so.
    const over = () => {
      if (this.#durable === durable) this.#durable = undefined;
    };
    durable.then(over, () => {});
  }
}

/** Results of work when they may be told. Where what was done is lost, nothing is told of it but that. */
export function whenDurable(
  engine: Pick<Engine, 'earlyAnswers'>,
  work: (durability: DurabilityTracker) => PromiseOrValue<StatementResult[]>,
): PromiseOrValue<StatementResult[]> {
  const durability = new DurabilityTracker(engine);
  return andThen(work(durability), (results) => {
    const { durable } = durability;
    if (!isPromise(durable)) return results;
    const lost = (thrown: unknown): StatementResult[] => {
      const error = asTesseraError(thrown);
      return results.map((result) => ({ ...result, outcome: { ok: false, error } }));
    };
    return durable.then(() => results, lost);
  });
}
