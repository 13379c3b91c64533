/**
 * The lasting sessions of this process, by user. It is kept in memory only: a session ends with its connection, and
 * revocations are stored (`catalog/credentials/revocation-list.ts`). Where several nodes use the store, each writes its
 * sessions there (`SessionPresence`), and re-validates them when another node changes what they depend on.
 */
import { revocableToken } from '../../catalog/credentials/revocation-list.js';
import type { FollowedKey } from '../../catalog/keys/followed-key.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { type DatabasePath, databasePathOf, type Principal, userKey } from '../../catalog/principal.js';
import type { Level } from '../../language/ast.js';
import type { SessionRegistry } from '../../runtime/execution.js';
import type { SessionsElsewhere } from '../../runtime/nodes.js';
import type { Transaction } from '../../storage/contract.js';
import type { RecordId } from '../../value/value.js';
import type { RegisteredSession } from './registered-session.js';

/** The bookkeeping of sessions if other nodes use the store. */
export interface SharedSessions {
  /** Which sessions depend on a grant, an identity or a record. */
  readonly dependencies: {
    add(session: RegisteredSession): void;
    remove(session: RegisteredSession): void;
    on(key: DependencyKey): Iterable<RegisteredSession>;
  };
  /** The sessions of all nodes. */
  readonly presence: SessionsElsewhere & {
    /** `user` identifies the user who has signed in. */
    entered(session: RegisteredSession, user: string): void;
    left(session: RegisteredSession): void;
  };
}

/** The keys on which single sessions depend. */
export type DependencyKey = Extract<FollowedKey, { readonly kind: 'grant' | 'revoked' | 'incarnation' }>;

export class InMemorySessionRegistry implements SessionRegistry {
  /** Maximum number of sessions per record user; a further one ends the oldest. */
  readonly #perUser: number | undefined;
  /** By user; each set in the order of sign-ins. */
  readonly #users = new Map<string, Set<RegisteredSession>>();
  /** The number of sessions of record users. */
  #records = 0;
  #epoch = 0;
  /** The user records that a transaction has deleted so far, or whose sessions it ends, by their databases. */
  readonly #ended = new WeakMap<Transaction, Map<string, RecordId[]>>();
  readonly #shared: SharedSessions | undefined;

  /** With `shared`, the limit is kept by `SessionPresence`, which counts the sessions of all nodes. */
  constructor(perUser: number | undefined, shared?: SharedSessions) {
    this.#perUser = shared === undefined ? perUser : undefined;
    this.#shared = shared;
  }

  get elsewhere(): SessionsElsewhere | undefined {
    return this.#shared?.presence;
  }

  /** Incremented whenever a user or access method changes that sessions depend on. */
  get epoch(): number {
    return this.#epoch;
  }

  /** A user has signed in to the session. */
  enter(session: RegisteredSession, principal: Principal): void {
    if (principal.kind === 'guest') return;
    const key = userKey(principal);
    const sessions = this.#users.get(key) ?? new Set();
    this.#users.set(key, sessions.add(session));
    if (this.#shared !== undefined) {
      this.#shared.dependencies.add(session);
      this.#shared.presence.entered(session, key);
    }
    if (principal.kind !== 'record') return;
    this.#records++;
    if (this.#perUser === undefined || sessions.size <= this.#perUser) return;
    const [oldest] = sessions;
    oldest?.end();
  }

  /** The user has left the session. */
  leave(session: RegisteredSession, principal: Principal): void {
    if (principal.kind === 'guest') return;
    const key = userKey(principal);
    const sessions = this.#users.get(key);
    if (sessions?.delete(session) !== true) return;
    if (principal.kind === 'record') this.#records--;
    if (sessions.size === 0) this.#users.delete(key);
    this.#shared?.dependencies.remove(session);
    this.#shared?.presence.left(session);
  }

  /** The session with this id. */
  find(id: string): RegisteredSession | undefined {
    for (const session of this.signedIn()) if (session.key === id) return session;
    return undefined;
  }

  *signedIn(): Iterable<RegisteredSession> {
    const all = [...this.#users.values()].flatMap((sessions) => [...sessions]);
    yield* all.sort((a, b) => Number(a.facts.since - b.facts.since));
  }

  scheduleRevalidation(transaction: Transaction, databasePath: DatabasePath): void {
    transaction.afterCommit(() => {
      this.#epoch++;
      for (const session of this.signedIn())
        if (isWithin(session.holder.principal, databasePath)) session.scheduleRevalidation();
    });
  }

  /**
   * Another node has written a key on which sessions depend. `pathOf` returns the names of a database, if known.
   */
  followed(key: FollowedKey, pathOf: (database: Id) => DatabasePath | undefined): void {
    this.#epoch++;
    switch (key.kind) {
      case 'user': {
        const databasePath = key.database === undefined ? undefined : pathOf(key.database);
        for (const session of this.signedIn()) {
          const { principal } = session.holder;
          if (levelOf(principal) === key.level && isWithin(principal, databasePath ?? {}))
            session.scheduleRevalidation();
        }
        return;
      }
      case 'grant':
      case 'revoked':
      case 'incarnation':
        for (const session of this.#shared?.dependencies.on(key) ?? []) session.scheduleRevalidation();
    }
  }

  /** Commits of other nodes were missed. */
  revalidateAll(): void {
    this.#epoch++;
    for (const session of this.signedIn()) session.scheduleRevalidation();
  }

  /**
   * Ends the sessions of users who signed in without a token that can be revoked: other nodes may have requested the
   * end of any of them, and it is unknown of which.
   */
  endWithoutToken(): void {
    for (const session of this.signedIn()) if (revocableToken(session.holder.token) === undefined) session.end();
  }

  scheduleRecordRevalidation(transaction: Transaction, databasePath: DatabasePath, id: RecordId): void {
    const databases = this.#ended.get(transaction) ?? new Map<string, RecordId[]>();
    this.#ended.set(transaction, databases);
    const path = JSON.stringify(databasePath);
    const known = databases.get(path);
    if (known !== undefined) {
      known.push(id);
      return;
    }
    const ids = [id];
    databases.set(path, ids);
    transaction.afterCommit(() => {
      // A concurrent sign-in may have read the record before it was deleted.
      this.#epoch++;
      for (const session of this.#ofRecords(databasePath, ids)) session.scheduleRevalidation();
    });
  }

  /** The sessions of records; all record sessions of the database if they are fewer than `ids`. */
  *#ofRecords({ namespace = '', database = '' }: DatabasePath, ids: readonly RecordId[]): Iterable<RegisteredSession> {
    if (ids.length > this.#records) {
      for (const session of this.signedIn()) {
        const { principal } = session.holder;
        if (principal.kind === 'record' && isWithin(principal, { namespace, database })) yield session;
      }
      return;
    }
    for (const id of ids) {
      yield* this.#users.get(userKey({ kind: 'record', namespace, database, access: '', id })) ?? [];
    }
  }
}

function levelOf(principal: Principal): Level | undefined {
  if (principal.kind === 'guest') return undefined;
  const { namespace, database } = databasePathOf(principal);
  return database !== undefined ? 'database' : namespace !== undefined ? 'namespace' : 'root';
}

function isWithin(principal: Principal, { namespace, database }: DatabasePath): boolean {
  if (principal.kind === 'guest') return false;
  const databasePath = databasePathOf(principal);
  return (
    (namespace === undefined || databasePath.namespace === namespace) &&
    (database === undefined || databasePath.database === database)
  );
}
