/** Memory that is accounted for: of the process, and within it of connections, sessions and requests. */
import type { PromiseOrValue } from '../promise-or-value.js';

/** A scope takes so much of the one around it at a time, and gives it back when so much is free. */
export interface Allotment {
  readonly taken: number;
  readonly free: number;
}

const EXACT: Allotment = { taken: 0, free: 0 };

/**
 * A limit in bytes for one consumer of memory. Scopes nest: what is charged to one counts for those around it.
 *
 *     const process = new MemoryScope(256 * 2 ** 20, exceeded);
 *     const session = new MemoryScope(16 * 2 ** 20, exceeded, process);
 *     session.charge(weightOf(value)); // throws `exceeded(limit)` if either is full
 *     session.release(weightOf(value));
 *
 * A scope may besides have an owner, such as the user of a connection, for whose scope it counts as well.
 *
 * Shorter ones are marked by what is charged where they begin: `const mark = memory.used; …; memory.releaseTo(mark)`,
 * or `within` where a closure costs nothing.
 */
export class MemoryScope {
  /** May be changed. Charges beyond a lower limit stay; further ones fail until they are released. */
  limit: number;
  /** Bytes charged now; where a shorter scope begins, its mark. */
  used = 0;
  readonly #exceeded: (limit: number) => Error;
  readonly #parent: MemoryScope | undefined;
  readonly #allotment: Allotment;
  #owner: MemoryScope | undefined;
  /** Bytes charged to parent and owner for what is used here. */
  #taken = 0;
  #pinned = 0;
  #refusals = 0;

  /** `exceeded` creates the error of a charge beyond `limit`. */
  constructor(limit: number, exceeded: (limit: number) => Error, parent?: MemoryScope, allotment = EXACT) {
    this.limit = limit;
    this.#exceeded = exceeded;
    this.#parent = parent;
    this.#allotment = allotment;
  }

  /** A part of it without a limit of its own. */
  part(): MemoryScope {
    return new MemoryScope(Number.POSITIVE_INFINITY, this.#exceeded, this);
  }

  /** Bytes that the scopes around it count for this one. */
  get held(): number {
    return this.#taken + this.#pinned;
  }

  /** Number of charges beyond its own limit. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Charges bytes here and to all scopes around; if one is full, throws its error and charges nothing. */
  charge(bytes: number): void {
    this.used += bytes;
    if (this.used > this.#taken || this.#allotment === EXACT) this.#grow(bytes);
  }

  /** Releases bytes charged here. */
  release(bytes: number): void {
    this.releaseTo(this.used - bytes);
  }

  /** Releases what was charged since `mark` was what is used. */
  releaseTo(mark: number): void {
    if (this.used <= mark) return;
    this.used = mark;
    const { free } = this.#allotment;
    if (this.#taken - mark > free) this.#give(this.#taken - mark - free / 2);
  }

  /** Charges or releases so that it uses so many bytes. If a scope is full, throws its error and stays as it was. */
  resize(bytes: number): void {
    if (bytes > this.used) this.charge(bytes - this.used);
    else this.releaseTo(bytes);
  }

  /** Runs `body`, and releases whatever was charged meanwhile. */
  within<T>(body: () => PromiseOrValue<T>): PromiseOrValue<T> {
    const mark = this.used;
    try {
      const result = body();
      if (result instanceof Promise) return result.finally(() => this.releaseTo(mark));
      this.releaseTo(mark);
      return result;
    } catch (error) {
      this.releaseTo(mark);
      throw error;
    }
  }

  /**
   * Takes what was charged since `mark` out of the shorter scopes: it stays charged until as much is unpinned. Returns
   * the number of bytes.
   */
  pin(mark: number): number {
    const bytes = this.used - mark;
    if (bytes <= 0) return 0;
    this.#take(bytes);
    this.#pinned += bytes;
    this.releaseTo(mark);
    return bytes;
  }

  /** Releases bytes that were pinned. */
  unpin(bytes: number): void {
    this.#pinned -= bytes;
    this.#leave(bytes);
  }

  /** Releases everything. */
  close(): void {
    this.used = 0;
    this.#give(this.#taken);
    if (this.#pinned > 0) this.unpin(this.#pinned);
  }

  get owner(): MemoryScope | undefined {
    return this.#owner;
  }

  /** Gives it to another owner, with what is charged here, which may exceed the owner's limit then. */
  set owner(owner: MemoryScope | undefined) {
    this.#owner?.release(this.held);
    this.#owner = owner;
    if (owner === undefined) return;
    owner.used += this.held;
    owner.#taken += this.held;
  }

  /** It takes more of the scopes around it. */
  protected grown(): void {}

  /** It no longer takes anything. */
  protected emptied(): void {}

  #grow(bytes: number): void {
    const ahead = Math.min(this.#allotment.taken, this.limit - this.held);
    const wanted = Math.max(this.used - this.#taken, ahead);
    try {
      if (this.used + this.#pinned > this.limit) {
        this.#refusals++;
        throw this.#exceeded(this.limit);
      }
      this.#take(wanted);
    } catch (error) {
      this.used -= bytes;
      throw error;
    }
    this.#taken += wanted;
    this.grown();
  }

  #give(bytes: number): void {
    if (bytes <= 0) return;
    this.#taken -= bytes;
    this.#leave(bytes);
    if (this.#taken === 0) this.emptied();
  }

  #take(bytes: number): void {
    this.#parent?.charge(bytes);
    try {
      this.#owner?.charge(bytes);
    } catch (error) {
      this.#parent?.release(bytes);
      throw error;
    }
  }

  #leave(bytes: number): void {
    this.#parent?.release(bytes);
    this.#owner?.release(bytes);
  }
}
