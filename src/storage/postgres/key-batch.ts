import type { Key, Stored, Versionstamp } from '../contract.js';
import type { Head } from '../remote/heads.js';
import type { StoredValues } from '../stored-values.js';
import { byteaArray, bytes, int4, int8Array, int8Of } from './binary.js';
import type { BinaryRow, PostgresConnection, PreparedStatement } from './connection.js';

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

export interface KeyRequest {
  readonly keys: readonly Key[];
  readonly heads: readonly Head[];
}

/** Keys that snapshots of one transaction request, and positions of heads, read by one statement. */
export class KeyBatch {
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
