/**
 * Collections of TanStack DB whose rows are a live result: the rows of any SELECT, as they are and as they change, with
 * optimistic writes.
 */
import type { Surreal } from 'surrealdb';
import { LiveRows, type Row, type RowChange } from './live-rows.js';
import { type RowMutation, writeMutations } from './write-mutations.js';

export { type Row, type RowMutation, writeMutations };

export interface LiveCollectionOptions {
  /** The official client; rows come while it is connected, and again when it is connected again. */
  readonly client: Surreal;
  /** A SELECT whose rows have an `id` each: `SELECT * FROM todo WHERE list = $list`. */
  readonly query: string;
  /** The parameters that it names. */
  readonly bindings?: Record<string, unknown>;
  /** The collection's name. */
  readonly id?: string;
  /** When the statement fails, or the server ends it, after the first rows have come. */
  readonly onError?: (error: unknown) => void;
}

// The part of TanStack's types that is needed here, which has stayed the same over its versions.

/** The options of TanStack's `createCollection`. */
export interface LiveCollection<T extends Row> {
  readonly id?: string;
  getKey(row: T): string;
  readonly sync: { sync(sink: RowSink<T>): () => void };
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
  readonly transaction: { readonly mutations: readonly RowMutation<T>[] };
}

/** Milliseconds for which a write waits for its rows to come back before its optimistic state goes. */
const PATIENCE = 1_000;

/**
 * The options of a collection. Its keys are the records' ids as text, `todo:1`; ids of new rows are made here:
 * `new RecordId('todo', Uuid.v7())`. What the rules refuse is rolled back, and rejects the transaction.
 *
 *     const todos = createCollection(liveCollection<Todo>({ client, query: 'SELECT * FROM todo' }));
 *     todos.insert({ id: new RecordId('todo', Uuid.v7()), text: 'Milk', done: false });
 */
export function liveCollection<T extends Row>(options: LiveCollectionOptions): LiveCollection<T> {
  const { client, query, bindings = {}, id, onError } = options;
  const arrivals = new Arrivals();
  const write = async ({ transaction: { mutations } }: RowMutations<T>): Promise<void> => {
    const keys = mutations.map(({ type, modified, original }) => String(type === 'insert' ? modified.id : original.id));
    const arrived = arrivals.of(keys);
    try {
      await writeMutations(client, mutations);
      await arrived.within(PATIENCE);
    } finally {
      arrived.forget();
    }
  };
  const sync = ({ begin, write: put, commit, truncate, markReady, markError }: RowSink<T>) => {
    let isReady = false;
    const rows = new LiveRows<T>(client, query, bindings, {
      replaced: (all) => {
        begin();
        truncate();
        for (const value of all) put({ type: 'insert', value });
        commit();
        isReady = true;
        markReady();
      },
      changed: (change) => {
        begin();
        put(change);
        commit();
        arrivals.note(keyOf(change));
      },
      failed: (error) => {
        if (isReady) onError?.(error);
        else markError(error);
      },
    });
    return () => rows.stop();
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
