/**
 * What a type of access methods (`DEFINE ACCESS … TYPE …`) has to say for itself. Signing in, verifying tokens,
 * revalidating sessions, views, grants and DEFINE ACCESS go by the row of the type (`access-kinds.ts`).
 *
 * To add a type: its node in the syntax tree, its grammar in `language/definitions/define-access.ts`, and its row.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { GrantSubject, GrantUse } from '../../catalog/credentials/grant.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath, Principal, SystemUser } from '../../catalog/principal.js';
import type { AccessKind, Expression, JwtAccess, JwtVerification } from '../../language/ast.js';
import type { AuthContext, SignedInWithTokens } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { Client, SignedIn } from '../identity.js';
import type { Claims } from '../tokens/claims.js';

/** An access method of a type. */
export type AccessOf<A extends AccessKind> = AccessDefinition & { readonly accessKind: A };

/** Signs in or up with the credentials of a client. */
export type EnterByAccess<A extends AccessKind> = (
  context: AuthContext,
  access: AccessOf<A>,
  credentials: AccessCredentials,
  client: Client,
) => Promise<SignedInWithTokens>;

export interface AccessKindRow<A extends AccessKind> {
  readonly signIn: EnterByAccess<A>;
  /** Absent: there is no sign-up, and so nothing for ERRORS to say. */
  readonly signUp?: EnterByAccess<A>;
  /** The clause that a sign-in runs, whose variables name the account that is tried. */
  signInClause?(accessKind: A): Expression | undefined;
  /** Whether a sign-in names no account, but a request that counts its own tries. Default: no. */
  redeemsRequests?(accessKind: A): boolean;
  /** What verifies tokens. `undefined`: none is accepted. @throws TesseraError `invalid_auth` */
  verification(access: AccessOf<A>): JwtVerification | undefined;
  /** The keys of tokens that it issues and that say how their bearers have signed in; `undefined`: it issues none. */
  issuing(accessKind: A): JwtAccess | undefined;
  /** The session of the bearer of a verified token. @throws TesseraError `invalid_auth`, and others of AUTHENTICATE */
  openSession(
    context: AuthContext,
    access: AccessOf<A>,
    databasePath: DatabasePath,
    claims: Claims,
    client: Client,
  ): PromiseOrValue<SignedIn>;
  /**
   * Whether the grant of that id, or the family of refresh tokens, isn't revoked. Expiry only prevents new sign-ins.
   */
  isGranted(
    directory: AuthContext['directory'],
    databasePath: DatabasePath,
    access: AccessOf<A>,
    id: string,
  ): PromiseOrValue<boolean>;
  /** The system user who signed in, as defined now; `undefined` if they may no longer be signed in. */
  currentUser(
    directory: AuthContext['directory'],
    databasePath: DatabasePath,
    user: SystemUser,
  ): PromiseOrValue<Principal | undefined>;
  /** Whether its users are records, as which an owner may view. */
  hasRecordUsers(accessKind: A): boolean;
  /** The grants that ACCESS … GRANT makes; `undefined`: none. */
  grants(accessKind: A): AccessGrants | undefined;
  /**
   * The keys of its tokens: a `secret` beside the statement, those `given` in the statement, or ones that are `drawn`
   * where the statement gives none.
   */
  readonly keys: 'secret' | 'given' | 'drawn';
}

export interface AccessGrants {
  readonly use: GrantUse;
  readonly subject: GrantSubject['kind'];
}
