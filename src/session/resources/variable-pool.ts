/**
 * The memory of all sessions' variables: what is kept between requests is a part of what all share, so that requests
 * always have the rest.
 */
import { type Identity, userKey } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';

/** A session that may keep variables. */
export interface VariableHolder {
  readonly holder: Pick<Identity, 'principal'>;
  /** Whether it is running a request. */
  readonly isBusy: boolean;
  /** Ends the session, and releases its variables. */
  evict(): void;
}

/** The owner of all guests' sessions: anyone may open any number of them. */
const GUESTS = Symbol('guests');

type Owner = string | typeof GUESTS;

/** What a session keeps. */
interface Share {
  readonly session: VariableHolder;
  /** The user, to whom all of their sessions count. */
  owner: Owner;
  bytes: number;
}

export class VariablePool {
  readonly #limit: number;
  readonly #shares = new Map<VariableHolder, Share>();
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
   * are ended, those with the most first; all guests together count as one user. For a guest only guests' sessions are
   * ended that hold more than its own would.
   * @throws TesseraError `variables_full`
   */
  reserve(session: VariableHolder, bytes: number): void {
    const owner = ownerOf(session);
    if (this.#used + bytes > this.#limit) this.#makeRoom(session, owner, bytes);
    const share = this.#shares.get(session) ?? { session, owner, bytes: 0 };
    share.owner = owner;
    share.bytes += bytes;
    this.#used += bytes;
    this.#shares.set(session, share);
  }

  release(session: VariableHolder, bytes: number): void {
    const share = this.#shares.get(session);
    if (share === undefined) return;
    share.bytes -= bytes;
    this.#used -= bytes;
    if (share.bytes === 0) this.#shares.delete(session);
  }

  #makeRoom(session: VariableHolder, owner: Owner, bytes: number): void {
    const totals = new Map<Owner, number>();
    const totalOf = (each: Owner) => totals.get(each) ?? 0;
    for (const share of this.#shares.values()) totals.set(share.owner, totalOf(share.owner) + share.bytes);
    const own = bytes + (owner === GUESTS ? (this.#shares.get(session)?.bytes ?? 0) : totalOf(owner));
    const holdsMore = (share: Share) =>
      owner === GUESTS ? share.owner === GUESTS && share.bytes > own : totalOf(share.owner) > own;
    const others = [...this.#shares.values()].filter((share) => holdsMore(share) && mayBeEnded(share.session));
    // No session is ended unless that makes room.
    const releasable = others.reduce((sum, share) => sum + share.bytes, 0);
    if (this.#used - releasable + bytes > this.#limit) throw failure('variables_full', { limit: this.#limit });
    others.sort((a, b) => totalOf(b.owner) - totalOf(a.owner) || b.bytes - a.bytes);
    for (const other of others) {
      if (this.#used + bytes <= this.#limit) return;
      other.session.evict();
    }
  }
}

/** Root users are the operators of the server. */
function mayBeEnded(session: VariableHolder): boolean {
  const { principal } = session.holder;
  return !session.isBusy && (principal.kind !== 'system' || principal.level !== 'root');
}

function ownerOf(session: VariableHolder): Owner {
  const { principal } = session.holder;
  return principal.kind === 'guest' ? GUESTS : userKey(principal);
}
