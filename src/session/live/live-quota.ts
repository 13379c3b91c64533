import { failure } from '../../errors/error.js';

/** Bounds on what the live queries of one connection take up. */
export interface LiveLimits {
  readonly queries: number;
  /** What their statements and parameters may take, in bytes. */
  readonly weight: number;
  /** Changes that wait for the client. One that falls further behind is told that its live queries have ended, since it would miss some. */
  readonly changes: number;
  /** What the records in these changes may take, in bytes. */
  readonly bytes: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  queries: 1_000,
  weight: 16 * 2 ** 20,
  changes: 100_000,
  bytes: 64 * 2 ** 20,
};

/** What the live queries of all sessions of a connection may take up together, and do. */
export class LiveQuota {
  readonly #limits: LiveLimits;
  #queries = 0;
  #weight = 0;
  #changes = 0;
  #bytes = 0;

  constructor(limits: Partial<LiveLimits> = {}) {
    this.#limits = { ...DEFAULT_LIVE_LIMITS, ...limits };
  }

  /** @throws TesseraError `too_many_live_queries`, `live_queries_too_large` */
  admit(weight: number): void {
    const { queries, weight: most } = this.#limits;
    if (this.#queries >= queries) throw failure('too_many_live_queries', { limit: queries });
    if (this.#weight + weight > most) throw failure('live_queries_too_large', { limit: most });
  }

  /** Takes room for a query; false if there is none. */
  takeQuery(weight: number): boolean {
    if (this.#queries >= this.#limits.queries || this.#weight + weight > this.#limits.weight) return false;
    this.#queries++;
    this.#weight += weight;
    return true;
  }

  giveQuery(weight: number): void {
    this.#queries--;
    this.#weight -= weight;
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
