/** Metrics of a store in PostgreSQL, by which its answers, its connections and its size are watched. */
import { realEnvironment } from '../../env/real.js';
import { CounterFamily, type Family, GaugeFamily, HistogramFamily, type Sample } from '../../metrics/families.js';
import type { CommitOutcome } from '../remote/store.js';

/** The current use of the connections of a pool. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  /** How many wait for a connection. */
  readonly waiting: number;
}

/** Counts the actions of a pool. */
export interface PoolMeter {
  /** It has tried to open a connection. */
  connected(outcome: 'ok' | 'failed'): void;
  /** A statement is sent; to be called with its answer. */
  readonly asked: () => () => void;
}

/** After how many milliseconds the size of the store is asked for again. */
const SIZE_AGE = 60_000;

export class PostgresMetrics {
  readonly #writes = new HistogramFamily(
    'tessera_store_write_duration_seconds',
    'Time that writing a group of commits took, with waits for its locks and for the disk.',
    [],
  );
  readonly #answers = new HistogramFamily(
    'tessera_store_query_duration_seconds',
    'Time from sending a statement to its answer, by pool of connections.',
    ['pool'],
  );
  readonly #commits = new CounterFamily(
    'tessera_store_commits_total',
    'Commits sent to the store, by outcome (applied, conflict, failed; locked: sent again, since another server writes the database; unknown: the connection was lost meanwhile).',
    ['outcome'],
  );
  readonly #connects = new CounterFamily(
    'tessera_store_connects_total',
    'Attempts to open a connection, by pool and outcome (ok, failed).',
    ['pool', 'outcome'],
  );
  #stagedBytes = 0;
  #bytes: number | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  pool(pool: string): PoolMeter {
    const answers = this.#answers.of(pool);
    return {
      connected: (outcome) => this.#connects.add(pool, outcome),
      asked: () => {
        const passed = stopwatch();
        return () => answers.record(passed());
      },
    };
  }

  /** A group of commits is written; to be called when it has succeeded. */
  beginWrite(): (outcomes: readonly CommitOutcome[]) => void {
    const passed = stopwatch();
    return (outcomes) => {
      this.#writes.record(passed());
      for (const outcome of outcomes) this.#commits.add(typeof outcome === 'bigint' ? 'applied' : outcome);
    };
  }

  /** A group of so many commits has failed. */
  notWritten(commits: number, outcome: 'failed' | 'unknown'): void {
    for (let left = commits; left > 0; left--) this.#commits.add(outcome);
  }

  /** So many bytes of a large group are on the server, before it is judged. */
  staged(bytes: number): void {
    this.#stagedBytes += bytes;
  }

  /** `size`: asks the server for the bytes of the store. */
  families(pools: Readonly<Record<string, PoolUse>>, size: () => Promise<number>): readonly Family[] {
    const ofPools = (state: string, count: keyof PoolUse) =>
      Object.entries(pools).map(([pool, use]) => ({ labels: { pool, state }, value: use[count] }));
    return [
      this.#writes,
      this.#answers,
      this.#commits,
      this.#connects,
      new GaugeFamily(
        {
          name: 'tessera_store_connections',
          help: 'Connections to the store by pool: open ones, idle ones among them, and requests that wait for one.',
        },
        () => [...ofPools('open', 'open'), ...ofPools('idle', 'idle'), ...ofPools('waiting', 'waiting')],
      ),
      new GaugeFamily(
        {
          name: 'tessera_store_staged_bytes_total',
          help: 'Bytes of large commits that were sent ahead, before they were judged.',
          type: 'counter',
        },
        () => this.#stagedBytes,
      ),
      new GaugeFamily(
        { name: 'tessera_store_bytes', help: 'Size of the tables and their indexes, up to minutes old.' },
        () => this.#size(size),
      ),
    ];
  }

  /** The last known size: metrics are read at once also while the server doesn't answer. */
  #size(ask: () => Promise<number>): readonly Sample[] {
    const now = realEnvironment.clock.monotonic();
    if (now - this.#askedAt >= SIZE_AGE) {
      this.#askedAt = now;
      ask().then(
        (bytes) => {
          this.#bytes = bytes;
        },
        () => undefined,
      );
    }
    return this.#bytes === undefined ? [] : [{ labels: {}, value: this.#bytes }];
  }
}

/** Seconds from now on. */
function stopwatch(): () => number {
  const { clock } = realEnvironment;
  const began = clock.monotonic();
  return () => (clock.monotonic() - began) / 1000;
}
