/**
 * The memory of all sessions' variables: what is kept between requests is a part of what all share, so that requests
 * always have the rest.
 */
import { type Principal, userKey } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';

/** A session that may keep variables. */
export interface VariableHolder {
  principal(): Principal;
  /** Whether it is running a request. */
  isBusy(): boolean;
  /** Ends the session, and releases its variables. */
  evict(): void;
}

export class VariablePool {
  readonly #limit: number;
  readonly #held = new Map<VariableHolder, number>();
  #used = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Reserves bytes for a session. If there is no room, the idle sessions of users who hold more than this one's would
   * are ended, those with the most first.
   * @throws TesseraError `variables_full`
   */
  reserve(holder: VariableHolder, bytes: number): void {
    if (this.#used + bytes > this.#limit) this.#makeRoom(holder, bytes);
    this.#add(holder, bytes);
  }

  release(holder: VariableHolder, bytes: number): void {
    this.#add(holder, -bytes);
  }

  #add(holder: VariableHolder, bytes: number): void {
    this.#used += bytes;
    const held = (this.#held.get(holder) ?? 0) + bytes;
    if (held === 0) this.#held.delete(holder);
    else this.#held.set(holder, held);
  }

  #makeRoom(holder: VariableHolder, bytes: number): void {
    const totals = new Map<unknown, number>();
    for (const [each, held] of this.#held) totals.set(ownerOf(each), (totals.get(ownerOf(each)) ?? 0) + held);
    const totalOf = (each: VariableHolder) => totals.get(ownerOf(each)) ?? 0;
    const own = totalOf(holder) + bytes;
    const others = [...this.#held.keys()]
      .filter((each) => mayBeEnded(each) && totalOf(each) > own)
      .sort((a, b) => totalOf(b) - totalOf(a) || this.#heldBy(b) - this.#heldBy(a));
    const releasable = others.reduce((sum, each) => sum + this.#heldBy(each), 0);
    // No session is ended unless that makes room.
    if (this.#used - releasable + bytes > this.#limit) throw failure('variables_full', { limit: this.#limit });
    for (const each of others) {
      if (this.#used + bytes <= this.#limit) return;
      each.evict();
    }
  }

  #heldBy(holder: VariableHolder): number {
    return this.#held.get(holder) ?? 0;
  }
}

/** Root users are the operators of the server. */
function mayBeEnded(holder: VariableHolder): boolean {
  const principal = holder.principal();
  return !holder.isBusy() && (principal.kind !== 'system' || principal.level !== 'root');
}

/** The user, to whom all of their sessions count; a guest counts alone. */
function ownerOf(holder: VariableHolder): unknown {
  const principal = holder.principal();
  return principal.kind === 'guest' ? holder : userKey(principal);
}
