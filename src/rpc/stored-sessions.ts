/**
 * Sessions that were attached over HTTP. A session lasts no longer than a request there, so that what is kept under the name of one are its
 * settings: the selection and the variables, never who was signed in. They belong to the very credential with which they were attached;
 * each request shows that anew, and nobody else can find, list or count them.
 */
import { MemoryBudget } from '../base/memory-budget.js';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';
import { guestRefusal } from '../exec/authorize.js';
import type { Session } from '../session/contract.js';
import type { Variable } from '../session/session/variables.js';

/** Bounds of stored sessions. */
export interface StoredSessionBounds {
  /** How many a user may keep, with all credentials. */
  readonly perUser: number;
  readonly total: number;
  /** How many bytes they may hold together; a user a quarter of it. */
  readonly memory: number;
  /** After how many milliseconds without a request one is forgotten. */
  readonly idle: number;
}

/** Who shows which credential. */
export interface CredentialHolder {
  /** The account, which another credential may be of, too. */
  readonly account: string;
  readonly credential: string;
}

/** The sessions of one credential. */
export interface CredentialSessions {
  /** @throws TesseraError `session_exists`, `too_many_stored_sessions`, `stored_sessions_full`, `not_allowed` for guests */
  attach(id: string): void;
  detach(id: string): void;
  ids(): string[];
  /** @throws TesseraError `session_missing` */
  find(id: string): StoredSession;
}

/** What one takes besides its variables, estimated. */
const SESSION = 1_024;
/** Which part of the memory a user may take. */
const USER_SHARE = 1 / 4;

interface User {
  count: number;
  readonly budget: MemoryBudget;
}

export class StoredSessions {
  readonly #environment: Environment;
  readonly #bounds: StoredSessionBounds;
  readonly #memory: MemoryBudget;
  readonly #users = new Map<string, User>();
  /** By credential, then by id. */
  readonly #sessions = new Map<string, Map<string, StoredSession>>();
  /** Those used last are last. */
  readonly #byUse = new Set<StoredSession>();
  #stopTimer: (() => void) | undefined;

  constructor(environment: Environment, bounds: StoredSessionBounds, parent?: MemoryBudget) {
    this.#environment = environment;
    this.#bounds = bounds;
    this.#memory = budgetOf(bounds.memory, parent);
  }

  /** How many are kept. */
  get size(): number {
    return this.#byUse.size;
  }

  /** Bytes that they hold. */
  get reserved(): number {
    return this.#memory.used;
  }

  /** The sessions of a credential; without one there are none, and none can be attached. */
  of(holder: CredentialHolder | undefined): CredentialSessions {
    if (holder === undefined) return NONE;
    const { credential } = holder;
    return {
      attach: (id) => this.#attach(holder, id),
      detach: (id) => this.#sessions.get(credential)?.get(id)?.forget(),
      ids: () => [...(this.#sessions.get(credential)?.keys() ?? [])],
      find: (id) => {
        const found = this.#sessions.get(credential)?.get(id);
        if (found === undefined) throw failure('session_missing', { id });
        this.#use(found);
        return found;
      },
    };
  }

  #attach({ account, credential }: CredentialHolder, id: string): void {
    const own = this.#sessions.get(credential);
    if (own?.has(id)) throw failure('session_exists', { id });
    const { perUser, total, memory } = this.#bounds;
    if (this.#byUse.size >= total) throw failure('too_many_stored_sessions', { limit: total, of: 'server' });
    const user = this.#users.get(account) ?? { count: 0, budget: budgetOf(memory * USER_SHARE, this.#memory) };
    if (user.count >= perUser) throw failure('too_many_stored_sessions', { limit: perUser, of: 'user' });
    const session = new StoredSession(user.budget, () => {
      this.#byUse.delete(session);
      const others = this.#sessions.get(credential);
      others?.delete(id);
      if (others?.size === 0) this.#sessions.delete(credential);
      user.count--;
      if (user.count === 0) this.#users.delete(account);
    });
    user.count++;
    this.#users.set(account, user);
    this.#sessions.set(credential, (own ?? new Map<string, StoredSession>()).set(id, session));
    this.#use(session);
  }

  #use(session: StoredSession): void {
    session.usedAt = this.#environment.clock.monotonic();
    this.#byUse.delete(session);
    this.#byUse.add(session);
    if (this.#stopTimer === undefined) this.#wait();
  }

  /** Forgets those that were idle for too long, when the first of them is. */
  #wait(): void {
    const [first] = this.#byUse;
    if (first === undefined) return;
    const now = this.#environment.clock.monotonic();
    const soonest = Math.max(first.usedAt + this.#bounds.idle - now, 1);
    this.#stopTimer = this.#environment.timers.after(soonest, () => {
      this.#stopTimer = undefined;
      const over = this.#environment.clock.monotonic() - this.#bounds.idle;
      for (const session of this.#byUse) {
        if (session.usedAt > over) break;
        session.forget();
      }
      this.#wait();
    });
  }

  close(): void {
    this.#stopTimer?.();
    for (const session of this.#byUse) session.forget();
  }
}

const NONE: CredentialSessions = {
  attach: () => {
    throw guestRefusal();
  },
  detach: () => undefined,
  ids: () => [],
  find: (id) => {
    throw failure('session_missing', { id });
  },
};

function budgetOf(limit: number, parent: MemoryBudget | undefined): MemoryBudget {
  return new MemoryBudget(limit, () => failure('stored_sessions_full', { limit }), parent);
}

/** The settings that one session has been left with. */
export class StoredSession {
  /** By the clock that only goes on. */
  usedAt = 0;
  readonly #budget: MemoryBudget;
  readonly #onForget: () => void;
  readonly #variables = new Map<string, Variable>();
  #place: DatabasePath = {};
  #isForgotten = false;

  /** @throws TesseraError `stored_sessions_full` */
  constructor(budget: MemoryBudget, onForget: () => void) {
    budget.reserve(SESSION);
    this.#budget = budget;
    this.#onForget = onForget;
  }

  /** Does something in the session of a request as if that were this one, and keeps what it sets. */
  within<T>(session: Session, work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    const { namespace, database } = this.#place;
    for (const [name, { value, weight }] of this.#variables) void session.setVariable(name, value, weight);
    // What the headers select counts as long as the session has selected nothing.
    const selected = namespace === undefined ? undefined : session.use(namespace, database ?? null);
    return andThen(selected, () => {
      const before = { place: session.identity.place, variables: new Map(session.variables) };
      return andThen(work(), (result) => {
        this.#keep(session, before);
        return result;
      });
    });
  }

  /** What has changed, and no more: another request may have set other things meanwhile. */
  #keep(
    { identity: { place }, variables }: Session,
    before: { place: DatabasePath; variables: Map<string, Variable> },
  ): void {
    if (this.#isForgotten) return;
    if (place.namespace !== before.place.namespace || place.database !== before.place.database) this.#place = place;
    for (const name of before.variables.keys()) if (!variables.has(name)) this.#unset(name);
    for (const [name, variable] of variables) if (before.variables.get(name) !== variable) this.#set(name, variable);
  }

  #set(name: string, variable: Variable): void {
    const growth = variable.weight - (this.#variables.get(name)?.weight ?? 0);
    if (growth > 0) this.#budget.reserve(growth);
    else this.#budget.release(-growth);
    this.#variables.set(name, variable);
  }

  #unset(name: string): void {
    this.#budget.release(this.#variables.get(name)?.weight ?? 0);
    this.#variables.delete(name);
  }

  forget(): void {
    if (this.#isForgotten) return;
    this.#isForgotten = true;
    for (const name of [...this.#variables.keys()]) this.#unset(name);
    this.#budget.release(SESSION);
    this.#onForget();
  }
}
