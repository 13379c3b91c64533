/**
 * The live queries of this process on a store that other nodes use, too.
 *
 * Who changes a record of a watched table, on whichever node, appends it before and after the change to the log of the
 * database, in the same transaction. Each node reads that log for its own queries, so that all of them receive the
 * commits of all nodes in one order. A query begins behind the commit of its LIVE statement; this has the table watched
 * (`catalog/live/watched-tables.ts`), and notes the query for other nodes to list and end.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Id } from '../../catalog/definitions/definition.js';
import { loadDatabase } from '../../catalog/definitions/load.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import { databaseKey } from '../../catalog/keys.js';
import { databaseOfLiveLog, liveQueryKey } from '../../catalog/live/keys.js';
import { appendLiveChange } from '../../catalog/live/live-log.js';
import { findLiveRow, liveRows, putLiveRow } from '../../catalog/live/live-rows.js';
import { RENEWAL_INTERVAL, renewWatch, watchTable } from '../../catalog/live/watched-tables.js';
import { appendSignal } from '../../catalog/nodes/signals.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Live } from '../../language/ast.js';
import { parseStatement } from '../../language/parse.js';
import { printStatement } from '../../language/print.js';
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { Key, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { equals } from '../../value/order.js';
import { Uuid } from '../../value/value.js';
import type { ListedLiveQuery, LiveQuery, LiveRegistry, TransactionContext, Written } from '../runtime/execution.js';
import { LiveTail, type LiveTailServices } from './live-tail.js';

export interface SharedLiveServices extends Omit<LiveTailServices, 'end'> {
  /** Of this process (`SharedStore.node`). */
  readonly node: string;
}

/** Rows that are deleted in one commit. */
const BATCH = 256;

export class SharedLiveQueries implements LiveRegistry {
  readonly #services: SharedLiveServices;
  readonly #queries = new Map<string, LiveQuery>();
  readonly #tails = new Map<Id, LiveTail>();
  /** The tails by the rows of their databases. */
  readonly #byRow = new Map<Key, LiveTail>();
  /** The rows of queries that have ended. */
  readonly #ended = new Set<Key>();
  readonly #deleting: CoalescedTask;
  #stopRenewing: (() => void) | undefined;

  constructor(services: SharedLiveServices) {
    this.#services = services;
    const { timers } = services.environment;
    this.#deleting = new CoalescedTask(timers, () => this.#deleteEnded(), services.report);
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
    const { id, statement, table } = query;
    const change = this.#change(transaction);
    return andThen(watchTable(change, catalog, table.definition), (isChanged) => {
      if (isChanged) context.catalogChanged();
      const row = {
        id: id.text,
        node: this.#services.node,
        table: table.definition.id,
        text: printStatement(statement),
      };
      putLiveRow(transaction, catalog.database.id, row);
      transaction.afterCommit((stamp) => {
        if (!query.listener.begun(query, stamp)) {
          this.#forget(query);
          return;
        }
        this.#queries.set(id.text, query);
        this.#tailOf(catalog).add(query, stamp);
        this.#renewLater();
      });
    });
  }

  note(transaction: Transaction, { table, before, after }: Written): void {
    if (table.definition.isWatched !== true) return;
    if (before !== undefined && after !== undefined && equals(before, after)) return;
    appendLiveChange(transaction, table.keys.database, { table: table.definition.id, before, after });
  }

  end(query: LiveQuery, reason?: TesseraError): void {
    if (!this.#queries.delete(query.id.text)) return;
    const { database } = query.table.keys;
    const tail = this.#tails.get(database);
    tail?.remove(query);
    if (tail?.isEmpty) {
      this.#tails.delete(database);
      for (const [key, each] of this.#byRow) if (each === tail) this.#byRow.delete(key);
    }
    this.#forget(query);
    query.listener.ended(query, reason);
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

  /** Each node ends the queries of what is removed, behind the changes from before that (`LiveTail`). */
  endRemoved(): void {}

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

  /** Waits until the rows of queries that have ended are deleted, as far as the store answers. */
  async close(): Promise<void> {
    this.#stopRenewing?.();
    await this.#deleting.settled();
    this.#deleting.stop();
  }

  #tailOf(catalog: DatabaseCatalog): LiveTail {
    const { id, name } = catalog.database;
    let tail = this.#tails.get(id);
    if (tail === undefined) {
      const end = (query: LiveQuery, reason: TesseraError) => this.end(query, reason);
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
    // Those of a connection end together.
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
    this.#stopRenewing ??= environment.timers.after(RENEWAL_INTERVAL, () => {
      this.#stopRenewing = undefined;
      if (this.#queries.size === 0) return;
      this.#renewLater();
      this.#renew().catch(report);
    });
  }

  /** Has the tables stay watched on which there are queries here. */
  async #renew(): Promise<void> {
    const tables = new Map<Key, LiveQuery[]>();
    for (const query of this.#queries.values()) {
      const key = query.table.keys.records.from;
      tables.set(key, [...(tables.get(key) ?? []), query]);
    }
    for (const queries of tables.values()) {
      const [first] = queries;
      if (first === undefined || (await this.#renewTable(first))) continue;
      for (const query of queries) this.end(query, failure('live_queries_behind'));
    }
  }

  /** Answers whether the table has been watched all the time. */
  async #renewTable({ databasePath, table }: LiveQuery): Promise<boolean> {
    const { engine, catalogs } = this.#services;
    const { namespace = '', database = '' } = databasePath;
    return withRetries(engine, (transaction) =>
      andThen(loadDatabase(transaction, catalogs, namespace, database), (catalog) => {
        const now = catalog?.tablesById.get(table.definition.id);
        // The tail ends queries of tables that are gone.
        if (catalog === undefined || now === undefined) return true;
        return renewWatch(this.#change(transaction), catalog, now.definition);
      }),
    );
  }

  #change(transaction: Transaction): SchemaChange {
    const { environment, catalogs } = this.#services;
    return { transaction, random: environment.random, clock: environment.clock, catalogs };
  }
}
