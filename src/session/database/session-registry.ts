/**
 * The lasting sessions of a store, by user. It is kept in memory only: a session ends with its connection, and
 * revocations are stored (`catalog/credentials/revocation-list.ts`).
 */
import type { SessionIdentity } from '../../auth/identity.js';
import { type DatabasePath, databasePathOf, type Principal, subjectOf } from '../../catalog/principal.js';
import type { LastingSession, SessionRegistry } from '../../exec/runtime/execution.js';
import type { Transaction } from '../../storage/contract.js';
import type { RecordId } from '../../value/value.js';

/** A session as seen by the registry. */
export interface RegisteredSession extends LastingSession {
  /** Its user or access method may have changed: schedules a check. */
  scheduleRevalidation(): void;
}

export class InMemorySessionRegistry implements SessionRegistry {
  /** Maximum number of sessions per record user; a further one ends the oldest. */
  readonly #perUser: number | undefined;
  /** By user; each set in the order of sign-ins. */
  readonly #users = new Map<string, Set<RegisteredSession>>();
  /** How many of them are record users'. */
  #records = 0;
  #epoch = 0;
  /** The user records that a transaction has deleted so far. */
  readonly #deleted = new WeakMap<Transaction, RecordId[]>();

  constructor(perUser: number | undefined) {
    this.#perUser = perUser;
  }

  /** Incremented whenever a user or access method changes that sessions depend on. */
  get epoch(): number {
    return this.#epoch;
  }

  /** A user has signed in to the session. */
  enter(session: RegisteredSession, principal: Principal): void {
    if (principal.kind === 'guest') return;
    const key = principalKey(principal);
    const sessions = this.#users.get(key) ?? new Set();
    this.#users.set(key, sessions.add(session));
    if (principal.kind !== 'record') return;
    this.#records++;
    if (this.#perUser === undefined || sessions.size <= this.#perUser) return;
    const [oldest] = sessions;
    oldest?.end();
  }

  /** The user has left the session. */
  leave(session: RegisteredSession, principal: Principal): void {
    if (principal.kind === 'guest') return;
    const key = principalKey(principal);
    const sessions = this.#users.get(key);
    if (sessions?.delete(session) !== true) return;
    if (principal.kind === 'record') this.#records--;
    if (sessions.size === 0) this.#users.delete(key);
  }

  *signedIn(): Iterable<RegisteredSession> {
    const all = [...this.#users.values()].flatMap((sessions) => [...sessions]);
    yield* all.sort((a, b) => Number(a.facts.since - b.facts.since));
  }

  scheduleRevalidation(transaction: Transaction, place: DatabasePath): void {
    transaction.afterCommit(() => {
      this.#epoch++;
      for (const session of this.signedIn())
        if (isWithin(session.identity.principal, place)) session.scheduleRevalidation();
    });
  }

  scheduleRecordRevalidation(transaction: Transaction, { namespace, database }: DatabasePath, id: RecordId): void {
    const known = this.#deleted.get(transaction);
    if (known !== undefined) {
      known.push(id);
      return;
    }
    const ids = [id];
    this.#deleted.set(transaction, ids);
    transaction.afterCommit(() => {
      // A concurrent sign-in may have read the record before it was deleted.
      this.#epoch++;
      for (const session of this.#ofRecords(namespace, database, ids)) session.scheduleRevalidation();
    });
  }

  /** The sessions of records; all record sessions of the database if they are fewer than `ids`. */
  *#ofRecords(namespace = '', database = '', ids: readonly RecordId[]): Iterable<RegisteredSession> {
    if (ids.length > this.#records) {
      for (const session of this.signedIn()) {
        const { principal } = session.identity;
        if (principal.kind === 'record' && isWithin(principal, { namespace, database })) yield session;
      }
      return;
    }
    for (const id of ids) {
      yield* this.#users.get(principalKey({ kind: 'record', namespace, database, access: '', id })) ?? [];
    }
  }
}

/** Identifies a user. */
export function principalKey(principal: Exclude<Principal, { kind: 'guest' }>): string {
  const { namespace, database } = databasePathOf(principal);
  return JSON.stringify([namespace, database, subjectOf(principal)]);
}

/**
 * Identifies an account: like `principalKey`, but a user that is redefined or a record that is recreated gets another
 * key. `undefined` without credentials.
 */
export function accountKey({ principal, signedIn: { basis } }: SessionIdentity): string | undefined {
  if (principal.kind === 'guest' || basis === undefined) return undefined;
  const secret = basis.kind === 'user' ? basis.user.secret : basis.access.secret;
  return JSON.stringify([
    principalKey(principal),
    secret,
    principal.kind === 'record' ? principal.incarnation : undefined,
  ]);
}

function isWithin(principal: Principal, { namespace, database }: DatabasePath): boolean {
  if (principal.kind === 'guest') return false;
  const place = databasePathOf(principal);
  return (
    (namespace === undefined || place.namespace === namespace) &&
    (database === undefined || place.database === database)
  );
}
