/** JWT access: an issuer's tokens sign in as system users, with the roles that they claim. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { AccessKind } from '../../language/ast.js';
import type { AuthContext } from '../context.js';
import { type Client, type SignedIn, sessionExpiry, systemUser } from '../identity.js';
import { type Claims, claimedRoles, claimsValue } from '../tokens/claims.js';
import type { AccessKindRow } from './access-kind.js';
import { authenticate } from './record-access.js';

export const JWT_ACCESS: AccessKindRow<Extract<AccessKind, { readonly kind: 'jwt' }>> = {
  // There is no sign-in: clients authenticate with tokens of their issuer.
  async signIn() {
    throw failure('access_method_mismatch');
  },

  verification: ({ accessKind }) => accessKind.jwt.verify,
  issuing: () => undefined,

  openSession(context, access, databasePath, claims, client) {
    // A token with an `ID` belongs to a record user, which this access method doesn't sign in.
    if (databasePath.database !== undefined && claims.id !== undefined) throw failure('access_method_mismatch');
    return bearerOfRoles(context, access, databasePath, claims, client);
  },

  isGranted: () => true,
  // Roles claimed by a token are its issuer's choice.
  currentUser: (_, __, user) => user,
  hasRecordUsers: () => false,
  grants: () => undefined,
  keys: 'given',
};

/**
 * The session of a system user whose roles are claimed by a verified token. AUTHENTICATE may deny it.
 * @param incarnation what distinguishes users of a name, if this server has issued the token
 * @throws TesseraError `invalid_auth`, `invalid_role`, and as AUTHENTICATE
 */
export function bearerOfRoles(
  context: AuthContext,
  access: AccessDefinition,
  databasePath: DatabasePath,
  claims: Claims,
  client: Client,
  incarnation?: string,
): PromiseOrValue<SignedIn> {
  const user = systemUser(access.level, databasePath, claims.id ?? access.name, claimedRoles(claims));
  const signedIn: SignedIn = {
    principal: incarnation === undefined ? user : { ...user, incarnation },
    databasePath,
    claims: claimsValue(claims),
    access: access.name,
    expiresAt: sessionExpiry(access.durations, context.environment),
    basis: { kind: 'access', access },
  };
  if (access.authenticate === undefined) return signedIn;
  return authenticate(context, access.authenticate, { ...signedIn, access: undefined }, client).then((answer) => {
    if (answer !== undefined) throw failure('invalid_auth');
    return signedIn;
  });
}
