/** The sessions that outlast a request, as statements see them. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { PresentSession } from '../../catalog/nodes/presence.js';
import type { DatabasePath, Identity } from '../../catalog/principal.js';
import type { Transaction } from '../../storage/contract.js';
import type { RecordId } from '../../value/value.js';

/** A session that outlasts a request, with a signed-in user. */
export interface LastingSession {
  /** A UUID. */
  readonly key: string;
  readonly identity: Identity;
  /** Receives the notifications of its live queries (`Execution.listener`). */
  readonly listener: object | undefined;
  /** What INFO FOR SESSIONS shows of it besides who it is. */
  readonly facts: SessionFacts;
  /** Ends it at once, with what it runs, holds and watches. It is expired then. */
  end(): void;
}

export interface SessionFacts {
  /** When the user signed in, in nanoseconds since 1970. */
  readonly since: bigint;
  /** When it was last used. */
  readonly active: bigint;
  readonly expires: bigint | undefined;
  readonly liveQueries: number;
}

/** The sessions of other nodes that use the store. */
export interface SessionsElsewhere {
  /** This node (`SharedStore.node`). */
  readonly node: string;
  /** The sessions of a user (`userKey`), or of all users. */
  all(transaction: Transaction, user?: string): PromiseOrValue<readonly PresentSession[]>;
  /** Has its node end a session when the transaction has committed. */
  end(transaction: Transaction, session: PresentSession): void;
}

/** The sessions that outlast a request. */
export interface SessionRegistry {
  /** Absent where no other node uses the store. */
  readonly elsewhere?: SessionsElsewhere | undefined;
  /** Those with a signed-in user, the oldest first. */
  signedIn(): Iterable<LastingSession>;
  /**
   * When a transaction commits that changes what users at a place or below it rest on, has their sessions re-validated.
   */
  scheduleRevalidation(transaction: Transaction, place: DatabasePath): void;
  /** The same for the users of a record. */
  scheduleRecordRevalidation(transaction: Transaction, place: DatabasePath, id: RecordId): void;
}
