/** Shares views of the data file among transactions, since LMDB's table of readers is small. */
import { failure, type TesseraError } from '../../../errors/error.js';
import type { ByteView } from './lmdb-store.js';

/** A snapshot of the store with its users: the transactions in it, and the pool as long as it is the newest. */
export class SharedSnapshot<V extends ByteView = ByteView> {
  readonly view: V;
  users = 1;
  /** Why it can no longer be read. */
  #ended: TesseraError | undefined;

  constructor(view: V) {
    this.view = view;
  }

  check(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  end(reason: TesseraError): void {
    this.#ended ??= reason;
  }
}

/**
 * The snapshots of a store that are in use: transactions that begin in the same state share one.
 *
 * Readers of the oldest state have to start again when too many states are in use, so that there is always room for the
 * newest.
 */
export class SnapshotPool<V extends ByteView = ByteView> {
  readonly #open: () => V;
  readonly #most: number;
  readonly #views = new Set<SharedSnapshot<V>>();
  #newest: SharedSnapshot<V> | undefined;

  /** `open` makes a view of the present state; there are at most `most` at a time. */
  constructor(open: () => V, most: number) {
    this.#open = open;
    this.#most = most;
  }

  /** The newest view, if it is open. */
  get newest(): V | undefined {
    return this.#newest?.view;
  }

  /** How many views transactions use, at least; the pool itself holds the newest. */
  get inUse(): number {
    return this.#views.size - (this.#newest === undefined ? 0 : 1);
  }

  /** The newest view, with one user more. */
  share(): SharedSnapshot<V> {
    this.#newest ??= this.#add(this.#open());
    this.#newest.users++;
    return this.#newest;
  }

  /** Gives the newest view's place to another one. */
  replace(view: V): void {
    this.outdate();
    this.#newest = this.#add(view);
  }

  unshare(shared: SharedSnapshot<V>): void {
    if (--shared.users > 0 || !this.#views.delete(shared)) return;
    shared.view.release();
  }

  /** The store has a newer state than the newest view shows. */
  outdate(): void {
    const outdated = this.#newest;
    this.#newest = undefined;
    if (outdated !== undefined) this.unshare(outdated);
  }

  /** Closes all views. */
  end(reason: TesseraError): void {
    for (const view of this.#views) view.end(reason);
  }

  close(): void {
    for (const { view } of this.#views) view.release();
    this.#views.clear();
  }

  #add(view: V): SharedSnapshot<V> {
    if (this.#views.size >= this.#most) this.#expireOldestSnapshot();
    const shared = new SharedSnapshot(view);
    this.#views.add(shared);
    return shared;
  }

  #expireOldestSnapshot(): void {
    const [oldest] = this.#views;
    if (oldest === undefined) return;
    oldest.end(failure('snapshot_expired'));
    this.#views.delete(oldest);
    oldest.view.release();
  }
}
