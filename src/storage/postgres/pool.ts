/** Pool of connections to PostgreSQL. Snapshots, commits and the log each have one, so that none starves another. */
import type { Timers } from '../../env/environment.js';
import { type ConnectionSettings, PostgresConnection } from './connection.js';
import { isOverfull } from './errors.js';
import type { PoolMeter, PoolUse } from './metrics.js';

/** Milliseconds until a server that had no connection left is tried again. */
const RETRY_PAUSE = 100;

export interface PoolSettings extends ConnectionSettings {
  readonly timers: Pick<Timers, 'wait' | 'nextRound'>;
}

/** Connections, each used by one caller at a time. */
export class ConnectionPool implements PoolUse {
  readonly #settings: ConnectionSettings;
  readonly #timers: Pick<Timers, 'wait'>;
  readonly #most: number;
  readonly #prepare: (connection: PostgresConnection) => Promise<void>;
  readonly #meter: PoolMeter;
  readonly #all = new Set<PostgresConnection>();
  /** The one that was used last is taken first, so that those in excess stay idle. */
  readonly #idle: PostgresConnection[] = [];
  readonly #waiting: {
    readonly resolve: (connection: PostgresConnection) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  #opening = 0;
  #closed = false;

  /** `prepare` readies a new connection. */
  constructor(
    settings: PoolSettings,
    most: number,
    prepare: (connection: PostgresConnection) => Promise<void>,
    meter: PoolMeter,
  ) {
    this.#settings = settings;
    this.#timers = settings.timers;
    this.#most = most;
    this.#prepare = prepare;
    this.#meter = meter;
  }

  get open(): number {
    return this.#all.size;
  }

  get idle(): number {
    return this.#idle.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * An exclusive connection, until it is released; waits for one if all are in use. @throws Error of the
   * network or the server
   */
  take(): PostgresConnection | Promise<PostgresConnection> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle;
      this.#all.delete(idle);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#all.size + this.#opening < this.#most) void this.#open();
    });
  }

  /** Statements may still be under way on it: those of the next holder come behind them. */
  give(connection: PostgresConnection): void {
    if (!connection.isUsable || this.#closed) {
      this.#all.delete(connection);
      connection.destroy();
      if (this.#waiting.length > 0 && !this.#closed) void this.#open();
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) next.resolve(connection);
    else this.#idle.push(connection);
  }

  /** Cuts the idle connections. */
  discardIdle(): void {
    for (const connection of this.#idle.splice(0)) {
      this.#all.delete(connection);
      connection.destroy();
    }
  }

  /** Cuts all connections at once. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#all) connection.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the store is closed'));
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const connection = await this.#connect();
      this.#all.add(connection);
      this.#opening--;
      this.give(connection);
    } catch (error) {
      this.#opening--;
      // Those that there are will be given back.
      if (isOverfull(error) && this.#all.size > 0) return;
      this.#waiting.shift()?.reject(error);
      // The others would wait for ever.
      if (this.#all.size + this.#opening === 0) for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
  }

  /** Tries again where the server has no connection left, and this has none either. */
  async #connect(): Promise<PostgresConnection> {
    for (let left = this.#settings.connectTimeout / RETRY_PAUSE; ; left--) {
      let connection: PostgresConnection | undefined;
      const onLost = () => {
        if (connection !== undefined) this.#all.delete(connection);
      };
      try {
        connection = await PostgresConnection.open(this.#settings, { onLost, asked: this.#meter.asked });
        await this.#prepare(connection);
        this.#meter.connected('ok');
        return connection;
      } catch (error) {
        connection?.destroy();
        this.#meter.connected('failed');
        if (!isOverfull(error) || this.#all.size > 0 || this.#closed || left <= 0) throw error;
      }
      await this.#timers.wait(RETRY_PAUSE);
    }
  }
}
