/**
 * Sessions attached over HTTP. An HTTP session lasts one request, so that only the settings of an attached one are
 * stored: selection and variables, never the principal. They belong to the exact credential with which they were
 * attached, which every request must present; with another one they cannot be found, listed or counted.
 */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { MemoryScope } from '../base/work/memory-scope.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';
import { guestRefusal } from '../runtime/authorization/authorize.js';
import type { Session } from '../session/contract.js';
import type { Variable } from '../session/resources/session-variables.js';

/** Limits of stored sessions. */
export interface StoredSessionBounds {
  /** Per user, over all credentials. */
  readonly perUser: number;
  readonly total: number;
  /** Bytes in all; one user may take a quarter. */
  readonly memory: number;
  /** Milliseconds without a request until a session is removed. */
  readonly idle: number;
}

/** The account and credential of a request. */
export interface CredentialHolder {
  /** The account, which may have other credentials. */
  readonly account: string;
  readonly credential: string;
}

/** The sessions of one credential. */
export interface CredentialSessions {
  /**
   * Attaches a session.
   * @throws TesseraError `session_exists`, `too_many_stored_sessions`, `stored_sessions_full`; `not_allowed` for guests
   */
  attach(id: string): void;
  detach(id: string): void;
  ids(): string[];
  /**
   * Finds a session.
   * @throws TesseraError `session_missing`
   */
  find(id: string): StoredSession;
}

/** Estimated bytes of a session besides its variables. */
const SESSION = 1_024;
/** The share of the memory that one user may take. */
const USER_SHARE = 1 / 4;

interface User {
  count: number;
  readonly budget: MemoryScope;
}

export class StoredSessions {
  readonly #environment: Environment;
  readonly #bounds: StoredSessionBounds;
  readonly #memory: MemoryScope;
  readonly #users = new Map<string, User>();
  /** By credential, then by id. */
  readonly #sessions = new Map<string, Map<string, StoredSession>>();
  /** Ordered by last use. */
  readonly #byUse = new Set<StoredSession>();
  #stopTimer: (() => void) | undefined;

  constructor(environment: Environment, bounds: StoredSessionBounds, parent?: MemoryScope) {
    this.#environment = environment;
    this.#bounds = bounds;
    this.#memory = budgetOf(bounds.memory, parent);
  }

  /** Number of stored sessions. */
  get size(): number {
    return this.#byUse.size;
  }

  /** Bytes reserved. */
  get reserved(): number {
    return this.#memory.used;
  }

  /** The sessions of a credential; without one, none exist and none can be attached. */
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

  /** Removes idle sessions, when the first of them times out. */
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

function budgetOf(limit: number, parent: MemoryScope | undefined): MemoryScope {
  return new MemoryScope(limit, () => failure('stored_sessions_full', { limit }), parent);
}

/** The stored settings of a session. */
export class StoredSession {
  /** Time of the last use, on the monotonic clock. */
  usedAt = 0;
  readonly #budget: MemoryScope;
  readonly #onForget: () => void;
  readonly #variables = new Map<string, Variable>();
  #databasePath: DatabasePath = {};
  #isForgotten = false;

  /**
   *
   * @throws TesseraError `stored_sessions_full`
   */
  constructor(budget: MemoryScope, onForget: () => void) {
    budget.charge(SESSION);
    this.#budget = budget;
    this.#onForget = onForget;
  }

  /** Runs `work` in the session of a request with these settings, and stores its changes to them. */
  async within<T>(session: Session, work: () => PromiseOrValue<T>): Promise<T> {
    const { namespace, database } = this.#databasePath;
    for (const [name, { value, weight }] of this.#variables) void session.setVariable(name, value, weight);
    // The selection in headers applies while the session has none.
    if (namespace !== undefined) await session.use(namespace, database ?? null);
    const before = { databasePath: session.identity.databasePath, variables: new Map(session.variables) };
    const result = await work();
    this.#keep(session, before);
    return result;
  }

  /** Stores only changed settings: a concurrent request may have changed others. */
  #keep(
    { identity: { databasePath }, variables }: Session,
    before: { databasePath: DatabasePath; variables: Map<string, Variable> },
  ): void {
    if (this.#isForgotten) return;
    if (
      databasePath.namespace !== before.databasePath.namespace ||
      databasePath.database !== before.databasePath.database
    )
      this.#databasePath = databasePath;
    for (const name of before.variables.keys()) if (!variables.has(name)) this.#unset(name);
    for (const [name, variable] of variables) if (before.variables.get(name) !== variable) this.#set(name, variable);
  }

  #set(name: string, variable: Variable): void {
    const growth = variable.weight - (this.#variables.get(name)?.weight ?? 0);
    if (growth > 0) this.#budget.charge(growth);
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
