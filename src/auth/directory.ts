import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Grant, Grants } from '../catalog/credentials/grant.js';
import type { Incarnation } from '../catalog/credentials/incarnation.js';
import type { IssuedCredential, RevocableToken } from '../catalog/credentials/revocation-list.js';
import type { AccessDefinition, UserDefinition } from '../catalog/definitions/definition.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { Expression } from '../language/ast.js';
import type { ObjectValue, RecordId, Value } from '../value/value.js';
import type { SessionIdentity } from './identity.js';

/** What signing in asks of the database; whoever opens transactions answers. Each call sees what is committed. */
export interface Directory {
  /** The user defined at exactly this place. */
  user(place: DatabasePath, name: string): PromiseOrValue<UserDefinition | undefined>;
  /** Puts another hash in the place of the one that a user has, if it still has that one. */
  replaceHash(place: DatabasePath, name: string, former: string, hash: string): PromiseOrValue<void>;
  /** The access method defined at exactly this place. */
  access(place: DatabasePath, name: string): PromiseOrValue<AccessDefinition | undefined>;
  grant(place: DatabasePath, access: string, id: string): PromiseOrValue<Grant | undefined>;
  /**
   * Reads and writes the grants of an access method in a transaction of its own, and commits it; `work` runs again after a conflict.
   * Gives `undefined` where the place doesn't exist.
   */
  grants<T>(
    place: DatabasePath,
    access: string,
    work: (grants: Grants, incarnationOf: IncarnationOf) => PromiseOrValue<T>,
  ): PromiseOrValue<T | undefined>;
  /** The incarnation of a record, which gets one if it has none; `undefined` when there is no such record. */
  incarnation(place: DatabasePath, id: RecordId): PromiseOrValue<Incarnation | undefined>;
  /** Whether something that users of exactly this place were handed out was taken back; `what` is asked for where anything ever was. */
  isRevoked(place: DatabasePath, what: () => IssuedCredential): PromiseOrValue<boolean>;
  /** Takes back a token of a user of exactly this place, in a transaction of its own. */
  deny(place: DatabasePath, token: RevocableToken): PromiseOrValue<void>;
  /**
   * Evaluates a SIGNUP, SIGNIN or AUTHENTICATE clause in a transaction of its own, with permissions off, and commits it. Retries conflicts
   * as for any statement.
   */
  evaluate(expression: Expression, run: AccessRun): PromiseOrValue<Value>;
  /** The same for a clause that gives a record (`recordFrom`): which one it is, as it was in that transaction. */
  identify(expression: Expression, run: AccessRun): PromiseOrValue<IdentifiedRecord | undefined>;
}

/** `undefined` when there is no such record. */
export type IncarnationOf = (id: RecordId) => PromiseOrValue<Incarnation | undefined>;

export interface IdentifiedRecord {
  readonly id: RecordId;
  /** `undefined` when there is no such record. */
  readonly incarnation: Incarnation | undefined;
}

export interface AccessRun {
  readonly place: DatabasePath;
  readonly variables: ObjectValue;
  /** What `$session`, `$token`, `$auth` and `$access` are. */
  readonly identity: SessionIdentity;
}
