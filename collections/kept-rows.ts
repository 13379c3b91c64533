/** A collection's part of an outbox: its rows as the server last had them, and what is written over them. */
import type { Row, RowChange } from './live-rows.js';
import type { Outbox } from './outbox.js';

/** What a page writes into: TanStack's collection. */
export interface Writable<T extends Row> {
  has(key: string): boolean;
  insert(row: T, options: { readonly metadata: KeptMark }): unknown;
  update(key: string, options: { readonly metadata: KeptMark }, change: (draft: T) => void): unknown;
  delete(key: string, options: { readonly metadata: KeptMark }): unknown;
}

/** Marks what is written into a collection again after a reload: it is in the outbox already. */
export type KeptMark = {
  readonly keptWrite: string;
};

/** Which write of the outbox a mutation is, if it is one. */
export const keptWriteOf = (metadata: unknown): string | undefined =>
  (metadata as Partial<KeptMark> | undefined)?.keptWrite;

/** Milliseconds for which rows are gathered before they are kept. */
const DELAY = 300;

export class KeptRows<T extends Row> {
  readonly #outbox: Outbox;
  readonly #name: string;
  readonly #collection: Writable<T>;
  readonly #rows = new Map<string, T>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outbox: Outbox, name: string, collection: Writable<T>) {
    this.#outbox = outbox;
    this.#name = name;
    this.#collection = collection;
  }

  /** As they were when the page was last connected. */
  get last(): readonly T[] | undefined {
    return this.#outbox.keptRows(this.#name);
  }

  replace(rows: readonly T[]): void {
    this.#rows.clear();
    for (const row of rows) this.#rows.set(String(row.id), row);
    this.#keepSoon();
  }

  change(change: RowChange<T>): void {
    if (change.type === 'delete') this.#rows.delete(change.key);
    else this.#rows.set(String(change.value.id), change.value);
    this.#keepSoon();
  }

  /** After a reload: what isn't known to be done is seen as it was before, and follows what becomes of it. */
  writeAgain(): void {
    for (const { id, mutations } of this.#outbox.keptWrites(this.#name)) {
      const options = { metadata: { keptWrite: id } };
      for (const { type, modified, changes, original } of mutations) {
        const key = String(type === 'insert' ? modified.id : original.id);
        const isThere = this.#collection.has(key);
        if (type === 'insert' && !isThere) this.#collection.insert(modified as T, options);
        if (type === 'update' && isThere)
          this.#collection.update(key, options, (draft) => void Object.assign(draft, changes));
        if (type === 'delete' && isThere) this.#collection.delete(key, options);
      }
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #keepSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#outbox.keepRows(this.#name, [...this.#rows.values()]);
    }, DELAY);
  }
}
