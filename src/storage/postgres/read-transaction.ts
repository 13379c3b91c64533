import type { Timers } from '../../env/environment.js';
import type { StoredValues } from '../stored-values.js';
import type { PostgresConnection, PreparedStatement } from './connection.js';
import { KeyBatch, type KeyRequest } from './key-batch.js';
import type { ConnectionPool } from './pool.js';

const BEGIN: PreparedStatement = { name: 'begin', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' };
const END: PreparedStatement = { name: 'end', text: 'COMMIT' };

/** Of more snapshots in one round some go to another connection, and so to another core of the server. */
const MOST_SNAPSHOTS = 32;

interface ReadEnvironment {
  readonly pool: ConnectionPool;
  readonly timers: Pick<Timers, 'nextRound'>;
  readonly values: StoredValues;
  /** Milliseconds after which a read without an answer cuts the connection. */
  readonly timeout: number;
}

/**
 * The REPEATABLE READ transactions of snapshots. Snapshots that begin to read in the same round of the event loop share
 * one, and the cost of BEGIN, a read and COMMIT.
 */
export class ReadTransactions {
  readonly #environment: ReadEnvironment;
  #shared: ReadTransaction | undefined;

  constructor(environment: ReadEnvironment) {
    this.#environment = environment;
  }

  /** The shared transaction of snapshots that begin now; to be left once. */
  join(): ReadTransaction {
    if (this.#shared?.takesMore !== true) this.#shared = new ReadTransaction(this.#environment);
    this.#shared.join();
    return this.#shared;
  }

  /** One for a single snapshot: others would wait behind each of its reads. To be left once. */
  alone(): ReadTransaction {
    const transaction = new ReadTransaction(this.#environment);
    transaction.join();
    return transaction;
  }
}

interface DueQuery {
  readonly send: (connection: PostgresConnection) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A transaction on an exclusive connection. Requests of one round are sent at its end, behind BEGIN if it is the
 * first; COMMIT isn't waited for.
 */
export class ReadTransaction {
  readonly #environment: ReadEnvironment;
  #snapshots = 0;
  #connection: PostgresConnection | undefined;
  #due: DueQuery[] = [];
  /** Keys among what is due. */
  #keys: KeyBatch | undefined;

  constructor(environment: ReadEnvironment) {
    this.#environment = environment;
  }

  /** Whether it shows what is committed until now. */
  get takesMore(): boolean {
    return this.#connection === undefined && this.#due.length > 0 && this.#snapshots < MOST_SNAPSHOTS;
  }

  join(): void {
    this.#snapshots++;
  }

  /** The last one to leave ends it. */
  leave(): void {
    this.#snapshots--;
    this.#endIfLeft();
  }

  /** Reads keys together with those of other requests. @throws Error of the server or the network */
  async read(request: KeyRequest): Promise<KeyBatch> {
    const batch = this.#keys?.takesMore === true ? this.#keys : this.#newBatch();
    batch.add(request);
    await batch.answered;
    return batch;
  }

  /** Sends something by its connection. @throws Error what the server or the network says */
  query<T>(send: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#due.push({ send: (connection) => void send(connection).then(resolve, reject), reject });
      if (this.#due.length === 1) void this.#sendDue();
    });
  }

  #newBatch(): KeyBatch {
    const { values, timeout } = this.#environment;
    const batch = new KeyBatch(values);
    this.#keys = batch;
    batch.answered = this.query((connection) => batch.send(connection, timeout));
    return batch;
  }

  async #sendDue(): Promise<void> {
    await this.#environment.timers.nextRound();
    try {
      this.#connection ??= await this.#begin();
    } catch (error) {
      this.#keys = undefined;
      for (const { reject } of this.#due.splice(0)) reject(error);
      return;
    }
    this.#keys = undefined;
    for (const { send } of this.#due.splice(0)) send(this.#connection);
    this.#endIfLeft();
  }

  async #begin(): Promise<PostgresConnection> {
    const connection = await this.#environment.pool.take();
    // Where it fails, what is read behind it fails as well.
    connection.query(BEGIN).catch(() => connection.destroy());
    return connection;
  }

  #endIfLeft(): void {
    const connection = this.#connection;
    if (this.#snapshots > 0 || this.#due.length > 0 || connection === undefined) return;
    if (connection.isUsable) connection.query(END).catch(() => connection.destroy());
    this.#environment.pool.give(connection);
  }
}
