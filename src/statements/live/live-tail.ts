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
import type { ChangeMemory, LastDefinitions } from '../../runtime/live-changes.js';
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

/** A change in the log. */
interface LoggedChange {
  readonly change: WrittenRecord;
  readonly memory: ChangeMemory;
  readonly position: LogPosition;
  readonly stamp: Versionstamp;
}

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
    // What was read last for each, until it is known whether it is the last change of its commit for the query.
    const held = new Map<Reader, LoggedChange>();
    const completeCommit = () => {
      for (const [reader, change] of held) this.#deliver(reader, change, since, true);
      held.clear();
    };
    let last: Versionstamp | undefined;
    let isWhole = true;
    try {
      reading: for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
        for (const entry of batch) {
          const { position, stamp } = liveLogPosition(this.#database, entry[0]);
          if (last !== undefined && stamp !== last) {
            completeCommit();
            isWhole = !areLate(this.#readers);
            if (!isWhole) break reading;
          }
          last = stamp;
          for (const [reader, change] of this.#readersOf(readers, position, stamp, entry[1])) {
            const before = held.get(reader);
            if (before !== undefined) this.#deliver(reader, before, since, false);
            if (change === undefined) this.#services.end(reader.query, failure('live_queries_behind'));
            else held.set(reader, change);
          }
          await interrupt.checkpoint();
        }
        if (this.#reading.isStopped) return true;
      }
      completeCommit();
    } finally {
      cursor.close();
    }
    if (last === undefined) return isWhole;
    // A commit is visible as a whole.
    for (const reader of readers) if (reader.next < positionAfter(last)) reader.next = positionAfter(last);
    return isWhole;
  }

  /** Those that an entry of the log is for, with the change; without it where the change was too large to be logged. */
  *#readersOf(
    readers: readonly Reader[],
    position: LogPosition,
    stamp: Versionstamp,
    stored: Entry[1],
  ): Generator<[Reader, LoggedChange | undefined]> {
    const entry = readLiveLogEntry(stored);
    if (entry === undefined) return;
    const table = 'tooLargeIn' in entry ? entry.tooLargeIn : entry.table;
    // One object for all queries, which share what is made of it.
    let change: LoggedChange | undefined;
    for (const reader of readers) {
      const { query, next } = reader;
      if (query.table.definition.id !== table || position < next || !this.#readers.has(query)) continue;
      if ('tooLargeIn' in entry) {
        yield [reader, undefined];
        continue;
      }
      const { before, after } = entry;
      const id = (after ?? before)?.['id'];
      if (!(id instanceof RecordId)) return;
      change ??= {
        change: { table: query.table, id, before, after },
        memory: { bytes: weightOf(before, after), holders: 0 },
        position,
        stamp,
      };
      yield [reader, change];
    }
  }

  /** Until it is delivered, a change would be read again. */
  #deliver(reader: Reader, { change, memory, position, stamp }: LoggedChange, since: number, isLast: boolean): void {
    const { query } = reader;
    if (!this.#readers.has(query)) return;
    reader.next = `${position}\0`;
    query.listener.changed(query, change, { stamp, memory, since, isLast });
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
