/** Follows a database's log of changes and passes each to the live queries on its table. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { liveLogPrunedKey } from '../../catalog/keys/live-keys.js';
import { databaseKey } from '../../catalog/keys/store-keys.js';
import {
  liveLogPosition,
  liveLogRange,
  liveLogStart,
  readLiveLogEntry,
  scanLiveLog,
} from '../../catalog/live/live-log.js';
import type { Environment } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { LiveQuery } from '../../runtime/execution.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { LastDefinitions } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { Engine, Entry, Transaction, Versionstamp } from '../../storage/contract.js';
import { LAST_POSITION, type LogPosition, positionAfter } from '../../storage/transaction/append.js';
import { RecordId } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { areLate, untilOnTime } from './delivery-pace.js';

export interface LiveTailServices {
  readonly engine: Engine;
  readonly catalogs: CatalogCache;
  readonly environment: Environment;
  readonly report: (error: TesseraError) => void;
  /** Ends a query. */
  end(query: LiveQuery, reason: TesseraError, last?: LastDefinitions): void;
}

/** Changes of one commit after which others have a turn. */
const LARGE_COMMIT = 256;

/** A live query, and the position in the log up to which it has got changes. */
interface Reader {
  readonly query: LiveQuery;
  next: LogPosition;
}

/** The position from which to read the log. */
function firstOf(readers: readonly Reader[]): LogPosition {
  return readers.map(({ next }) => next).reduce((a, b) => (a < b ? a : b), LAST_POSITION);
}

/**
 * Reads the log of one database for this process's live queries there, from the beginning of each. One round
 * reads everything in a snapshot; the next follows when another commit has appended to the log.
 */
export class LiveTail {
  readonly #services: LiveTailServices;
  readonly #namespace: string;
  readonly #name: string;
  readonly #database: Id;
  /** The last definitions that a round has found. */
  #catalog: DatabaseCatalog;
  readonly #readers = new Map<LiveQuery, Reader>();
  readonly #reading: CoalescedTask;
  /** When this process learned of the first commit that no round has read, on the monotonic clock. */
  #wokenAt: number | undefined;

  constructor(services: LiveTailServices, catalog: DatabaseCatalog) {
    const { namespace, database } = catalog;
    this.#services = services;
    this.#catalog = catalog;
    this.#namespace = namespace.name;
    this.#name = database.name;
    this.#database = database.id;
    this.#reading = new CoalescedTask(services.environment.timers, () => this.#round(), services.report);
  }

  get queries(): Iterable<LiveQuery> {
    return this.#readers.keys();
  }

  get isEmpty(): boolean {
    return this.#readers.size === 0;
  }

  /** Something may have been defined between these and the removal of a table. */
  get last(): LastDefinitions {
    return { catalog: this.#catalog, areCurrent: false };
  }

  /** A query that receives the changes of the commits after one. */
  add(query: LiveQuery, after: Versionstamp): void {
    this.#readers.set(query, { query, next: positionAfter(after) });
    this.wake();
  }

  remove(query: LiveQuery): void {
    this.#readers.delete(query);
    if (this.isEmpty) this.#reading.stop();
  }

  /** The log has new entries, or the database or a table may have been removed. */
  wake(): void {
    this.#wokenAt ??= this.#services.environment.clock.monotonic();
    this.#reading.wake();
  }

  async #round(): Promise<void> {
    if (this.isEmpty) return;
    const { engine, catalogs, environment } = this.#services;
    const since = this.#wokenAt ?? environment.clock.monotonic();
    this.#wokenAt = undefined;
    const transaction = await engine.begin({ writable: false });
    let isWhole = false;
    try {
      await this.#prefetch(transaction);
      const catalog = await loadDatabase(transaction, catalogs, this.#namespace, this.#name);
      // The log outlasts its database.
      isWhole = await this.#read(transaction, since);
      if (isWhole) this.#endRemoved(catalog);
    } catch (error) {
      // The next round reads the same again.
      this.#wokenAt = since;
      throw error;
    } finally {
      transaction.cancel();
    }
    if (isWhole || this.#reading.isStopped) return;
    await untilOnTime(this.#readers, environment.timers);
    this.wake();
  }

  /** The reads of a round, prefetched together if the store is asynchronous. */
  #prefetch(transaction: Transaction): PromiseOrValue<void> {
    return transaction.prefetch?.({
      keys: [databaseKey(this.#namespace, this.#name), liveLogPrunedKey(this.#database)],
      ranges: [liveLogRange(this.#database, firstOf([...this.#readers.values()]))],
    });
  }

  /** Returns false when it has stopped before the end, since its listeners are late. */
  async #read(transaction: Transaction, since: number): Promise<boolean> {
    // Queries that begin during the round are served by the next one.
    const readers = [...this.#readers.values()];
    if (readers.length === 0) return true;
    const start = await liveLogStart(transaction, this.#database);
    for (const { query, next } of readers) {
      if (next < start) this.#services.end(query, failure('live_queries_behind'));
    }
    const interrupt = RequestInterrupt.begin(this.#services.environment);
    const cursor = scanLiveLog(transaction, this.#database, firstOf(readers));
    let last: Versionstamp | undefined;
    let delivered = 0;
    let isWhole = true;
    try {
      reading: for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
        for (const entry of batch) {
          const at = liveLogPosition(this.#database, entry[0]);
          const begins = last !== undefined && at.stamp !== last;
          // Listeners take the last change that they know of a commit for the last that it has.
          if (begins || ++delivered % LARGE_COMMIT === 0) await interrupt.checkpoint();
          if (begins && areLate(this.#readers)) {
            isWhole = false;
            break reading;
          }
          this.#deliver(readers, at, entry[1], since);
          last = at.stamp;
        }
        if (this.#reading.isStopped) return true;
      }
    } finally {
      cursor.close();
    }
    if (last === undefined) return isWhole;
    // A commit is visible as a whole.
    for (const reader of readers) if (reader.next < positionAfter(last)) reader.next = positionAfter(last);
    return isWhole;
  }

  #deliver(
    readers: readonly Reader[],
    { position, stamp }: ReturnType<typeof liveLogPosition>,
    stored: Entry[1],
    since: number,
  ): void {
    const entry = readLiveLogEntry(stored);
    if (entry === undefined) return;
    const table = 'tooLargeIn' in entry ? entry.tooLargeIn : entry.table;
    const memory = { bytes: 'tooLargeIn' in entry ? 0 : weightOf(entry.before, entry.after), holders: 0 };
    // One object for all queries, which share what is made of it.
    let change: WrittenRecord | undefined;
    for (const reader of readers) {
      const { query, next } = reader;
      if (query.table.definition.id !== table || position < next || !this.#readers.has(query)) continue;
      reader.next = `${position}\0`;
      if ('tooLargeIn' in entry) {
        this.#services.end(query, failure('live_queries_behind'));
        continue;
      }
      const { before, after } = entry;
      const id = (after ?? before)?.['id'];
      if (!(id instanceof RecordId)) continue;
      change ??= { table: query.table, id, before, after };
      query.listener.changed(query, change, memory, stamp, since);
    }
  }

  /** By then the changes from before the removal have been delivered. */
  #endRemoved(catalog: DatabaseCatalog | undefined): void {
    const isHere = catalog?.database.id === this.#database;
    const { last } = this;
    if (isHere) this.#catalog = catalog;
    for (const query of this.#readers.keys()) {
      const { id, name } = query.table.definition;
      if (!isHere || !catalog.tablesById.has(id)) this.#services.end(query, failure('table_missing', { name }), last);
    }
  }
}
