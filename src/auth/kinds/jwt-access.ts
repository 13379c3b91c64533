/** JWT access: an issuer's tokens sign in as system users, with the roles that they claim. */
import { failure } from '../../errors/error.js';
import type { AccessKind } from '../../language/ast.js';
import { type SignedIn, sessionExpiry, systemUser } from '../identity.js';
import { claimedRoles, claimsValue } from '../tokens/claims.js';
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
    const signedIn: SignedIn = {
      principal: systemUser(access.level, databasePath, claims.id ?? access.name, claimedRoles(claims)),
      databasePath,
      claims: claimsValue(claims),
      access: access.name,
      expiresAt: sessionExpiry(access.durations, context.environment),
      basis: { kind: 'access', access },
    };
    if (access.authenticate === undefined) return signedIn;
    const candidate = { ...signedIn, access: undefined };
    return authenticate(context, access.authenticate, candidate, client).then((answer) => {
      if (answer !== undefined) throw failure('invalid_auth');
      return signedIn;
    });
  },

  isGranted: () => true,
  // Roles claimed by a token are its issuer's choice.
  currentUser: (_, __, user) => user,
  hasRecordUsers: () => false,
  grants: () => undefined,
  keys: 'given',
};
