/** Follows a database's log of changes and passes each to the live queries on its table. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { liveLogPrunedKey } from '../../catalog/keys/live-keys.js';
import { databaseKey } from '../../catalog/keys/store-keys.js';
import {
  type LiveLogEntry,
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
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { Engine, Transaction, Versionstamp } from '../../storage/contract.js';
import { LAST_POSITION, type LogPosition, positionAfter } from '../../storage/transaction/append.js';
import { RecordId } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { CommitDelivery, type LogReader, type ReadChange } from './commit-delivery.js';
import { areLate, untilOnTime } from './delivery-pace.js';
import { type RecordStates, WatchingQueries } from './watching-queries.js';

export interface LiveTailServices {
  readonly engine: Engine;
  readonly catalogs: CatalogCache;
  readonly environment: Environment;
  readonly report: (error: TesseraError) => void;
  /** Ends a query. */
  end(query: LiveQuery, reason: TesseraError, last?: LastDefinitions): void;
}

/** The position from which to read the log. */
function firstOf(readers: readonly LogReader[]): LogPosition {
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
  readonly #readers = new Map<LiveQuery, LogReader>();
  /** The same by the ids of their tables. */
  readonly #tables = new Map<Id, WatchingQueries>();
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
    this.#readers.set(query, { query, next: positionAfter(after), hasEnded: false });
    const { id } = query.table.definition;
    const queries = this.#tables.get(id) ?? new WatchingQueries();
    this.#tables.set(id, queries);
    queries.add(query);
    this.wake();
  }

  remove(query: LiveQuery): void {
    const reader = this.#readers.get(query);
    if (reader !== undefined) reader.hasEnded = true;
    this.#readers.delete(query);
    const { id } = query.table.definition;
    const queries = this.#tables.get(id);
    if (queries?.delete(query) && queries.all.size === 0) this.#tables.delete(id);
    if (this.isEmpty) this.#reading.stop();
  }

  /** The queries that may show a change of a table; `undefined` if there are none on it. */
  concernedBy(change: RecordStates, table: TableEntry): ReadonlySet<LiveQuery> | undefined {
    return this.#tables.get(table.definition.id)?.concernedBy(change, table);
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
    let late: ReadonlySet<LiveQuery> | undefined;
    try {
      await this.#prefetch(transaction);
      const catalog = await loadDatabase(transaction, catalogs, this.#namespace, this.#name);
      // The log outlasts its database.
      late = await this.#read(transaction, catalog, since);
      if (late === undefined) this.#endRemoved(catalog);
    } catch (error) {
      // The next round reads the same again.
      this.#wokenAt = since;
      throw error;
    } finally {
      transaction.cancel();
    }
    if (late === undefined || this.#reading.isStopped) return;
    await untilOnTime(late, environment.timers);
    this.wake();
  }

  /** The reads of a round, prefetched together if the store is asynchronous. */
  #prefetch(transaction: Transaction): PromiseOrValue<void> {
    return transaction.prefetch?.({
      keys: [databaseKey(this.#namespace, this.#name), liveLogPrunedKey(this.#database)],
      ranges: [liveLogRange(this.#database, firstOf([...this.#readers.values()]))],
    });
  }

  /** Returns those for whom it has stopped before the end, since they are late. */
  async #read(
    transaction: Transaction,
    catalog: DatabaseCatalog | undefined,
    since: number,
  ): Promise<ReadonlySet<LiveQuery> | undefined> {
    // Queries that begin during the round are served by the next one.
    const readers = new Set(this.#readers.values());
    if (readers.size === 0) return undefined;
    const start = await liveLogStart(transaction, this.#database);
    for (const { query, next } of readers) {
      if (next < start) this.#services.end(query, failure('live_queries_behind'));
    }
    const interrupt = RequestInterrupt.begin(this.#services.environment);
    const cursor = scanLiveLog(transaction, this.#database, firstOf([...readers]));
    const delivery = new CommitDelivery(since);
    let last: Versionstamp | undefined;
    let late: ReadonlySet<LiveQuery> | undefined;
    try {
      reading: for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
        for (const [key, stored] of batch) {
          const { position, stamp } = liveLogPosition(this.#database, key);
          if (last !== undefined && stamp !== last) {
            const queries = delivery.complete();
            if (areLate(queries)) {
              late = queries;
              break reading;
            }
          }
          last = stamp;
          const entry = readLiveLogEntry(stored);
          if (entry !== undefined) this.#pass(entry, { position, stamp }, catalog, readers, delivery);
          await interrupt.checkpoint();
        }
        if (this.#reading.isStopped) return undefined;
      }
      delivery.complete();
    } finally {
      cursor.close();
    }
    if (last === undefined) return late;
    // A commit is visible as a whole.
    for (const reader of readers) if (reader.next < positionAfter(last)) reader.next = positionAfter(last);
    return late;
  }

  /** Passes an entry of the log to the readers that it is for, and ends their queries if the change was too large. */
  #pass(
    entry: LiveLogEntry,
    { position, stamp }: Pick<ReadChange, 'position' | 'stamp'>,
    catalog: DatabaseCatalog | undefined,
    readers: ReadonlySet<LogReader>,
    delivery: CommitDelivery,
  ): void {
    const isTooLarge = 'tooLargeIn' in entry;
    const id = isTooLarge ? entry.tooLargeIn : entry.table;
    const queries = this.#tables.get(id);
    if (queries === undefined) return;
    const table = (catalog ?? this.#catalog).tablesById.get(id);
    const concerned = isTooLarge || table === undefined ? queries.all : queries.concernedBy(entry, table);
    // One object for all queries, which share what is made of it.
    let logged: ReadChange | undefined;
    for (const query of concerned) {
      const reader = this.#readers.get(query);
      if (reader === undefined || !readers.has(reader) || position < reader.next) continue;
      if (isTooLarge) {
        delivery.flush(reader);
        this.#services.end(query, failure('live_queries_behind'));
        continue;
      }
      const { before, after } = entry;
      const record = (after ?? before)?.['id'];
      if (!(record instanceof RecordId)) return;
      logged ??= {
        change: { table: query.table, id: record, before, after },
        memory: { bytes: weightOf(before, after), holders: 0 },
        position,
        stamp,
      };
      delivery.take(reader, logged);
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
