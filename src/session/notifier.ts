/**
 * Tells a session's client what its live queries see, one thing after the other. Writers only leave their changes here; looking at them,
 * with the rights that the session has by then, and waiting for a slow client is done afterwards.
 */

import { atPlace, type SessionIdentity } from '../auth/identity.js';
import { andThen, lastly, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { asTesseraError, failure, type TesseraError } from '../errors/error.js';
import type { LiveListener, LiveQuery, Written } from '../exec/execution.js';
import type { Executor } from '../exec/executor.js';
import { RequestInterrupt } from '../exec/interrupt.js';
import type { Engine } from '../storage/contract.js';
import { Duration } from '../value/value.js';
import type { Notification, NotificationSink } from './contract.js';
import type { LiveAllowance } from './live-allowance.js';

/** How long a live query may look at one change. */
const PATIENCE = new Duration(5_000_000_000n);

export interface NotifierServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly executor: Executor;
  /** Reports an error of our own making. */
  report(error: TesseraError): void;
}

/** A time beyond what timers can wait for. */
const LONGEST_WAIT = 86_400_000;

/** What a notifier knows of its session. */
export interface WatchedSession {
  /** Who is signed in now; `undefined` when the session has expired. */
  identity(): PromiseOrValue<SessionIdentity | undefined>;
  /** Milliseconds until it expires, if nothing happens; Infinity if it never does. */
  remaining(): number;
}

/** A change to be looked at, or without one the end of a query. */
interface Item {
  readonly query: LiveQuery;
  readonly change: Written | undefined;
  /** Why the query has ended. */
  readonly reason?: TesseraError | undefined;
  /** Of the change, in bytes. */
  readonly weight: number;
}

export class Notifier implements LiveListener {
  readonly #services: NotifierServices;
  readonly #sink: NotificationSink;
  readonly #allowance: LiveAllowance;
  readonly #session: WatchedSession;
  readonly #queries = new Set<LiveQuery>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Item>();
  /** Goes up when everything ends. */
  #era = 0;
  #working = false;
  /** Requests under way that begin live queries: their answers come before any notification. */
  #holding = 0;
  #closed = false;
  #stopWatching: (() => void) | undefined;

  constructor(services: NotifierServices, sink: NotificationSink, allowance: LiveAllowance, session: WatchedSession) {
    this.#services = services;
    this.#sink = sink;
    this.#allowance = allowance;
    this.#session = session;
  }

  /** How many live queries there are. */
  get queries(): number {
    return this.#queries.size;
  }

  admit({ weight }: LiveQuery): void {
    if (this.#closed) throw failure('realtime_unavailable');
    this.#allowance.admit(weight);
  }

  begun(query: LiveQuery): boolean {
    if (this.#closed) return false;
    // A transaction may begin more than there is room for.
    if (!this.#allowance.takeQuery(query.weight)) {
      this.#add({ query, change: undefined, reason: failure('live_queries_full'), weight: 0 });
      return false;
    }
    this.#queries.add(query);
    if (this.#stopWatching === undefined) this.watch();
    return true;
  }

  changed(query: LiveQuery, change: Written, weight: number): void {
    if (this.#allowance.takeChange(weight)) this.#add({ query, change, weight });
    else this.endAll(failure('live_queries_behind'));
  }

  /** Changes that were made before are told before. */
  ended(query: LiveQuery, reason?: TesseraError): void {
    if (this.#queries.delete(query)) this.#allowance.giveQuery(query.weight);
    if (this.#queries.size === 0) this.watch();
    if (!this.#closed) this.#add({ query, change: undefined, reason, weight: 0 });
  }

  /** Ends all live queries of the session. What waits is looked at no more, and what is being looked at isn't told. */
  endAll(reason?: TesseraError): void {
    this.#era++;
    for (const item of this.#waiting) {
      if (item.change === undefined) continue;
      this.#waiting.delete(item);
      this.#allowance.giveChange(item.weight);
    }
    for (const query of this.#queries) this.#services.executor.liveQueries.end(query, reason);
  }

  /** Ends everything when the session expires, whether or not anything happens by then. To be called whenever that time changes. */
  watch(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    const remaining = this.#queries.size === 0 ? Number.POSITIVE_INFINITY : this.#session.remaining();
    if (remaining === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(Math.ceil(remaining), 0), LONGEST_WAIT);
    this.#stopWatching = this.#services.environment.timers.after(wait, () => {
      if (this.#session.remaining() <= 0) this.endAll(failure('session_expired'));
      else this.watch();
    });
  }

  /** Nobody is there any more. */
  close(): void {
    this.#closed = true;
    this.endAll();
    this.#waiting.clear();
  }

  /** Keeps notifications back until `release`. */
  hold(): void {
    this.#holding++;
  }

  release(): void {
    this.#holding--;
    this.#begin();
  }

  #add(item: Item): void {
    this.#waiting.add(item);
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
    const { environment } = this.#services;
    // The writer's answer, and that of the LIVE statement, go first.
    await environment.timers.yield();
    const turn = RequestInterrupt.begin(environment);
    // What is added on the way is met on the way.
    for (const item of this.#waiting) {
      if (this.#holding > 0) return;
      this.#waiting.delete(item);
      const era = this.#era;
      const notification = await this.#notificationOf(item, turn);
      const isOver = this.#closed || (item.change !== undefined && era !== this.#era);
      if (notification !== undefined && !isOver) await this.#tell(notification);
      if (item.change !== undefined) this.#allowance.giveChange(item.weight);
      await turn.checkpoint();
    }
  }

  async #tell(notification: Notification): Promise<void> {
    try {
      await this.#sink(notification);
    } catch (error) {
      // Whoever can't be told is gone.
      this.#services.report(asTesseraError(error));
      this.close();
    }
  }

  #notificationOf({ query, change, reason }: Item, turn: RequestInterrupt): PromiseOrValue<Notification | undefined> {
    const { id } = query;
    if (change === undefined) return { id, action: 'KILLED', record: undefined, result: undefined, reason };
    const { before, after } = change;
    const action = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
    return otherwise(
      () =>
        andThen(
          this.#look(query, change, turn),
          (seen) => seen && { id, action, record: change.id, result: seen.result },
        ),
      (thrown) => {
        // What can't be judged isn't shown; the other changes are.
        const error = asTesseraError(thrown);
        if (error.code === 'internal') this.#services.report(error);
        return undefined;
      },
    );
  }

  #look(query: LiveQuery, change: Written, turn: RequestInterrupt): ReturnType<LiveQuery['look']> {
    return andThen(this.#session.identity(), (identity) => {
      if (identity !== undefined) return this.#lookAs(identity, query, change, turn);
      this.endAll(failure('session_expired'));
      return undefined;
    });
  }

  #lookAs(
    identity: SessionIdentity,
    query: LiveQuery,
    change: Written,
    turn: RequestInterrupt,
  ): ReturnType<LiveQuery['look']> {
    const { engine, executor } = this.#services;
    return andThen(engine.begin({ writable: false }), (transaction) =>
      lastly(
        () => {
          const execution = executor.execution({
            transaction,
            identity: atPlace(identity, query.place),
            interrupt: turn.within(PATIENCE),
          });
          return andThen(execution.unit.catalog(), (catalog) => {
            const table = catalog?.tablesById.get(query.table.definition.id);
            return table && query.look({ ...execution, writable: false }, table, change);
          });
        },
        () => transaction.cancel(),
      ),
    );
  }
}
