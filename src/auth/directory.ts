/** The interface by which signing in reaches the store: users, access methods, grants, records, clauses. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { FactorTries } from '../catalog/credentials/factor-tries.js';
import type { Grant, Grants } from '../catalog/credentials/grant.js';
import type { Identities, IdentityGrant } from '../catalog/credentials/identity.js';
import type { Incarnation } from '../catalog/credentials/incarnation.js';
import type { IssuedCredential, RevocableToken } from '../catalog/credentials/revocation-list.js';
import type { SignInRequests } from '../catalog/credentials/sign-in-request.js';
import type { AccessDefinition, UserDefinition } from '../catalog/definitions/definition.js';
import type { OutgoingMail } from '../catalog/mail/outbox.js';
import type { DatabasePath, RecordUser, SystemUser } from '../catalog/principal.js';
import type { AccessWay, AuthConfig, Expression } from '../language/ast.js';
import type { ObjectValue, RecordId, Value } from '../value/value.js';
import type { SessionIdentity } from './identity.js';
import type { DrawnToken } from './tokens/tokens.js';

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
  /** The access methods defined at exactly this path, in the order of their names. */
  accesses(databasePath: DatabasePath): PromiseOrValue<readonly AccessDefinition[]>;
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
  /** Revokes a user's token, with all that descend from the same sign-in, in its own transaction. */
  endSignIn(principal: SystemUser | RecordUser, token: RevocableToken): PromiseOrValue<void>;
  /**
   * Evaluates a SIGNUP, SIGNIN or AUTHENTICATE clause in its own transaction, without permissions, and commits it.
   * Conflicts are retried as for any statement.
   */
  evaluate(expression: Expression, run: AccessRun): PromiseOrValue<Value>;
  /**
   * Like `evaluate`, for a clause that answers a record (`recordFrom`): its id and its state in that transaction.
   * `claim` writes within the same transaction, which an error of it undoes.
   */
  identify(
    expression: Expression,
    run: AccessRun,
    claim?: (record: IdentifiedRecord, rows: IdentityRows) => Promise<void>,
  ): PromiseOrValue<IdentifiedRecord | undefined>;
  /** What a database says of the app that it serves. */
  app(databasePath: DatabasePath): PromiseOrValue<App>;
  /**
   * Reads and writes the sign-in requests of system users defined at exactly this path, in its own transaction, and
   * commits it; `work` is retried on conflicts.
   */
  systemRequests<T>(databasePath: DatabasePath, work: (requests: SignInRequests) => Promise<T>): PromiseOrValue<T>;
  /** How many sign-in requests are open of a database, or of system users, up to `most`: all, and those of a source. */
  openRequests(
    of: DatabasePath | 'system-users',
    most: number,
    source: string | undefined,
  ): PromiseOrValue<{ readonly all: number; readonly ofSource: number }>;
  /**
   * Reads and writes what proving an identity needs, in its own transaction, and commits it; `work` is retried on
   * conflicts. `undefined` if there is no such database.
   */
  proving<T>(databasePath: DatabasePath, work: (rows: IdentityRows) => Promise<T>): PromiseOrValue<T | undefined>;
}

/** The app that a database serves, as DEFINE CONFIG AUTH and MAIL describe it. */
export interface App {
  /** Shown to people: at most 100 characters, none of them for control. Default: the name of the database. */
  readonly name: string;
  readonly config: AuthConfig | undefined;
  /** Where sign-ins may end. */
  readonly redirects: readonly string[];
  /** The most mails that are begun in an hour. */
  readonly mailsAnHour: number;
}

/** What proving an identity reads and writes of a database, within one transaction. */
export interface IdentityRows {
  readonly app: App;
  readonly requests: SignInRequests;
  readonly identities: Identities;
  readonly factorTries: FactorTries;
  /** The access methods of the database. */
  readonly accessNames: readonly string[];
  /** The way of an access method; `undefined` if it has none. */
  way(access: string): AccessWay | undefined;
  /** The marks of the keys of an access method, as it is now (`keyMarks`). */
  keyMarks(access: string): readonly string[];
  grants(access: string): Grants;
  /** The incarnation of a record, assigned if it has none. */
  readonly incarnationOf: IncarnationOf;
  /** The identity of a subject, if its record, and the way of its access method, still are what they were then. */
  owner(access: string, subject: string): Promise<IdentityGrant | undefined>;
  /** A record with all of its fields; `undefined` if it doesn't exist. */
  record(id: RecordId): PromiseOrValue<ObjectValue | undefined>;
  /** Whether a record existed before this transaction. */
  existed(record: RecordId): PromiseOrValue<boolean>;
  isRevoked(credential: IssuedCredential): PromiseOrValue<boolean>;
  /** Ends an identity, and the sessions that were signed in by it. */
  endIdentity(identity: IdentityGrant): PromiseOrValue<void>;
  /** @throws TesseraError `mail_unavailable` if nothing says how mail is sent */
  assertMail(): PromiseOrValue<void>;
  /** @throws TesseraError `mail_unavailable` */
  queueMail(mail: OutgoingMail): PromiseOrValue<void>;
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
  /** Of SIGNUP and SIGNIN: the token of the session that they open. */
  readonly entrance?: DrawnToken;
}
