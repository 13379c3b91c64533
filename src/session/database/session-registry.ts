/**
 * The sessions of a store that outlast a request, by their users. Nothing here is written down: a session ends with its connection, and
 * what keeps a user out for longer is kept in the store (`catalog/credentials/revocation-list.ts`).
 */
import type { SessionIdentity } from '../../auth/identity.js';
import { type DatabasePath, databasePathOf, type Principal, subjectOf } from '../../catalog/principal.js';
import type { LastingSession, SessionRegistry } from '../../exec/execution.js';
import type { Transaction } from '../../storage/contract.js';
import type { RecordId } from '../../value/value.js';

/** As the registry sees it. */
export interface RegisteredSession extends LastingSession {
  /** What it rests on may have changed. */
  scheduleRevalidation(): void;
}

export class InMemorySessionRegistry implements SessionRegistry {
  /** How many sessions a record user may have; the oldest ends when there is one more. */
  readonly #perUser: number | undefined;
  /** By their users; each set in the order of sign-ins. */
  readonly #users = new Map<string, Set<RegisteredSession>>();
  /** Record users among them. */
  #records = 0;
  #epoch = 0;
  /** The records of users that a transaction has deleted so far. */
  readonly #deleted = new WeakMap<Transaction, RecordId[]>();

  constructor(perUser: number | undefined) {
    this.#perUser = perUser;
  }

  /** Goes up whenever something changed that sessions rest on. */
  get epoch(): number {
    return this.#epoch;
  }

  /** A session has become somebody's. */
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

  /** It isn't any more. */
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
      // Whoever is signing in just now may have found the record still there.
      this.#epoch++;
      for (const session of this.#ofRecords(namespace, database, ids)) session.scheduleRevalidation();
    });
  }

  /** The sessions of records; of all records of the place where they are fewer than those asked for. */
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

/** Tells users apart. */
export function principalKey(principal: Exclude<Principal, { kind: 'guest' }>): string {
  const { namespace, database } = databasePathOf(principal);
  return JSON.stringify([namespace, database, subjectOf(principal)]);
}

/**
 * The same for who is signed in, with what changes when a user is defined or a record made anew. `undefined` for those who have shown
 * nothing.
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
