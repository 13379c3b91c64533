/** The live results that a page shows, each of which its components share. */
import { type Collection, createCollection } from '@tanstack/db';
import type { Row } from './live-rows.js';
import type { Outbox } from './outbox.js';
import type { Session } from './session.js';
import { liveCollection, nameOf } from './tanstack-db.js';

/** A live result as it is now. */
export interface LiveResult<T extends Row> {
  /** As they were, while the connection is lost; in the order of their ids, which `Uuid.v7()` makes that of time. */
  readonly rows: readonly T[];
  readonly status: 'loading' | 'ready' | 'error';
  /** Why the statement fails; the client's error. */
  readonly error: unknown;
  /** TanStack's: its `insert`, `update` and `delete` are seen at once, and its queries join and filter it. */
  readonly collection: Collection<T, string>;
}

/** Milliseconds for which a result that nothing shows any longer is followed. */
const KEPT = 5_000;

export class LiveQuery<T extends Row> {
  readonly #collection: Collection<T, string>;
  readonly #listeners = new Set<() => void>();
  #error: unknown;
  #result: LiveResult<T> | undefined;

  constructor(session: Session, query: string, bindings: Record<string, unknown>) {
    const options = liveCollection<T>({
      client: session.client,
      query,
      bindings,
      id: nameOf(query, bindings),
      outbox: session.outbox,
      onRows: () => this.#changed(undefined),
      onError: (error) => {
        this.#changed(error);
        // The end of a sign-in ends its live queries.
        void session.check();
      },
    });
    this.#collection = createCollection({ ...options, gcTime: KEPT }) as unknown as Collection<T, string>;
  }

  /** Follows the result, and calls back after each change. Returns what ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    const changed = () => this.#changed(this.#error);
    const changes = this.#collection.subscribeChanges(changed);
    const endOfStatus = this.#collection.on('status:change', changed);
    this.#result = undefined;
    return () => {
      this.#listeners.delete(listener);
      endOfStatus();
      changes.unsubscribe();
    };
  };

  /** The same object until something changes. */
  readonly read = (): LiveResult<T> => {
    const collection = this.#collection;
    this.#result ??= {
      rows: collection.toArray,
      status: this.#error !== undefined ? 'error' : collection.isReady() ? 'ready' : 'loading',
      error: this.#error,
      collection,
    };
    return this.#result;
  };

  onceCleanedUp(run: () => void): void {
    this.#collection.once('status:cleaned-up', run);
  }

  cleanUp(): void {
    void this.#collection.cleanup();
  }

  #changed(error: unknown): void {
    this.#error = error;
    this.#result = undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** Those of a session's present user. */
export class LiveQueries {
  readonly #session: Session;
  readonly #queries = new Map<string, LiveQuery<Row>>();
  #user: string | undefined;
  #outbox: Outbox | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The live result of a query, the same for all who ask for it. */
  of<T extends Row>(query: string, bindings: Record<string, unknown>): LiveQuery<T> {
    this.followUser();
    const name = nameOf(query, bindings);
    const found = this.#queries.get(name);
    if (found !== undefined) return found as unknown as LiveQuery<T>;
    const made = new LiveQuery<T>(this.#session, query, bindings);
    this.#queries.set(name, made as unknown as LiveQuery<Row>);
    made.onceCleanedUp(() => {
      if (this.#queries.get(name) === (made as unknown)) this.#queries.delete(name);
    });
    return made;
  }

  /** What another user has asked for is forgotten. */
  followUser(): void {
    const { state, outbox } = this.#session;
    const user = state.user?.id.toString();
    if (user === this.#user && outbox === this.#outbox) return;
    this.#user = user;
    this.#outbox = outbox;
    const former = [...this.#queries.values()];
    this.#queries.clear();
    for (const query of former) query.cleanUp();
  }
}
