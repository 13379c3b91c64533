/**
 * The live queries of this process on a store that other nodes use, too.
 *
 * A writer of a watched table, on any node, appends the record before and after the change to the log of the
 * database, in the same transaction. Each node reads that log for its own queries, so that all of them receive the
 * commits of all nodes in one order. A query begins behind the commit of its LIVE statement; this has the table watched
 * (`catalog/live/watched-tables.ts`), and notes the query for other nodes to list and end. Rows that other nodes have
 * removed since they declared this node dead are written again.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { loadDatabase } from '../../catalog/definitions/load.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { databaseOfLiveLog, liveQueryKey } from '../../catalog/keys/live-keys.js';
import { databaseKey } from '../../catalog/keys/store-keys.js';
import { appendLiveChange } from '../../catalog/live/live-log.js';
import { findLiveRow, type LiveRow, liveRows, putLiveRow } from '../../catalog/live/live-rows.js';
import { renewWatch, WATCH_RENEWAL_INTERVAL, watchTable } from '../../catalog/live/watched-tables.js';
import { appendSignal } from '../../catalog/nodes/signals.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Live } from '../../language/ast.js';
import { parseStatement } from '../../language/parse.js';
import { printStatement } from '../../language/print.js';
import type { ListedLiveQuery, LiveQuery, LiveRegistry } from '../../runtime/execution.js';
import type { LastDefinitions } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import type { TransactionContext } from '../../runtime/transaction-context.js';
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { Key, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { Uuid } from '../../value/value.js';
import { paceWriter } from './delivery-pace.js';
import { LiveTail, type LiveTailServices } from './live-tail.js';

export interface SharedLiveServices extends Omit<LiveTailServices, 'end'> {
  /** Of this process (`SharedStore.node`). */
  readonly node: string;
}

/** Rows that are written or deleted in one commit. */
const BATCH = 256;

/** The queries here on a table, and the watch of it with which they began. */
interface WatchedTable {
  readonly watch: string;
  readonly queries: Set<LiveQuery>;
}

export class SharedLiveQueries implements LiveRegistry {
  readonly #services: SharedLiveServices;
  readonly #queries = new Map<string, LiveQuery>();
  readonly #tails = new Map<Id, LiveTail>();
  /** The tails by the rows of their databases. */
  readonly #byRow = new Map<Key, LiveTail>();
  /** By the beginning of their records' keys. */
  readonly #watched = new Map<Key, WatchedTable>();
  /** The rows of queries that have ended. */
  readonly #ended = new Set<Key>();
  readonly #deleting: CoalescedTask;
  readonly #restoring: CoalescedTask;
  #stopRenewing: (() => void) | undefined;

  constructor(services: SharedLiveServices) {
    this.#services = services;
    const { timers } = services.environment;
    this.#deleting = new CoalescedTask(timers, () => this.#deleteEnded(), services.report);
    this.#restoring = new CoalescedTask(timers, () => this.#restore(), services.report);
  }

  get size(): number {
    return this.#queries.size;
  }

  of({ transaction }: TransactionContext, table: TableEntry): PromiseOrValue<readonly ListedLiveQuery[]> {
    return andThen(liveRows(transaction, table.keys.database), (rows) =>
      rows
        .filter((row) => row.table === table.definition.id)
        .map(({ id, text }) => ({ id: new Uuid(id), statement: parseStatement(text) as Live, table })),
    );
  }

  get(id: string): LiveQuery | undefined {
    return this.#queries.get(id);
  }

  begin(context: TransactionContext, catalog: DatabaseCatalog, query: LiveQuery): PromiseOrValue<void> {
    query.listener.admit(query);
    const { transaction } = context;
    const { table } = query;
    const change = this.#change(transaction);
    return andThen(watchTable(change, catalog, table.definition), (watch) => {
      if (watch.isNew) context.catalogChanged();
      // It is renewed while there are queries here.
      if (this.#watched.get(table.keys.records.from)?.watch !== watch.id) renewWatch(change, catalog, table.definition);
      putLiveRow(transaction, catalog.database.id, this.#row(query));
      transaction.afterCommit((stamp) => {
        if (!query.listener.begun(query, stamp)) {
          this.#forget(query);
          return;
        }
        this.#queries.set(query.id.text, query);
        this.#queriesOf(table, watch.id).add(query);
        this.#tailOf(catalog).add(query, stamp);
        this.#renewLater();
      });
    });
  }

  #row({ id, statement, table }: LiveQuery): LiveRow {
    return { id: id.text, node: this.#services.node, table: table.definition.id, text: printStatement(statement) };
  }

  /** The queries on a table. Those from an earlier watch have missed the changes between the two. */
  #queriesOf({ keys }: TableEntry, watch: string): Set<LiveQuery> {
    const known = this.#watched.get(keys.records.from);
    if (known?.watch === watch) return known.queries;
    const queries = new Set<LiveQuery>();
    this.#watched.set(keys.records.from, { watch, queries });
    if (known !== undefined) this.#endBehind(known);
    return queries;
  }

  isWatched({ definition }: TableEntry): boolean {
    return definition.watch !== undefined;
  }

  note(transaction: Transaction, { table, before, after }: WrittenRecord): void {
    const listening = this.#tails.get(table.keys.database)?.concernedBy({ before, after }, table);
    if (listening !== undefined) paceWriter(transaction, listening, this.#services.environment.timers);
    appendLiveChange(transaction, table.keys.database, { table: table.definition.id, before, after });
  }

  end(query: LiveQuery, reason?: TesseraError): void {
    this.#end(query, reason);
  }

  #end(query: LiveQuery, reason?: TesseraError, last?: LastDefinitions): void {
    if (!this.#queries.delete(query.id.text)) return;
    const { database, records } = query.table.keys;
    const watched = this.#watched.get(records.from);
    if (watched?.queries.delete(query) && watched.queries.size === 0) this.#watched.delete(records.from);
    const tail = this.#tails.get(database);
    tail?.remove(query);
    if (tail?.isEmpty) {
      this.#tails.delete(database);
      for (const [key, each] of this.#byRow) if (each === tail) this.#byRow.delete(key);
    }
    this.#forget(query);
    query.listener.ended(query, reason, last);
  }

  endElsewhere(context: TransactionContext, id: string): PromiseOrValue<boolean> {
    return andThen(context.catalog(), (catalog) => {
      if (catalog === undefined) return false;
      return andThen(findLiveRow(context.transaction, catalog.database.id, id), (row) => {
        if (row === undefined) return false;
        appendSignal(context.transaction, { ends: 'live-query', id, node: row.node });
        return true;
      });
    });
  }

  lastDefinitions({ table }: LiveQuery): LastDefinitions | undefined {
    return this.#tails.get(table.keys.database)?.last;
  }

  /** Each node ends the queries of removed tables, after the changes from before the removal (`LiveTail`). */
  endRemoved(): undefined {}

  /** Commits have written keys; without keys, any may have been written. */
  followed(keys?: readonly Key[]): void {
    if (keys === undefined) {
      for (const tail of this.#tails.values()) tail.wake();
      return;
    }
    if (this.#tails.size === 0) return;
    for (const key of keys) {
      const database = databaseOfLiveLog(key);
      const tail = database === undefined ? this.#byRow.get(key) : this.#tails.get(database);
      tail?.wake();
    }
  }

  /**
   * Others may have declared this node dead, and removed the rows of its queries: writes them again. Queries whose
   * tables have another watch now end with `live_queries_behind`.
   */
  restore(): void {
    this.#restoring.wake();
  }

  /** Waits until the rows of queries that have ended are deleted, as far as the store answers. */
  async close(): Promise<void> {
    this.#stopRenewing?.();
    this.#restoring.stop();
    await this.#restoring.settled();
    await this.#deleting.settled();
    this.#deleting.stop();
  }

  #tailOf(catalog: DatabaseCatalog): LiveTail {
    const { id, name } = catalog.database;
    let tail = this.#tails.get(id);
    if (tail === undefined) {
      const end: LiveTailServices['end'] = (query, reason, last) => this.#end(query, reason, last);
      tail = new LiveTail({ ...this.#services, end }, catalog);
      this.#tails.set(id, tail);
      this.#byRow.set(databaseKey(catalog.namespace.name, name), tail);
    }
    return tail;
  }

  #forget({ id, table }: LiveQuery): void {
    this.#ended.add(liveQueryKey(table.keys.database, id.text));
    this.#deleting.wake();
  }

  async #deleteEnded(): Promise<void> {
    const { engine, environment } = this.#services;
    // Queries of a connection end together.
    await environment.timers.nextRound();
    while (this.#ended.size > 0) {
      const batch = [...this.#ended].slice(0, BATCH);
      await withRetries(engine, (transaction) => {
        for (const key of batch) transaction.delete(key);
      });
      for (const key of batch) this.#ended.delete(key);
    }
  }

  #renewLater(): void {
    const { environment, report } = this.#services;
    this.#stopRenewing ??= environment.timers.after(WATCH_RENEWAL_INTERVAL, () => {
      this.#stopRenewing = undefined;
      if (this.#queries.size === 0) return;
      this.#renewLater();
      this.#renew().catch(report);
    });
  }

  /** Renews the watches of tables with queries here. */
  async #renew(): Promise<void> {
    for (const watched of [...this.#watched.values()]) {
      const [first] = watched.queries;
      if (first !== undefined && !(await this.#renewTable(watched, first))) this.#endBehind(watched);
    }
  }

  async #restore(): Promise<void> {
    for (const watched of [...this.#watched.values()]) {
      const all = [...watched.queries];
      for (let at = 0; at < all.length; at += BATCH) {
        const some = all.slice(at, at + BATCH);
        const [first] = some;
        if (first === undefined || (await this.#renewTable(watched, first, some))) continue;
        this.#endBehind(watched);
        break;
      }
    }
  }

  #endBehind({ queries }: WatchedTable): void {
    for (const query of [...queries]) this.end(query, failure('live_queries_behind'));
  }

  /** Notes some of its queries again, too. Returns whether the table has been watched all the time. */
  async #renewTable(
    { watch, queries }: WatchedTable,
    { databasePath, table: { definition } }: LiveQuery,
    noted: readonly LiveQuery[] = [],
  ): Promise<boolean> {
    const { engine, catalogs } = this.#services;
    const { namespace = '', database = '' } = databasePath;
    const isWatched = await withRetries(engine, (transaction) =>
      andThen(loadDatabase(transaction, catalogs, namespace, database), (catalog) => {
        const now = catalog?.tablesById.get(definition.id);
        // The tail ends queries of tables that are gone.
        if (catalog === undefined || now === undefined) return true;
        if (now.definition.watch !== watch) return false;
        renewWatch(this.#change(transaction), catalog, definition);
        for (const query of noted) putLiveRow(transaction, catalog.database.id, this.#row(query));
        return true;
      }),
    );
    for (const query of noted) if (!queries.has(query)) this.#forget(query);
    return isWatched;
  }

  #change(transaction: Transaction): SchemaChange {
    const { environment, catalogs } = this.#services;
    return { transaction, random: environment.random, clock: environment.clock, catalogs };
  }
}
