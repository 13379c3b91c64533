/**
 * Delivers the notifications of a session's live queries in order. Writers only enqueue their changes; evaluating them
 * with the session's current rights and waiting for a slow client happens afterwards.
 */
import { type SessionIdentity, withDatabasePath } from '../../auth/identity.js';
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { readChangePage } from '../../catalog/changefeed/catch-up.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { Execution, LiveListener, LiveQuery, LiveStatement, ResultSubscription } from '../../runtime/execution.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { ChangeArrival, LastDefinitions } from '../../runtime/live-changes.js';
import { endLive } from '../../runtime/live-statements.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import type { Versionstamp } from '../../storage/contract.js';
import { positionAfter, stampOfTime } from '../../storage/transaction/append.js';
import { Duration, objectFrom } from '../../value/value.js';
import type { Notification, NotificationSink } from '../contract.js';
import type { LiveQuota } from '../resources/live-quota.js';
import type { ConnectionMemory } from '../resources/server-memory.js';
import { ExpiryWatch, type WatchedSession } from './expiry-watch.js';
import { LiveCursor } from './live-cursor.js';
import { type ChangeItem, type EndItem, firstChange, type Item, type Pass, type PastItem } from './live-items.js';
import { LiveMemory } from './live-memory.js';
import { LiveView, type LiveViewServices } from './live-view.js';
import { type NotifiedChange, type PastChange, type PastChanges, pastChanges } from './past-changes.js';

/** Time limit for evaluating one live query on one change. */
const PATIENCE = new Duration(5_000_000_000n);

export interface NotifierServices extends LiveViewServices {
  readonly options: {
    /** Milliseconds for which a change may wait; the queries of a client that is further behind end. */
    readonly liveMaxAge: number;
  };
  /** Absent where nothing is counted. */
  readonly metrics?: ServerMetrics | undefined;
  report(error: TesseraError): void;
}

/** Milliseconds for which a change waits where the server keeps up. */
const LATE = 20;
/** Milliseconds until a change is evaluated again after the store was unavailable. */
const STORE_RETRY = 250;

export class Notifier implements LiveListener {
  readonly #services: NotifierServices;
  readonly #sink: NotificationSink;
  readonly #memory: LiveMemory;
  readonly #session: WatchedSession;
  readonly #queries = new Set<LiveStatement>();
  /** The cursors of the queries begun with SINCE. */
  readonly #cursors = new Map<LiveStatement, LiveCursor>();
  /** Of queries whose tables were removed, until their end has been delivered. */
  readonly #last = new Map<LiveStatement, LastDefinitions>();
  /** In order of arrival, which numbers them. */
  readonly #waiting = new Map<Item, number>();
  #arrivals = 0;
  /** The number of the item that is processed. */
  #current = 0;
  /** The change that is evaluated, or sent to a client that reads slowly. */
  #delivering: ChangeItem | undefined;
  /** Whether a notification is being sent. */
  #isSending = false;
  #view: LiveView | undefined;
  /** Incremented when all queries end. */
  #generation = 0;
  #working = false;
  /** Requests in progress that begin live queries: their answers precede any notification. */
  #holding = 0;
  #closed = false;
  readonly #expiry: ExpiryWatch;

  constructor(
    services: NotifierServices,
    sink: NotificationSink,
    quota: LiveQuota,
    memory: ConnectionMemory,
    session: WatchedSession,
  ) {
    this.#services = services;
    this.#sink = sink;
    this.#memory = new LiveMemory(quota, memory, () => this.#fallBehind());
    this.#session = session;
    this.#expiry = new ExpiryWatch(services.environment.timers, session, () => this.endAll(failure('session_expired')));
  }

  /** Number of live queries. */
  get queries(): number {
    return this.#queries.size;
  }

  /** Milliseconds for which the oldest change has waited for the client; 0 without any. */
  get behind(): number {
    const oldest = this.#delivering ?? firstChange(this.#waiting.keys());
    return oldest === undefined ? 0 : this.#services.environment.clock.monotonic() - oldest.since;
  }

  get isLate(): boolean {
    return this.behind > LATE && !(this.#isSending && this.#memory.awaitsClient);
  }

  admit(query: LiveStatement): void {
    if (this.#closed) throw failure('realtime_unavailable');
    this.#memory.admit(query);
  }

  begun(query: LiveStatement, stamp: Versionstamp): boolean {
    if (this.#closed) return false;
    // One transaction may begin more queries than the quota allows.
    if (!this.#memory.begin(query)) {
      this.#add({ kind: 'end', query, reason: failure('live_queries_full') });
      return false;
    }
    this.#queries.add(query);
    if (query.kind === 'changes' && query.since !== undefined) {
      this.#resume(query, new LiveCursor(query.since, stamp, this.#soonest(stamp)));
    }
    if (!this.#expiry.isOn) this.watch();
    return true;
  }

  /**
   * The least versionstamp that a commit after the one with `stamp` may still get. Only a store of this process
   * alone takes versionstamps from its clock.
   */
  #soonest(stamp: Versionstamp): Versionstamp {
    const { engine, environment } = this.#services;
    return (engine.shared === undefined ? stampOfTime(environment.clock.now()) : undefined) ?? stamp;
  }

  #resume(query: LiveQuery, cursor: LiveCursor): void {
    this.#cursors.set(query, cursor);
    if (cursor.from !== undefined) this.#add({ kind: 'past', query, cursor });
  }

  changed(query: LiveQuery, change: WrittenRecord, { stamp, memory, since, isLast }: ChangeArrival): void {
    const cursor = this.#cursors.get(query);
    if (cursor?.takesFromFeed(stamp)) return;
    if (this.#isTooOld || !this.#memory.enqueue(memory)) {
      this.#fallBehind();
      return;
    }
    const learned = since ?? this.#services.environment.clock.monotonic();
    const item: ChangeItem = { kind: 'change', query, change, stamp, isLast, memory, since: learned };
    cursor?.follow(item);
    this.#add(item);
  }

  resultChanged(result: ResultSubscription): void {
    if (!result.isAnnounced) this.#add({ kind: 'result', query: result });
    result.isAnnounced = true;
  }

  identityAt(path: LiveStatement['databasePath']): PromiseOrValue<SessionIdentity | undefined> {
    return andThen(this.#identity(), (identity) => identity && withDatabasePath(identity, path));
  }

  #identity(): PromiseOrValue<SessionIdentity | undefined> {
    return andThen(this.#session.identity(), (identity) => {
      if (identity === undefined) this.endAll(failure('session_expired'));
      return identity;
    });
  }

  /** Earlier changes are delivered first. */
  ended(query: LiveStatement, reason?: TesseraError, last?: LastDefinitions): void {
    if (this.#queries.delete(query)) this.#memory.end(query);
    if (this.#queries.size === 0) this.watch();
    const cursor = this.#cursors.get(query);
    // The end is delivered without catching up first.
    if (cursor?.from !== undefined) cursor.isEnded = true;
    if (this.#closed) return;
    if (last !== undefined) this.#last.set(query, last);
    this.#add({ kind: 'end', query, reason });
  }

  /**
   * Ends all live queries of the session. Pending changes are dropped, and a change being evaluated isn't delivered.
   */
  endAll(reason?: TesseraError): void {
    this.#generation++;
    for (const item of this.#waiting.keys()) {
      if (item.kind !== 'change') continue;
      this.#waiting.delete(item);
      this.#memory.drop(item.memory);
    }
    for (const query of this.#queries) endLive(this.#services.executor, query, reason);
  }

  get #isTooOld(): boolean {
    return this.behind > this.#services.options.liveMaxAge;
  }

  #fallBehind(): void {
    this.endAll(failure('live_queries_behind'));
  }

  /** Ends all queries when the session expires, even without activity. Call whenever the expiry changes. */
  watch(): void {
    if (this.#queries.size === 0) this.#expiry.end();
    else this.#expiry.renew();
  }

  /** The connection is closed. */
  close(): void {
    this.#closed = true;
    this.endAll();
    this.#waiting.clear();
    this.#cursors.clear();
    this.#last.clear();
  }

  /** Holds notifications back until work is done: those of a live query follow the answer that gives its id. */
  answeringFirst<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    this.#holding++;
    return lastly(work, () => {
      this.#holding--;
      this.#begin();
    });
  }

  #add(item: Item): void {
    this.#waiting.set(item, ++this.#arrivals);
    this.#begin();
  }

  #begin(): void {
    if (this.#working || this.#holding > 0 || this.#waiting.size === 0) return;
    this.#working = true;
    void this.#work().finally(() => {
      this.#working = false;
      this.#begin();
    });
  }

  async #work(): Promise<void> {
    const { environment, metrics } = this.#services;
    // Answers go first.
    await environment.timers.nextRound();
    let interrupt = RequestInterrupt.begin(environment);
    try {
      // Items that are added meanwhile are processed in the same loop.
      for (const [item, arrival] of this.#waiting) {
        if (this.#holding > 0) return;
        if (this.#isTooOld) this.#fallBehind();
        if (!this.#waiting.delete(item)) continue;
        this.#current = arrival;
        if (item.kind === 'change') {
          await this.#handleChange(item, interrupt);
          metrics?.liveChange(environment.clock.monotonic() - item.since);
        } else await this.#handle(item, interrupt);
        const pause = interrupt.checkpoint();
        if (pause === undefined) continue;
        await pause;
        // Many that wait aren't one long computation, which would have its turn behind those of all others.
        interrupt = RequestInterrupt.begin(environment);
      }
    } finally {
      this.#leaveView();
    }
  }

  async #handleChange(item: ChangeItem, interrupt: RequestInterrupt): Promise<void> {
    this.#delivering = item;
    try {
      await this.#memory.deliver(item.memory, () => this.#handle(item, interrupt));
    } catch (thrown) {
      this.endAll(asTesseraError(thrown));
    } finally {
      this.#delivering = undefined;
    }
  }

  #handle(item: Item, interrupt: RequestInterrupt): Promise<unknown> {
    const generation = this.#generation;
    if (item.kind === 'end') return this.#sendEnd(item);
    if (item.kind === 'result') return this.#sendResult(item.query, generation, interrupt);
    const { query } = item;
    const cursor = this.#cursors.get(query);
    const isOver = () => this.#closed || generation !== this.#generation || cursor?.isEnded === true;
    const pass = { interrupt, isOver };
    if (item.kind === 'past') return this.#sendPast(item, pass);
    if (cursor === undefined) return this.#send(query, item.change, undefined, pass);
    return this.#sendCommitted(item, cursor, pass);
  }

  async #sendEnd({ query, reason }: EndItem): Promise<void> {
    this.#cursors.delete(query);
    this.#last.delete(query);
    if (this.#closed) return;
    await this.#deliver({ id: query.id, action: 'KILLED', record: undefined, result: undefined, reason });
  }

  /** What leads from the result that the client has to the latest one; the next follows when it has read this. */
  async #sendResult(result: ResultSubscription, generation: number, interrupt: RequestInterrupt): Promise<void> {
    result.isAnnounced = false;
    const isOver = () => this.#closed || generation !== this.#generation || !this.#queries.has(result);
    const { metrics, environment, executor } = this.#services;
    try {
      if ((await this.#identity()) === undefined || isOver()) return;
      await result.deliver(interrupt, (notification) => andThen(this.#deliver(notification), () => !isOver()));
      metrics?.liveChange(environment.clock.monotonic() - result.since);
      if (!isOver()) this.#memory.resize(result, result.weightNow);
    } catch (thrown) {
      executor.liveResults.end(result, asTesseraError(thrown));
    }
  }

  /** Delivers one page of the changefeed and schedules the next. */
  async #sendPast({ query, cursor }: PastItem, pass: Pass): Promise<void> {
    const { until } = cursor;
    cursor.isOutrun = false;
    // It may have been outrun since the last view was taken.
    this.#leaveView();
    let page: PastChanges | undefined;
    try {
      page = pass.isOver() ? undefined : await this.#readChangePage(query, cursor, pass);
    } catch (thrown) {
      const error = asTesseraError(thrown);
      if (error.code === 'internal') this.#services.report(error);
      this.#services.executor.liveQueries.end(query, error);
    }
    for (const { change, stamp, isLast } of page?.changes ?? []) {
      await this.#sendCommitted({ query, change, stamp, isLast }, cursor, pass);
      if (pass.isOver()) return;
      await pass.interrupt.checkpoint();
    }
    if (page === undefined || pass.isOver()) return;
    const hasCaughtUp = page.next === undefined && !cursor.isOutrun;
    cursor.from = hasCaughtUp ? undefined : (page.next ?? positionAfter(until));
    if (!hasCaughtUp) this.#add({ kind: 'past', query, cursor });
  }

  /**
   * Delivers a change with the versionstamp to resume from: that of its commit only if no further change of the commit
   * is visible, otherwise the previous one.
   */
  async #sendCommitted(
    { query, change, stamp, isLast }: PastChange & Pick<ChangeItem, 'query'>,
    cursor: LiveCursor,
    pass: Pass,
  ): Promise<void> {
    if (isLast && cursor.held === undefined) {
      if (await this.#send(query, change, stamp, pass)) cursor.sent = stamp;
      return;
    }
    if ((await this.#notificationOf(query, change, undefined, pass)) !== undefined) {
      if (cursor.held !== undefined) await this.#send(query, cursor.held, cursor.sent, pass);
      cursor.held = change;
    }
    if (!isLast || cursor.held === undefined) return;
    if (await this.#send(query, cursor.held, stamp, pass)) cursor.sent = stamp;
    cursor.held = undefined;
  }

  /** Returns whether the change is visible to the query. */
  async #send(
    query: LiveQuery,
    change: NotifiedChange,
    versionstamp: Versionstamp | undefined,
    pass: Pass,
  ): Promise<boolean> {
    const notification = await this.#notificationOf(query, change, versionstamp, pass);
    if (notification === undefined || pass.isOver()) return false;
    await this.#deliver(notification);
    return true;
  }

  async #deliver(notification: Notification): Promise<void> {
    try {
      const sent = this.#sink(notification);
      if (!isPromise(sent)) return;
      // Nothing of the store is held while a client reads.
      this.#leaveView();
      this.#isSending = true;
      await sent;
      this.#isSending = false;
    } catch (error) {
      // The client is gone.
      this.#services.report(asTesseraError(error));
      this.close();
    }
  }

  #notificationOf(
    query: LiveQuery,
    change: NotifiedChange,
    versionstamp: Versionstamp | undefined,
    pass: Pass,
  ): PromiseOrValue<Notification | undefined> {
    const { before, after, extent } = change;
    if (extent === 'nothing') return undefined;
    // A difference to NONE has nothing of the record.
    const isByIdAlone = extent === 'id' && query.statement.projections.kind !== 'diff';
    const action = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
    return otherwise(
      () =>
        andThen(
          this.#asOfNow(query, pass.interrupt.within(PATIENCE), (execution, _, table) =>
            query.present(execution, table, change, versionstamp),
          ),
          (seen): Notification | undefined =>
            seen && {
              id: query.id,
              action,
              record: change.id,
              result: isByIdAlone ? objectFrom({ id: change.id }) : seen.result,
              ...(versionstamp !== undefined && { versionstamp }),
            },
        ),
      (thrown): PromiseOrValue<Notification | undefined> => {
        // A change whose evaluation fails isn't shown; others are.
        const error = asTesseraError(thrown);
        if (error.code === 'storage_unavailable') return this.#notificationLater(query, change, versionstamp, pass);
        // Whether the store or the query is slow, what is missed must be known.
        if (error.code === 'timed_out') this.#fallBehind();
        if (error.code === 'internal') this.#services.report(error);
        return undefined;
      },
    );
  }

  /** A change that the store kept from being evaluated isn't left out: it waits for the store as for a slow client. */
  async #notificationLater(
    query: LiveQuery,
    change: NotifiedChange,
    versionstamp: Versionstamp | undefined,
    pass: Pass,
  ): Promise<Notification | undefined> {
    this.#leaveView();
    await this.#services.environment.timers.wait(STORE_RETRY);
    if (this.#isTooOld) this.#fallBehind();
    return pass.isOver() ? undefined : this.#notificationOf(query, change, versionstamp, pass);
  }

  #readChangePage(query: LiveQuery, cursor: LiveCursor, { interrupt }: Pass): PromiseOrValue<PastChanges | undefined> {
    const { from, since, until } = cursor;
    if (from === undefined) return undefined;
    return this.#asOfNow(query, interrupt, (execution, catalog, table) => {
      const { transaction } = execution.context;
      const request = { since, from, until };
      const page = readChangePage(transaction, catalog, table, request, interrupt);
      return andThen(page, (read) => pastChanges(execution, catalog, query.table, read));
    });
  }

  /**
   * Runs `work` with the current identity and the current definitions, those of a removed table with the last ones;
   * does nothing if the identity is gone, or these aren't known for certain and PERMISSIONS apply.
   */
  #asOfNow<T>(
    query: LiveQuery,
    interrupt: RequestInterrupt,
    work: (execution: Execution, catalog: DatabaseCatalog, table: TableEntry) => PromiseOrValue<T>,
  ): PromiseOrValue<T | undefined> {
    const { liveQueries } = this.#services.executor;
    return andThen(this.#identity(), (identity) => {
      if (identity === undefined) return undefined;
      return andThen(this.#viewOf(identity), (view) => {
        const workBy = (last: LastDefinitions | undefined): PromiseOrValue<T | undefined> =>
          andThen(view.execution(query.databasePath, interrupt, last), (seen) => {
            if (seen === undefined) return undefined;
            const { execution, catalog } = seen;
            const table = catalog?.tablesById.get(query.table.definition.id);
            if (catalog !== undefined && table !== undefined) return work(execution, catalog, table);
            if (last !== undefined) return undefined;
            // The end may have come while the catalog was read.
            const known = this.#last.get(query) ?? liveQueries.lastDefinitions(query);
            return known && workBy(known);
          });
        return workBy(this.#last.get(query));
      });
    });
  }

  /** A view as of now in which the current item has happened. */
  #viewOf(identity: SessionIdentity): PromiseOrValue<LiveView> {
    if (this.#view?.serves(identity, this.#current)) return this.#view;
    this.#leaveView();
    return andThen(LiveView.take(this.#services, identity, this.#arrivals), (view) => {
      this.#view = view;
      return view;
    });
  }

  #leaveView(): void {
    this.#view?.leave();
    this.#view = undefined;
  }
}
