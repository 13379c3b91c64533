import { isPromise, type PromiseOrValue } from '../base/promise-or-value.js';
import { asTesseraError } from '../errors/error.js';
import type { Engine } from '../storage/contract.js';
import type { StatementResult } from './contract.js';

/** What a session has done and seen that may not be durable yet. Nobody may be told of it before. */
export class Unsettled {
  readonly #engine: Pick<Engine, 'durable'>;
  #durable: Promise<void> | undefined;

  constructor(engine: Pick<Engine, 'durable'>) {
    this.#engine = engine;
  }

  /** Whether there is any: only transactions that begin early see it then. */
  get isThere(): boolean {
    return this.#durable !== undefined;
  }

  /** Waits until all of it is durable. @throws TesseraError `storage_unavailable`: it never will be */
  get durable(): PromiseOrValue<void> {
    return this.#durable;
  }

  /** Results when they may be told. Where they are lost, nothing of them is told but that. */
  telling(results: StatementResult[]): PromiseOrValue<StatementResult[]> {
    if (this.#durable === undefined) return results;
    return this.#durable.then(
      () => results,
      (thrown) => {
        const error = asTesseraError(thrown);
        return results.map((result) => ({ ...result, outcome: { ok: false, error } }));
      },
    );
  }

  /** Something was placed just now, or read that was. */
  note(): void {
    const durable = this.#engine.durable();
    if (!isPromise(durable) || durable === this.#durable) return;
    this.#durable = durable;
    // What has failed stays so.
    const over = () => {
      if (this.#durable === durable) this.#durable = undefined;
    };
    durable.then(over, () => {});
  }
}
