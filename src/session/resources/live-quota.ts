/** Limits on the live queries of a connection, and on what its client hasn't received yet. */
import { failure } from '../../errors/error.js';

/** Limits of the live queries of one connection. */
export interface LiveLimits {
  readonly queries: number;
  /** Bytes of their statements and parameters. */
  readonly weight: number;
  /**
   * Changes that may wait for the client. A client that falls further behind gets its live queries ended, since it
   * would miss changes.
   */
  readonly changes: number;
  /** Bytes of the records in these changes. */
  readonly bytes: number;
}

/** Milliseconds for which a change may wait for its client, as a rule. */
export const DEFAULT_LIVE_MAX_AGE = 30_000;

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  queries: 1_000,
  weight: 16 * 2 ** 20,
  changes: 100_000,
  bytes: 64 * 2 ** 20,
};

/** Counts what the live queries of all sessions of a connection hold. */
export class LiveQuota {
  readonly #limits: LiveLimits;
  #queries = 0;
  #weight = 0;
  #changes = 0;
  #bytes = 0;

  constructor(limits: Partial<LiveLimits> = {}) {
    this.#limits = { ...DEFAULT_LIVE_LIMITS, ...limits };
  }

  /**
   * Checks that a query fits.
   * @throws TesseraError `too_many_live_queries`, `live_queries_too_large`
   */
  admit(weight: number): void {
    const { queries, weight: most } = this.#limits;
    if (this.#queries >= queries) throw failure('too_many_live_queries', { limit: queries, of: 'connection' });
    if (this.#weight + weight > most) throw failure('live_queries_too_large', { limit: most });
  }

  /** Reserves a query; false if the quota is exhausted. */
  takeQuery(weight: number): boolean {
    if (this.#queries >= this.#limits.queries || this.#weight + weight > this.#limits.weight) return false;
    this.#queries++;
    this.#weight += weight;
    return true;
  }

  /** A query takes so many bytes more; false if the quota is exhausted. */
  resizeQuery(growth: number): boolean {
    if (growth > 0 && this.#weight + growth > this.#limits.weight) return false;
    this.#weight += growth;
    return true;
  }

  giveQuery(weight: number): void {
    this.#queries--;
    this.#weight -= weight;
  }

  /** Reserves a pending change; false if the quota is exhausted. A single change may have any size. */
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
