/**
 * Collections of TanStack DB whose rows are a live result: the rows of any SELECT, as they are and as they change, with
 * optimistic writes.
 */
import { type Surreal, toSurqlString } from 'surrealdb';
import { KeptRows, keptWriteOf, type Writable } from './kept-rows.js';
import { LiveRows, type Row, type RowChange } from './live-rows.js';
import { newId } from './new-id.js';
import type { Outbox } from './outbox.js';
import { type RowMutation, writeMutations } from './write-mutations.js';

export { newId, type Row, type RowMutation, writeMutations };

export interface LiveCollectionOptions {
  /** The official client; rows come while it is connected, and again when it is connected again. */
  readonly client: Surreal;
  /** A SELECT whose rows have an `id` each: `SELECT * FROM todo WHERE list = $list`. */
  readonly query: string;
  /** The parameters that it names. */
  readonly bindings?: Record<string, unknown>;
  /** The collection's name. */
  readonly id?: string;
  /** A session's: keeps what is written without a connection under the collection's name, and the rows. */
  readonly outbox?: Outbox | undefined;
  /** When all rows have come: at the beginning, and after each lost connection. */
  readonly onRows?: () => void;
  /** When the statement fails, or the server ends it. */
  readonly onError?: (error: unknown) => void;
}

// The part of TanStack's types that is needed here, which has stayed the same over its versions.

/** The options of TanStack's `createCollection`. */
export interface LiveCollection<T extends Row> {
  readonly id?: string;
  getKey(row: T): string;
  readonly sync: { sync(sink: RowSink<T> & { readonly collection: Writable<T> }): () => void };
  onInsert(mutations: RowMutations<T>): Promise<void>;
  onUpdate(mutations: RowMutations<T>): Promise<void>;
  onDelete(mutations: RowMutations<T>): Promise<void>;
}

/** Takes the rows that the server has. */
interface RowSink<T extends Row> {
  begin(): void;
  write(change: RowChange<T>): void;
  commit(): unknown;
  truncate(): void;
  markReady(): void;
  markError(error?: unknown): void;
}

interface RowMutations<T extends Row> {
  readonly transaction: {
    readonly mutations: readonly (RowMutation<T> & { readonly metadata?: unknown })[];
  };
}

/** Milliseconds for which a write waits for its rows to come back before its optimistic state goes. */
const PATIENCE = 1_000;

/**
 * The options of a collection. Its keys are the records' ids as text, `todo:1`; ids of new rows are made here:
 * `newId('todo')`. What the rules refuse is rolled back, and rejects the transaction.
 *
 *     const todos = createCollection(liveCollection<Todo>({ client, query: 'SELECT * FROM todo' }));
 *     todos.insert({ id: newId('todo'), text: 'Milk', done: false });
 */
export function liveCollection<T extends Row>(options: LiveCollectionOptions): LiveCollection<T> {
  const { client, query, bindings = {}, outbox, onRows, onError } = options;
  const id = options.id ?? (outbox && nameOf(query, bindings));
  const send = (mutations: RowMutations<T>['transaction']['mutations']): Promise<void> => {
    if (outbox === undefined || id === undefined) return writeMutations(client, mutations);
    const kept = keptWriteOf(mutations[0]?.metadata);
    return kept === undefined ? outbox.write(id, mutations) : outbox.settled(kept);
  };
  const arrivals = new Arrivals();
  const write = async ({ transaction: { mutations } }: RowMutations<T>): Promise<void> => {
    const keys = mutations.map(({ type, modified, original }) => String(type === 'insert' ? modified.id : original.id));
    const arrived = arrivals.of(keys);
    try {
      await send(mutations);
      await arrived.within(PATIENCE);
    } finally {
      arrived.forget();
    }
  };
  const sync: LiveCollection<T>['sync']['sync'] = (sink) => {
    const { begin, write: put, commit, truncate, markReady, markError, collection } = sink;
    let isReady = false;
    const kept = outbox && id !== undefined ? new KeptRows<T>(outbox, id, collection) : undefined;
    const replace = (all: readonly T[]): void => {
      begin();
      truncate();
      for (const value of all) put({ type: 'insert', value });
      commit();
      if (!isReady) kept?.writeAgain();
      isReady = true;
      markReady();
    };
    const rows = new LiveRows<T>(client, query, bindings, {
      replaced: (all) => {
        replace(all);
        kept?.replace(all);
        onRows?.();
      },
      changed: (change) => {
        begin();
        put(change);
        commit();
        kept?.change(change);
        arrivals.note(keyOf(change));
      },
      failed: (error) => {
        onError?.(error);
        if (!isReady) markError(error);
      },
    });
    const last = client.status === 'connected' ? undefined : kept?.last;
    if (last !== undefined) replace(last);
    return () => {
      rows.stop();
      kept?.stop();
    };
  };
  return {
    ...(id !== undefined && { id }),
    getKey: (row) => String(row.id),
    sync: { sync },
    onInsert: write,
    onUpdate: write,
    onDelete: write,
  };
}

/** What distinguishes a live result from the others of a page. */
export const nameOf = (query: string, bindings: Record<string, unknown>): string =>
  `${query} ${toSurqlString(bindings)}`;

function keyOf<T extends Row>(change: RowChange<T>): string {
  return change.type === 'delete' ? change.key : String(change.value.id);
}

/** Rows that are waited for. */
class Arrivals {
  readonly #waiting = new Set<(key: string) => void>();

  note(key: string): void {
    for (const waiting of this.#waiting) waiting(key);
  }

  /** Begins to wait for a change of each of the keys. */
  of(keys: readonly string[]): { within(milliseconds: number): Promise<void>; forget(): void } {
    const left = new Set(keys);
    let arrived = () => {};
    const all = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const note = (key: string): void => {
      left.delete(key);
      if (left.size === 0) arrived();
    };
    this.#waiting.add(note);
    return {
      within: async (milliseconds) => {
        const timer = setTimeout(arrived, milliseconds);
        await all;
        clearTimeout(timer);
      },
      forget: () => void this.#waiting.delete(note),
    };
  }
}
