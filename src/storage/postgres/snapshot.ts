/** Reads of a PostgreSQL snapshot: keys, pages of ranges, counts and versionstamps of heads. */
import type { Entry, Key, KeyRange, Stored, Versionstamp } from '../contract.js';
import type { Head } from '../remote/heads.js';
import type { EntryPage, PageRequest, ReadAnswer, ReadRequest, StoreSnapshot } from '../remote/store.js';
import type { StoredValues } from '../stored-values.js';
import { bytes, int4, int8Of } from './binary.js';
import type { BinaryRow, PostgresConnection, PreparedStatement } from './connection.js';
import { storageError } from './errors.js';
import type { ReadTransaction, ReadTransactions } from './read-transaction.js';

/** A page has no more entries beyond this many bytes of values. */
const PAGE_BYTES = 4 * 1024 * 1024;

const COUNT: PreparedStatement = {
  name: 'count',
  text: 'SELECT count(*) FROM entry WHERE key >= $1::bytea AND key < $2::bytea',
};
const ALL_HEADS: PreparedStatement = { name: 'all_heads', text: 'SELECT id, stamp FROM head' };

/** One for each combination of direction and of values wanted. */
const PAGES: Readonly<Record<string, PreparedStatement>> = Object.fromEntries(
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

export interface SnapshotOptions {
  readonly transactions: ReadTransactions;
  readonly values: StoredValues;
  /** Milliseconds after which a read without an answer cuts the connection. */
  readonly timeout: number;
}

/** The snapshot of a REPEATABLE READ transaction, from its first read on. */
export class PostgresSnapshot implements StoreSnapshot {
  readonly #options: SnapshotOptions;
  #transaction: ReadTransaction | undefined;
  #released = false;

  constructor(options: SnapshotOptions) {
    this.#options = options;
  }

  async read({ keys, pages, heads }: ReadRequest): Promise<ReadAnswer> {
    try {
      const { transactions } = this.#options;
      // Pages may take long, and often aren't the last ones.
      this.#transaction ??= pages.length === 0 ? transactions.join() : transactions.alone();
      const transaction = this.#transaction;
      // All of them are sent before any is answered.
      const request = { keys, heads: heads === 'all' ? [] : heads };
      const isKnown = keys.length === 0 && request.heads.length === 0;
      const batch = isKnown ? undefined : transaction.read(request);
      const all = heads === 'all' ? transaction.query((connection) => this.#allStamps(connection)) : undefined;
      const found = pages.map((page) => transaction.query((connection) => this.#page(connection, page)));
      const answers = await Promise.allSettled([batch, all, ...found]);
      for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
      const read = await batch;
      const stamps = (await all) ?? new Map<Head, Versionstamp>();
      for (const head of request.heads) {
        const stamp = read?.stamp(head);
        if (stamp !== undefined) stamps.set(head, stamp);
      }
      return { stamps, values: keys.map((key) => read?.value(key)), pages: await Promise.all(found) };
    } catch (error) {
      throw storageError(error);
    }
  }

  async count({ from, to }: KeyRange): Promise<number> {
    try {
      const { transactions, timeout } = this.#options;
      this.#transaction ??= transactions.alone();
      const parameters = [bytes(from), bytes(to)];
      const [row] = await this.#transaction.query((connection) => connection.query(COUNT, parameters, timeout));
      return Number(int8Of(row![0]!));
    } catch (error) {
      throw storageError(error);
    }
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#transaction?.leave();
  }

  async #page(connection: PostgresConnection, { from, to, reverse, limit, keysOnly }: PageRequest): Promise<EntryPage> {
    // One more tells whether there are any behind.
    const statement = PAGES[pageStatement(reverse, keysOnly)]!;
    const rows = await connection.query(statement, [bytes(from), bytes(to), int4(limit + 1)], this.#options.timeout);
    const entries = rows.slice(0, limit).map((row): Entry => this.#entry(row, keysOnly));
    return { entries, isLast: rows.length === 0 || (rows.length <= limit && !isCut(rows)) };
  }

  async #allStamps(connection: PostgresConnection): Promise<Map<Head, Versionstamp>> {
    const rows = await connection.query(ALL_HEADS, [], this.#options.timeout);
    return new Map(rows.map(([id, stamp]) => [Number(int8Of(id!)), int8Of(stamp!)]));
  }

  #entry([key, value]: BinaryRow, keysOnly: boolean): Entry {
    return [key!, keysOnly ? null : this.#decode(key!, value!)];
  }

  #decode(key: Key, value: string): Stored {
    return this.#options.values.decode(key, bytes(value));
  }
}

/** Whether a page has ended because of its bytes: then there may be entries behind it. */
function isCut(rows: readonly BinaryRow[]): boolean {
  let size = 0;
  for (const row of rows) size += row.at(-1)!.length;
  return size >= PAGE_BYTES;
}
