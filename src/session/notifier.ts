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

/** A change to be looked at, or without one the end of a query. */
interface Item {
  readonly query: LiveQuery;
  readonly change: Written | undefined;
  /** Of the change, in bytes. */
  readonly weight: number;
}

export class Notifier implements LiveListener {
  readonly #services: NotifierServices;
  readonly #sink: NotificationSink;
  readonly #allowance: LiveAllowance;
  /** Who is signed in now; `undefined` when the session has expired. */
  readonly #identity: () => PromiseOrValue<SessionIdentity | undefined>;
  readonly #queries = new Set<LiveQuery>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Item>();
  /** Goes up when everything ends. */
  #era = 0;
  #working = false;
  /** Requests under way that begin live queries: their answers come before any notification. */
  #holding = 0;
  #closed = false;

  constructor(
    services: NotifierServices,
    sink: NotificationSink,
    allowance: LiveAllowance,
    identity: () => PromiseOrValue<SessionIdentity | undefined>,
  ) {
    this.#services = services;
    this.#sink = sink;
    this.#allowance = allowance;
    this.#identity = identity;
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
      this.#add({ query, change: undefined, weight: 0 });
      return false;
    }
    this.#queries.add(query);
    return true;
  }

  changed(query: LiveQuery, change: Written, weight: number): void {
    if (this.#allowance.takeChange(weight)) this.#add({ query, change, weight });
    else this.endAll();
  }

  /** Changes that were made before are told before. */
  ended(query: LiveQuery): void {
    if (this.#queries.delete(query)) this.#allowance.giveQuery(query.weight);
    if (!this.#closed) this.#add({ query, change: undefined, weight: 0 });
  }

  /** Ends all live queries of the session. What waits is looked at no more, and what is being looked at isn't told. */
  endAll(): void {
    this.#era++;
    for (const item of this.#waiting) {
      if (item.change === undefined) continue;
      this.#waiting.delete(item);
      this.#allowance.giveChange(item.weight);
    }
    for (const query of this.#queries) this.#services.executor.liveQueries.end(query);
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

  #notificationOf({ query, change }: Item, turn: RequestInterrupt): PromiseOrValue<Notification | undefined> {
    const { id } = query;
    if (change === undefined) return { id, action: 'KILLED', record: undefined, result: undefined };
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
    return andThen(this.#identity(), (identity) => {
      if (identity !== undefined) return this.#lookAs(identity, query, change, turn);
      this.endAll();
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
