import type { Entry, Key, KeyRange, Stored, Versionstamp } from '../../contract.js';
import type { Head } from '../../remote/heads.js';
import type { Page, PageRequest, ReadAnswer, ReadRequest, StoreSnapshot } from '../../remote/store.js';
import type { StoredValues } from '../stored-values.js';
import { byteaArray, bytes, int4, int8Array, int8Of } from './binary.js';
import type { Connection, Row, Statement } from './connection.js';
import { storageError } from './errors.js';
import type { ConnectionPool } from './pool.js';

/** A page has no more entries beyond this many bytes of values. */
const PAGE_BYTES = 4 * 1024 * 1024;

const BEGIN: Statement = { name: 'begin', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' };
const END: Statement = { name: 'end', text: 'COMMIT' };
const GET: Statement = { name: 'get', text: 'SELECT value FROM entry WHERE key = $1::bytea' };
/** Values of more bytes than are given are left out. */
const GET_MANY: Statement = {
  name: 'get_many',
  text: `SELECT key, CASE WHEN octet_length(value) <= $2::int THEN value END FROM entry WHERE key = ANY($1::bytea[])`,
};
/** The same together with where heads stand: rows without a key. */
const GET_WITH_HEADS: Statement = {
  name: 'get_with_heads',
  text: `${GET_MANY.text} UNION ALL SELECT NULL, int8send(id) || int8send(stamp) FROM head WHERE id = ANY($3::bigint[])`,
};
/** Of large values, those beyond the bytes of a page are left out. */
const GET_LARGE: Statement = {
  name: 'get_many_large',
  text: `SELECT key, CASE WHEN before IS NULL OR before < ${PAGE_BYTES} THEN value END FROM (
      SELECT key, value, sum(octet_length(value)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM entry WHERE key = ANY($1::bytea[])
    ) AS found`,
};
const COUNT: Statement = {
  name: 'count',
  text: 'SELECT count(*) FROM entry WHERE key >= $1::bytea AND key < $2::bytea',
};
const HEADS: Statement = { name: 'heads', text: 'SELECT id, stamp FROM head WHERE id = ANY($1::bigint[])' };
const ALL_HEADS: Statement = { name: 'all_heads', text: 'SELECT id, stamp FROM head' };

/** One for each combination of direction and of values wanted. */
const PAGES: Readonly<Record<string, Statement>> = Object.fromEntries(
  [false, true].flatMap((reverse) =>
    [false, true].map((keysOnly) => {
      const name = pageStatement(reverse, keysOnly);
      const order = reverse ? 'key DESC' : 'key';
      const [columns, sized] = keysOnly ? ['key', 'key'] : ['key, value', 'value'];
      const text = `SELECT ${columns} FROM (
          SELECT ${columns}, sum(octet_length(${sized})) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
          FROM entry WHERE key >= $1::bytea AND key < $2::bytea ORDER BY ${order} LIMIT $3::int
        ) AS page WHERE before IS NULL OR before < ${PAGE_BYTES} ORDER BY ${order}`;
      return [name, { name, text }];
    }),
  ),
);

function pageStatement(reverse: boolean, keysOnly: boolean): string {
  return `page${reverse ? '_reverse' : ''}${keysOnly ? '_keys' : ''}`;
}

/**
 * A REPEATABLE READ transaction on a connection of its own. BEGIN travels with the first read; COMMIT isn't
 * waited for.
 */
export class PostgresSnapshot implements StoreSnapshot {
  readonly #pool: ConnectionPool;
  readonly #values: StoredValues;
  readonly #timeout: number;
  #connection: Connection | Promise<Connection> | undefined;
  #released = false;

  /** @param timeout milliseconds after which a read without an answer cuts the connection */
  constructor(pool: ConnectionPool, values: StoredValues, timeout: number) {
    this.#pool = pool;
    this.#values = values;
    this.#timeout = timeout;
  }

  async read({ keys, pages, heads }: ReadRequest): Promise<ReadAnswer> {
    try {
      const connection = this.#begun();
      const open = connection instanceof Promise ? await connection : connection;
      // All of them are sent before any is answered.
      const stamps = new Map<Head, Versionstamp>();
      const withKeys = heads !== 'all' && keys.length > 0;
      const standing = withKeys || heads.length === 0 ? undefined : this.#readStamps(open, heads, stamps);
      const values = this.#valuesOf(open, keys, withKeys ? heads : [], stamps);
      const found = pages.map((page) => this.#page(open, page));
      const answers = await Promise.allSettled([standing, values, ...found]);
      for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
      return { stamps, values: await values, pages: await Promise.all(found) };
    } catch (error) {
      throw storageError(error);
    }
  }

  async count({ from, to }: KeyRange): Promise<number> {
    try {
      const open = await this.#begun();
      const [row] = await open.query(COUNT, [bytes(from), bytes(to)], this.#timeout);
      return Number(int8Of(row![0]!));
    } catch (error) {
      throw storageError(error);
    }
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#connection === undefined) return;
    const release = (connection: Connection) => {
      if (connection.isUsable) connection.query(END).catch(() => connection.destroy());
      this.#pool.give(connection);
    };
    if (this.#connection instanceof Promise) this.#connection.then(release, () => undefined);
    else release(this.#connection);
  }

  #begun(): Connection | Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const begin = (connection: Connection) => {
      // Where it fails, what is read behind it fails as well.
      connection.query(BEGIN).catch(() => connection.destroy());
      this.#connection = connection;
      return connection;
    };
    const taken = this.#pool.take();
    this.#connection = taken instanceof Promise ? taken.then(begin) : begin(taken);
    return this.#connection;
  }

  /** Also reads where some heads stand, in the same statement. */
  async #valuesOf(
    connection: Connection,
    keys: readonly Key[],
    heads: readonly Head[],
    stamps: Map<Head, Versionstamp>,
  ): Promise<(Stored | undefined)[]> {
    if (keys.length === 0) return [];
    if (keys.length === 1 && heads.length === 0) {
      const [row] = await connection.query(GET, [bytes(keys[0]!)], this.#timeout);
      return [row && this.#decode(keys[0]!, row[0]!)];
    }
    const found = new Map<Key, Stored>();
    const take = (rows: readonly Row[]): Key[] => {
      const leftOut: Key[] = [];
      for (const [key, value] of rows) {
        if (key === null) stamps.set(Number(int8Of(value!)), int8Of(value!.slice(8)));
        else if (value === null) leftOut.push(key!);
        else found.set(key!, this.#decode(key!, value!));
      }
      return leftOut;
    };
    const most = int4(Math.floor(PAGE_BYTES / keys.length));
    const parameters = [byteaArray(keys), most];
    const rows =
      heads.length === 0
        ? connection.query(GET_MANY, parameters, this.#timeout)
        : connection.query(GET_WITH_HEADS, [...parameters, int8Array(heads.map(BigInt))], this.#timeout);
    let large = take(await rows);
    while (large.length > 0) large = take(await connection.query(GET_LARGE, [byteaArray(large)], this.#timeout));
    return keys.map((key) => found.get(key));
  }

  async #page(connection: Connection, { from, to, reverse, limit, keysOnly }: PageRequest): Promise<Page> {
    // One more tells whether there are any behind.
    const statement = PAGES[pageStatement(reverse, keysOnly)]!;
    const rows = await connection.query(statement, [bytes(from), bytes(to), int4(limit + 1)], this.#timeout);
    const entries = rows.slice(0, limit).map((row): Entry => this.#entry(row, keysOnly));
    return { entries, isLast: rows.length === 0 || (rows.length <= limit && !isCut(rows)) };
  }

  async #readStamps(
    connection: Connection,
    heads: readonly Head[] | 'all',
    stamps: Map<Head, Versionstamp>,
  ): Promise<void> {
    const rows =
      heads === 'all'
        ? connection.query(ALL_HEADS, [], this.#timeout)
        : connection.query(HEADS, [int8Array(heads.map(BigInt))], this.#timeout);
    for (const [id, stamp] of await rows) stamps.set(Number(int8Of(id!)), int8Of(stamp!));
  }

  #entry([key, value]: Row, keysOnly: boolean): Entry {
    return [key!, keysOnly ? null : this.#decode(key!, value!)];
  }

  #decode(key: Key, value: string): Stored {
    return this.#values.decode(key, bytes(value));
  }
}

/** Whether a page has ended because of its bytes: then there may be entries behind it. */
function isCut(rows: readonly Row[]): boolean {
  let size = 0;
  for (const row of rows) size += row.at(-1)!.length;
  return size >= PAGE_BYTES;
}
