import { failure } from '../errors/error.js';

/** Bounds on what the live queries of one connection take up. */
export interface LiveLimits {
  readonly queries: number;
  /** Changes that wait for the client. One that falls further behind is told that its live queries have ended, since it would miss some. */
  readonly changes: number;
  /** What the records in these changes may take, in bytes. */
  readonly bytes: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = { queries: 1_000, changes: 100_000, bytes: 64 * 2 ** 20 };

/** What the live queries of all sessions of a connection may take up together, and do. */
export class LiveAllowance {
  readonly #limits: LiveLimits;
  #queries = 0;
  #changes = 0;
  #bytes = 0;

  constructor(limits: Partial<LiveLimits> = {}) {
    this.#limits = { ...DEFAULT_LIVE_LIMITS, ...limits };
  }

  /** @throws TesseraError `too_many_live_queries` */
  admit(): void {
    if (this.#queries >= this.#limits.queries) throw failure('too_many_live_queries', { limit: this.#limits.queries });
  }

  /** Takes room for a query; false if there is none. */
  takeQuery(): boolean {
    if (this.#queries >= this.#limits.queries) return false;
    this.#queries++;
    return true;
  }

  giveQuery(): void {
    this.#queries--;
  }

  /** Takes room for a change that has to wait; false if there is none. A lone one may be of any size. */
  takeChange(bytes: number): boolean {
    const isFull = this.#changes >= this.#limits.changes || this.#bytes + bytes > this.#limits.bytes;
    if (isFull && this.#changes > 0) return false;
    this.#changes++;
    this.#bytes += bytes;
    return true;
  }

  giveChange(bytes: number): void {
    this.#changes--;
    this.#bytes -= bytes;
  }
}
