/**
 * Sessions attached over HTTP. An HTTP session lasts one request, so that only the settings of an attached one are
 * stored: selection and variables, never the principal. They belong to the exact credential with which they were
 * attached, which every request must present; with another one they cannot be found, listed or counted. Signing in
 * within one makes it the new credential's as well: clients go on with either.
 *
 * One that is attached before its client has signed in is open (`open-sessions.ts`), until the first credential that
 * presents it owns it.
 */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { MemoryScope } from '../base/work/memory-scope.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';
import type { Session } from '../session/contract.js';
import type { Variable } from '../session/resources/session-variables.js';
import { OpenSessions } from './open-sessions.js';

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

/** Milliseconds without a request after which a session makes room for another of its account. */
const UNUSED = 60_000;
/** The credentials by which a session is found: its last ones. */
const MOST_HOLDERS = 4;

/** The account and credential of a request. */
export interface CredentialHolder {
  /** The account, which may have other credentials. */
  readonly account: string;
  readonly credential: string;
  /** A hash of the header that had it: who sends it again was there before. */
  readonly header: string;
}

/** The sessions of one credential, or the open ones. */
export interface CredentialSessions {
  /**
   * Attaches a session.
   * @throws TesseraError `session_exists`, `too_many_stored_sessions`, `stored_sessions_full`
   */
  attach(id: string): void;
  detach(id: string): void;
  /** Of those that are open, none: it isn't known whose they are. */
  ids(): string[];
  /**
   * Finds a session.
   * @throws TesseraError `session_missing`
   */
  find(id: string): Pick<StoredSession, 'within'>;
}

/** Open sessions hold nothing: what is set in one ends with its request. */
const OPEN: Pick<StoredSession, 'within'> = { within: async (_, work) => work() };

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
  readonly #open: OpenSessions;
  #stopTimer: (() => void) | undefined;

  constructor(environment: Environment, bounds: StoredSessionBounds, parent?: MemoryScope) {
    this.#environment = environment;
    this.#bounds = bounds;
    this.#memory = budgetOf(bounds.memory, parent);
    this.#open = new OpenSessions(environment.clock);
  }

  /** Number of stored sessions. */
  get size(): number {
    return this.#byUse.size;
  }

  /** Bytes reserved. */
  get reserved(): number {
    return this.#memory.used;
  }

  /**
   * The sessions of a credential; without one, those that are open.
   * @param source where the request comes from, by which open ones are counted
   */
  of(holder: CredentialHolder | undefined, source: string): CredentialSessions {
    if (holder === undefined) return this.#openOnes(source);
    return {
      attach: (id) => {
        this.#open.take(id);
        this.#attach(holder, id);
      },
      detach: (id) => this.#sessions.get(holder.credential)?.get(id)?.forget(),
      ids: () => [...(this.#sessions.get(holder.credential)?.keys() ?? [])],
      find: (id) => {
        const own = this.#sessions.get(holder.credential)?.get(id);
        if (own === undefined && !this.#open.take(id)) throw failure('session_missing', { id });
        const found = own ?? this.#attach(holder, id);
        this.#use(found);
        return found;
      },
    };
  }

  /**
   * A client has signed in within a session: it is the new credential's, too, if it was its account's, or of the header
   * that came with the request, which may have expired. An open one waits for the credential to present it.
   */
  share(id: string, header: string | undefined, holder: CredentialHolder): void {
    const found = this.#find(id, (former) => former.header === header || former.account === holder.account);
    if (found === undefined || this.#sessions.get(holder.credential)?.has(id) === true) return;
    this.#give(found, holder);
  }

  /**
   * A client goes on without its credential: what its session held ends, and it is open again.
   * @throws TesseraError `too_many_stored_sessions` if no other can be open; it has ended all the same
   */
  signOut(id: string, header: string, source: string): void {
    const found = this.#find(id, (former) => former.header === header);
    if (found === undefined) return;
    found.forget();
    this.#open.take(id);
    this.#open.attach(id, source);
  }

  #find(id: string, isHolder: (holder: CredentialHolder) => boolean): StoredSession | undefined {
    return [...this.#byUse].find((session) => session.id === id && session.holders.some(isHolder));
  }

  #give(session: StoredSession, holder: CredentialHolder): void {
    for (const { credential } of session.give(holder)) this.#withdraw(session, credential);
    const own = this.#sessions.get(holder.credential) ?? new Map<string, StoredSession>();
    this.#sessions.set(holder.credential, own.set(session.id, session));
  }

  #withdraw({ id }: StoredSession, credential: string): void {
    const sessions = this.#sessions.get(credential);
    sessions?.delete(id);
    if (sessions?.size === 0) this.#sessions.delete(credential);
  }

  #openOnes(source: string): CredentialSessions {
    return {
      attach: (id) => this.#open.attach(id, source),
      detach: (id) => void this.#open.take(id),
      ids: () => [],
      find: (id) => {
        this.#open.use(id);
        return OPEN;
      },
    };
  }

  #attach(holder: CredentialHolder, id: string): StoredSession {
    const { account, credential } = holder;
    if (this.#sessions.get(credential)?.has(id)) throw failure('session_exists', { id });
    const { perUser, total, memory } = this.#bounds;
    if (this.#byUse.size >= total) throw failure('too_many_stored_sessions', { limit: total, of: 'server' });
    const user = this.#users.get(account) ?? { count: 0, budget: budgetOf(memory * USER_SHARE, this.#memory) };
    if (user.count >= perUser && !this.#endUnused(account))
      throw failure('too_many_stored_sessions', { limit: perUser, of: 'user' });
    const session = new StoredSession(id, account, user.budget, () => {
      this.#byUse.delete(session);
      for (const former of session.holders) this.#withdraw(session, former.credential);
      user.count--;
      if (user.count === 0) this.#users.delete(account);
    });
    user.count++;
    this.#users.set(account, user);
    this.#give(session, holder);
    this.#use(session);
    return session;
  }

  /** Some clients forget sessions without detaching them. Whether one of the account made room. */
  #endUnused(account: string): boolean {
    const over = this.#environment.clock.monotonic() - UNUSED;
    const unused = [...this.#byUse].find((session) => session.account === account && session.usedAt <= over);
    unused?.forget();
    return unused !== undefined;
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
    this.#open.clear();
  }
}

function budgetOf(limit: number, parent: MemoryScope | undefined): MemoryScope {
  return new MemoryScope(limit, () => failure('stored_sessions_full', { limit }), parent);
}

/** The stored settings of a session. */
export class StoredSession {
  /** Time of the last use, on the monotonic clock. */
  usedAt = 0;
  readonly holders: CredentialHolder[] = [];
  readonly #budget: MemoryScope;
  readonly #onForget: () => void;
  readonly #variables = new Map<string, Variable>();
  #databasePath: DatabasePath = {};
  #isForgotten = false;

  /**
   *
   * @throws TesseraError `stored_sessions_full`
   */
  constructor(
    readonly id: string,
    readonly account: string,
    budget: MemoryScope,
    onForget: () => void,
  ) {
    budget.charge(SESSION);
    this.#budget = budget;
    this.#onForget = onForget;
  }

  /** Makes it a credential's as well, and answers those whose it is no longer. */
  give(holder: CredentialHolder): readonly CredentialHolder[] {
    this.holders.push(holder);
    return this.holders.splice(0, this.holders.length - MOST_HOLDERS);
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
