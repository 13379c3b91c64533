/** Transactions of PostgreSQL from which snapshots read. */
import type { Timers } from '../../env/environment.js';
import type { Key, Stored, Versionstamp } from '../contract.js';
import type { Head } from '../remote/heads.js';
import type { StoredValues } from '../stored-values.js';
import { byteaArray, bytes, int4, int8Array, int8Of } from './binary.js';
import type { BinaryRow, PostgresConnection, PreparedStatement } from './connection.js';
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

/** A batch has no more values beyond so many bytes, and no more keys beyond so many. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_KEYS = 1_000;

const GET: PreparedStatement = { name: 'get', text: 'SELECT value FROM entry WHERE key = $1::bytea' };
/** Values of more bytes than are given are left out. */
const GET_MANY: PreparedStatement = {
  name: 'get_many',
  text: `SELECT key, CASE WHEN octet_length(value) <= $2::int THEN value END FROM entry WHERE key = ANY($1::bytea[])`,
};
/** The same together with where heads stand: rows without a key. */
const GET_WITH_HEADS: PreparedStatement = {
  name: 'get_with_heads',
  text: `${GET_MANY.text} UNION ALL SELECT NULL, int8send(id) || int8send(stamp) FROM head WHERE id = ANY($3::bigint[])`,
};
/** Of large values, those beyond the bytes of a batch are left out. */
const GET_LARGE: PreparedStatement = {
  name: 'get_many_large',
  text: `SELECT key, CASE WHEN before IS NULL OR before < ${BATCH_BYTES} THEN value END FROM (
      SELECT key, value, sum(octet_length(value)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM entry WHERE key = ANY($1::bytea[])
    ) AS found`,
};

interface KeyRequest {
  readonly keys: readonly Key[];
  readonly heads: readonly Head[];
}

/** Keys that snapshots of one transaction request, and positions of heads, read by one statement. */
class KeyBatch {
  readonly #values: StoredValues;
  readonly #keys = new Set<Key>();
  readonly #heads = new Set<Head>();
  readonly #found = new Map<Key, string>();
  readonly #decoded = new Map<Key, Stored>();
  readonly #stamps = new Map<Head, Versionstamp>();
  /** Resolves when it was read. @throws Error of the server or the network */
  answered: Promise<void> = Promise.resolve();

  constructor(values: StoredValues) {
    this.#values = values;
  }

  get takesMore(): boolean {
    return this.#keys.size < BATCH_KEYS;
  }

  add({ keys, heads }: KeyRequest): void {
    for (const key of keys) this.#keys.add(key);
    for (const head of heads) this.#heads.add(head);
  }

  /** Reads all that was added. @throws Error what the server or the network says */
  async send(connection: PostgresConnection, timeout: number): Promise<void> {
    const keys = [...this.#keys];
    if (keys.length === 1 && this.#heads.size === 0) {
      const [row] = await connection.query(GET, [bytes(keys[0]!)], timeout);
      if (row !== undefined) this.#found.set(keys[0]!, row[0]!);
      return;
    }
    const most = int4(Math.floor(BATCH_BYTES / Math.max(keys.length, 1)));
    const heads = int8Array([...this.#heads].map(BigInt));
    const [statement, ...more] = this.#heads.size === 0 ? [GET_MANY] : [GET_WITH_HEADS, heads];
    let large = this.#take(await connection.query(statement, [byteaArray(keys), most, ...more], timeout));
    while (large.length > 0) large = this.#take(await connection.query(GET_LARGE, [byteaArray(large)], timeout));
  }

  /** @throws TesseraError `storage_corrupt` */
  value(key: Key): Stored | undefined {
    const found = this.#found.get(key);
    if (found === undefined) return undefined;
    const known = this.#decoded.get(key);
    if (known !== undefined) return known;
    const decoded = this.#values.decode(key, bytes(found));
    this.#decoded.set(key, decoded);
    return decoded;
  }

  /** The versionstamp of a head; `undefined` where nothing was committed under it. */
  stamp(head: Head): Versionstamp | undefined {
    return this.#stamps.get(head);
  }

  /** Notes what was found; the keys of values that were left out. */
  #take(rows: readonly BinaryRow[]): Key[] {
    const leftOut: Key[] = [];
    for (const [key, value] of rows) {
      if (key === null) this.#stamps.set(Number(int8Of(value!)), int8Of(value!.slice(8)));
      else if (value === null) leftOut.push(key!);
      else this.#found.set(key!, value!);
    }
    return leftOut;
  }
}
