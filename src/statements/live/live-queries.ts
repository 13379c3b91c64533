/**
 * The live queries of a store that only this process uses, and their notification of commits. For other stores see
 * `shared-live-queries.ts`.
 *
 * The writer notes changes of tables that are watched, and a note reaches the queries when its transaction has
 * committed. A query begins when the transaction of its LIVE statement has committed, and receives every commit
 * after it: that transaction makes each transaction conflict that was changing the table before it was watched,
 * and these are repeated.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { loadDatabase } from '../../catalog/definitions/load.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { databaseKey } from '../../catalog/keys/store-keys.js';
import type { Timers } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { LiveQuery, LiveRegistry } from '../../runtime/execution.js';
import type { LastDefinitions } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import type { TransactionContext } from '../../runtime/transaction-context.js';
import type { Transaction } from '../../storage/contract.js';
import { weightOf } from '../../value/weight.js';
import { paceWriter } from './delivery-pace.js';
import { WatchingQueries } from './watching-queries.js';

interface WatchedTable {
  /** Whether all transactions that don't note their changes have ended. */
  fenced: boolean;
  readonly queries: WatchingQueries;
}

export class LiveQueries implements LiveRegistry {
  readonly #queries = new Map<string, LiveQuery>();
  /** By the beginning of their records' keys. A table stays watched as long as it exists, so that it is fenced once. */
  readonly #tables = new Map<string, WatchedTable>();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  of(_: TransactionContext, table: TableEntry): LiveQuery[] {
    const watched = this.#tables.get(table.keys.records.from);
    return [...(watched?.queries.all ?? [])].sort((a, b) => (a.id.text < b.id.text ? -1 : 1));
  }

  get size(): number {
    return this.#queries.size;
  }

  get(id: string): LiveQuery | undefined {
    return this.#queries.get(id);
  }

  begin(
    { transaction }: TransactionContext,
    { namespace, database }: DatabaseCatalog,
    query: LiveQuery,
  ): PromiseOrValue<void> {
    query.listener.admit(query);
    const key = query.table.keys.records.from;
    const watched = this.#tables.get(key) ?? { fenced: false, queries: new WatchingQueries() };
    this.#tables.set(key, watched);
    transaction.afterCommit((stamp) => {
      watched.fenced = true;
      if (!query.listener.begun(query, stamp)) return;
      watched.queries.add(query);
      this.#queries.set(query.id.text, query);
    });
    if (watched.fenced) return;
    // Every writer has read the row of its database. Rewriting it unchanged makes exactly the transactions conflict
    // that began before.
    const row = databaseKey(namespace.name, database.name);
    return andThen(transaction.get(row), (stored) => {
      if (stored !== undefined) transaction.put(row, stored);
    });
  }

  isWatched({ keys }: TableEntry): boolean {
    return this.#tables.has(keys.records.from);
  }

  note(transaction: Transaction, change: WrittenRecord): void {
    const watched = this.#tables.get(change.table.keys.records.from);
    if (watched === undefined) return;
    const { before, after, table } = change;
    paceWriter(transaction, watched.queries.concernedBy(change, table), this.#timers);
    transaction.afterCommit((stamp) => {
      const queries = watched.queries.concernedBy(change, table);
      if (queries.size === 0) return;
      const arrival = { stamp, memory: { bytes: weightOf(before, after), holders: 0 }, isLast: true };
      for (const query of queries) query.listener.changed(query, change, arrival);
    });
  }

  end(query: LiveQuery, reason?: TesseraError): void {
    this.#end(query, reason);
  }

  #end(query: LiveQuery, reason?: TesseraError, last?: LastDefinitions): void {
    if (!this.#queries.delete(query.id.text)) return;
    this.#tables.get(query.table.keys.records.from)?.queries.delete(query);
    query.listener.ended(query, reason, last);
  }

  endElsewhere(): false {
    return false;
  }

  /** A query ends with the commit that removes its table. */
  lastDefinitions(): undefined {}

  endRemoved(
    { transaction, catalogs }: TransactionContext,
    isRemoved: (query: LiveQuery) => boolean,
  ): PromiseOrValue<void> {
    const last = new Map<Id, DatabaseCatalog | undefined>();
    const removed = [...this.#queries.values()].filter(isRemoved);
    const loaded = forEachInOrder(removed, ({ databasePath: { namespace = '', database = '' }, table: { keys } }) =>
      last.has(keys.database)
        ? undefined
        : andThen(loadDatabase(transaction, catalogs, namespace, database), (catalog) => {
            last.set(keys.database, catalog);
            return undefined;
          }),
    );
    return andThen(loaded, () =>
      transaction.afterCommit(() => {
        for (const query of this.#queries.values()) {
          if (!isRemoved(query)) continue;
          const { definition, keys } = query.table;
          const catalog = last.get(keys.database);
          const reason = failure('table_missing', { name: definition.name });
          this.#end(query, reason, catalog && { catalog, areCurrent: true });
          this.#tables.delete(keys.records.from);
        }
      }),
    );
  }
}
