/** The interface through which signing in reads and writes the database. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Grant, Grants } from '../catalog/credentials/grant.js';
import type { Incarnation } from '../catalog/credentials/incarnation.js';
import type { IssuedCredential, RevocableToken } from '../catalog/credentials/revocation-list.js';
import type { AccessDefinition, UserDefinition } from '../catalog/definitions/definition.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { Expression } from '../language/ast.js';
import type { ObjectValue, RecordId, Value } from '../value/value.js';
import type { SessionIdentity } from './identity.js';

/**
 * Reads and writes of the database that signing in needs; the session room implements it. Each call sees the committed
 * state.
 */
export interface Directory {
  /** The user defined at exactly this path. */
  user(databasePath: DatabasePath, name: string): PromiseOrValue<UserDefinition | undefined>;
  /** Replaces the password hash of a user, unless it has changed meanwhile. */
  replaceHash(databasePath: DatabasePath, name: string, former: string, hash: string): PromiseOrValue<void>;
  /** The access method defined at exactly this path. */
  access(databasePath: DatabasePath, name: string): PromiseOrValue<AccessDefinition | undefined>;
  grant(databasePath: DatabasePath, access: string, id: string): PromiseOrValue<Grant | undefined>;
  /** Whether a family of refresh tokens was revoked, with the access tokens issued with them. */
  isFamilyRevoked(databasePath: DatabasePath, access: string, family: string): PromiseOrValue<boolean>;
  /**
   * Reads and writes the grants of an access method in its own transaction, and commits it; `work` is retried on
   * conflicts. After `endSessions`, sessions that were opened with what it revokes end. `undefined` if the path doesn't
   * exist.
   */
  grants<T>(
    databasePath: DatabasePath,
    access: string,
    work: (grants: Grants, incarnationOf: IncarnationOf, endSessions: () => void) => PromiseOrValue<T>,
  ): PromiseOrValue<T | undefined>;
  /** A record as it is, without assigning an incarnation; `undefined` if it doesn't exist. */
  record(databasePath: DatabasePath, id: RecordId): PromiseOrValue<IdentifiedRecord | undefined>;
  /** The incarnation of a record, assigned if it has none; `undefined` if the record doesn't exist. */
  incarnation(databasePath: DatabasePath, id: RecordId): PromiseOrValue<Incarnation | undefined>;
  /**
   * Whether a credential of a user at exactly this path was revoked. `what` is called only if the store has any
   * revocations.
   */
  isRevoked(databasePath: DatabasePath, what: () => IssuedCredential): PromiseOrValue<boolean>;
  /** Revokes a token of a user at exactly this path, in its own transaction. */
  deny(databasePath: DatabasePath, token: RevocableToken): PromiseOrValue<void>;
  /**
   * Evaluates a SIGNUP, SIGNIN or AUTHENTICATE clause in its own transaction, without permissions, and commits it.
   * Conflicts are retried as for any statement.
   */
  evaluate(expression: Expression, run: AccessRun): PromiseOrValue<Value>;
  /** Like `evaluate`, for a clause that answers a record (`recordFrom`): its id and its state in that transaction. */
  identify(expression: Expression, run: AccessRun): PromiseOrValue<IdentifiedRecord | undefined>;
}

/** `undefined` when there is no such record. */
export type IncarnationOf = (id: RecordId) => PromiseOrValue<Incarnation | undefined>;

export interface IdentifiedRecord {
  readonly id: RecordId;
  /** `undefined` when there is no such record, or if it has none yet. */
  readonly incarnation: Incarnation | undefined;
}

export interface AccessRun {
  readonly databasePath: DatabasePath;
  readonly variables: ObjectValue;
  /** The identity behind `$session`, `$token`, `$auth` and `$access`. */
  readonly identity: SessionIdentity;
}
