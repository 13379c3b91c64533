/**
 * What a browser keeps of one user while there is no connection: the writes, which are sent in their order when it is
 * back, and the rows that were last seen.
 */
import { RecordId, ServerError, type Surreal } from 'surrealdb';
import { alone, type BrowserStore } from './browser-store.js';
import type { Row } from './live-rows.js';
import { newName } from './new-id.js';
import { NOT_YET, type RowMutation, writeMutations } from './write-mutations.js';

export interface OutboxOptions {
  readonly client: Surreal;
  /** Its own: all that is kept for the user. */
  readonly store: BrowserStore;
  /** Whose writes they are. */
  readonly user: RecordId;
  /** The table of receipts, `docs/guides/offline.md`. */
  readonly receipts: string;
}

/** A write that isn't known to be done: what one transaction of a page has changed in one collection. */
export interface KeptWrite {
  readonly id: string;
  /** The collection's name. */
  readonly collection: string;
  readonly mutations: readonly RowMutation<Row>[];
  /** Of its receipt; it has one as soon as it is sent. */
  readonly number?: number;
  /** Why it was refused, for the tab that has made it. */
  readonly refused?: string;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
  readonly settled: Promise<void>;
}

/** Milliseconds until a write is sent again that has failed for reasons that aren't its own; they double. */
const PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** Why a write wasn't done: itself, what else the server does, or that no one answers or another user is signed in. */
type Cause = 'write' | 'server' | 'connection';

/** How often a write is sent before it is given up, which rolls it back. */
const MOST_TRIES: Readonly<Record<Cause, number>> = { write: 1, server: 10, connection: Number.POSITIVE_INFINITY };

export class Outbox {
  readonly user: RecordId;
  readonly #client: Surreal;
  readonly #store: BrowserStore;
  readonly #receipts: string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();
  readonly #ends: (() => void)[];
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #tries = 0;

  constructor({ client, store, user, receipts }: OutboxOptions) {
    this.user = user;
    this.#client = client;
    this.#store = store;
    this.#receipts = receipts;
    this.#ends = [
      client.subscribe('connected', () => this.#send()),
      store.watch((key) => {
        if (key.startsWith(WRITES)) this.#otherTab(key.slice(WRITES.length));
      }),
    ];
    this.#send();
  }

  /** How many writes are kept. */
  get size(): number {
    return this.#ids().length;
  }

  /** Calls back when their number has changed. Returns what ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Keeps a write, and sends it when those before it are done. Resolves when it is done.
   *
   * @throws the client's error, where the server refuses it
   */
  write<T extends Row>(collection: string, mutations: readonly RowMutation<T>[]): Promise<void> {
    const id = newName();
    // TanStack's mutations hold more than can be kept.
    const kept = mutations.map(({ type, modified, changes, original }) => ({
      type,
      modified: withoutExtras(modified),
      changes: withoutExtras(changes),
      original: { id: original.id },
    }));
    this.#store.set(WRITES + id, { collection, mutations: kept });
    const settled = this.settled(id);
    this.#changed();
    this.#send();
    return settled;
  }

  /** Resolves when a write is done, rejects when it is refused. */
  settled(id: string): Promise<void> {
    const waiting = this.#waiting.get(id) ?? newWaiting();
    this.#waiting.set(id, waiting);
    return waiting.settled;
  }

  /** The writes of a collection that aren't known to be done, in their order. */
  keptWrites(collection: string): KeptWrite[] {
    return this.#ids().flatMap((id) => {
      const kept = this.#read(id);
      return kept?.collection === collection ? [kept] : [];
    });
  }

  keptRows<T extends Row>(collection: string): readonly T[] | undefined {
    return this.#store.get(ROWS + collection);
  }

  /** Where the browser has no more room, the rows aren't kept; they are the server's. */
  keepRows(collection: string, rows: readonly Row[]): void {
    try {
      this.#store.set(ROWS + collection, rows);
    } catch {
      this.#store.remove(ROWS + collection);
    }
  }

  removeRows(): void {
    for (const key of this.#store.keys(ROWS)) this.#store.remove(key);
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }

  #send(): void {
    this.#sending ??= alone(`${this.#store.prefix}outbox`, () => this.#sendAll()).finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (!this.#isClosed && this.#client.status === 'connected') {
      const [id] = this.#ids();
      const write = id === undefined ? undefined : this.#read(id);
      if (id === undefined) return;
      if (write === undefined) {
        // Not of this release.
        this.#settle(id);
        continue;
      }
      try {
        await this.#sendOne(write);
        this.#tries = 0;
        this.#settle(id);
      } catch (error) {
        const most = MOST_TRIES[causeOf(error)];
        if (++this.#tries < most) {
          setTimeout(() => this.#send(), Math.min(PAUSE * 2 ** this.#tries, LONGEST_PAUSE));
          return;
        }
        this.#tries = 0;
        this.#settle(id, error);
      }
    }
  }

  async #sendOne(write: KeptWrite): Promise<void> {
    const number = write.number ?? (this.#store.get<number>(LAST) ?? 0) + 1;
    if (write.number === undefined) {
      this.#store.set(LAST, number);
      const { collection, mutations } = write;
      this.#store.set(WRITES + write.id, { collection, mutations, number });
    }
    const record = new RecordId(this.#receipts, this.#browser());
    await writeMutations(this.#client, write.mutations, { record, number, user: this.user });
  }

  /** The name of this browser among those of the user. */
  #browser(): string {
    const named = this.#store.get<string>(BROWSER) ?? newName();
    this.#store.set(BROWSER, named);
    return named;
  }

  #settle(id: string, error?: unknown): void {
    // Other tabs see what is written before it is removed.
    if (error !== undefined) this.#store.set(WRITES + id, { refused: String(error) });
    this.#store.remove(WRITES + id);
    this.#answer(id, error);
  }

  #otherTab(id: string): void {
    const kept = this.#read(id);
    if (kept === undefined) this.#answer(id);
    else if (kept.refused !== undefined) this.#answer(id, new Error(kept.refused));
    else this.#changed();
  }

  #answer(id: string, error?: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve();
    else waiting?.reject(error);
    this.#changed();
  }

  #ids(): string[] {
    return this.#store.keys(WRITES).map((key) => key.slice(WRITES.length));
  }

  #read(id: string): KeptWrite | undefined {
    const kept = this.#store.get<Omit<KeptWrite, 'id'>>(WRITES + id);
    return kept && { ...kept, id };
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const WRITES = 'write:';
const ROWS = 'rows:';
const LAST = 'last';
const BROWSER = 'browser';

function causeOf(error: unknown): Cause {
  if (!(error instanceof ServerError) || error.message.includes(NOT_YET)) return 'connection';
  // Rules refuse by a text of ours; this is a session that has expired.
  if (error.kind === 'NotAllowed') return 'connection';
  return error.kind === 'Query' ? 'server' : 'write';
}

/** TanStack adds fields of its own to rows, `$synced` among them. */
function withoutExtras<T extends object>(row: T): T {
  return Object.fromEntries(Object.entries(row).filter(([field]) => !field.startsWith('$'))) as T;
}

function newWaiting(): Waiting {
  let resolve = () => {};
  let reject: Waiting['reject'] = () => {};
  const settled = new Promise<void>((resolveIt, rejectIt) => {
    resolve = resolveIt;
    reject = rejectIt;
  });
  // It rejects for those who wait for it; where there is none, the page shall not fail.
  settled.catch(() => undefined);
  return { settled, resolve, reject };
}
