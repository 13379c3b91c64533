/**
 * Revalidates a session or token: its user or access method is unchanged, its record exists, and its token or grant
 * isn't revoked.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { jwtOf } from '../../catalog/credentials/signing-key.js';
import type { AccessDefinition, UserDefinition } from '../../catalog/definitions/definition.js';
import {
  type DatabasePath,
  databasePathOf,
  type Principal,
  type RecordUser,
  recordSubject,
  type SystemUser,
  subjectOf,
  userSubject,
} from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { isObject, newObject } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import { definedUser, type SignedIn } from '../identity.js';
import { type Claims, issuedAt } from '../tokens/claims.js';
import { accessKindOf } from './access-kinds.js';
import { recordFrom } from './clause-record.js';

/** Each DEFINE USER and each password change generates a new secret. */
function isSameUser(then: UserDefinition, now: UserDefinition): boolean {
  return then.secret === now.secret;
}

/** An access method with other keys counts as another one; after a key rotation the former key stays trusted. */
function isSameAccess(then: AccessDefinition, now: AccessDefinition): boolean {
  if (then.accessKind.kind !== now.accessKind.kind || then.secret !== now.secret) return false;
  const [before, after] = [jwtOf(then.accessKind)?.verify, jwtOf(now.accessKind)?.verify];
  if (before?.kind === 'key' && after?.kind === 'key') {
    const { retired = [] } = after;
    return before.algorithm === after.algorithm && [after, ...retired].some(({ key }) => key === before.key);
  }
  return before?.kind === 'url' ? after?.kind === 'url' && after.url === before.url : after === undefined;
}

/**
 * The sign-in of a token's bearer.
 * @throws TesseraError `invalid_auth` if the token was revoked
 */
export function unlessRevoked(
  { directory }: AuthContext,
  signedIn: SignedIn,
  claims: Claims,
): PromiseOrValue<SignedIn> {
  const taken = isRevoked(directory, signedIn, () => issuedAt(claims));
  return andThen(taken, (denied) => {
    if (denied) throw failure('invalid_auth');
    return signedIn;
  });
}

/**
 * Call before AUTHENTICATE runs for a token, since what the clause writes stays. The sign-in that it lets in is checked
 * afterwards, as it may be another user's.
 * @throws TesseraError `invalid_auth` if the token was revoked
 */
export function assertMayAuthenticate(
  { directory }: AuthContext,
  { authenticate }: AccessDefinition,
  databasePath: DatabasePath,
  claims: Claims,
): PromiseOrValue<void> {
  if (authenticate === undefined) return undefined;
  const denied = directory.isRevoked(databasePath, () => {
    const { id, all } = claims;
    const record = id === undefined ? undefined : recordFrom(id);
    const subject = record === undefined ? userSubject({ name: id ?? '' }) : recordSubject(record);
    return { ...namedIn(all), subject, at: issuedAt(claims) };
  });
  return andThen(denied, (revoked) => {
    if (revoked) throw failure('invalid_auth');
  });
}

/**
 * The current principal of a sign-in, possibly with other roles; `undefined` if it is no longer valid. `at` is its time
 * in nanoseconds since 1970.
 */
export function revalidatePrincipal(
  { directory }: AuthContext,
  signedIn: SignedIn,
  at: bigint,
): PromiseOrValue<Principal | undefined> {
  const { principal, databasePath, basis } = signedIn;
  if (principal.kind === 'guest' || basis === undefined) return principal;
  const taken = isRevoked(directory, signedIn, () => at);
  return andThen(taken, (denied) => {
    if (denied) return undefined;
    if (basis.kind === 'user') {
      return andThen(directory.user(databasePath, basis.user.name), (user) =>
        user !== undefined && isSameUser(basis.user, user) ? definedUser(databasePath, user) : undefined,
      );
    }
    return andThen(directory.access(databasePath, basis.access.name), (access) =>
      access !== undefined && isSameAccess(basis.access, access)
        ? andThen(isGranted(directory, databasePath, access, basis.grant), (granted) =>
            granted ? principalNow(directory, access, databasePath, principal) : undefined,
          )
        : undefined,
    );
  });
}

/** Whether the grant, or the family of refresh tokens, that was used to sign in isn't revoked. Most have none. */
export function isGranted(
  directory: AuthContext['directory'],
  databasePath: DatabasePath,
  access: AccessDefinition,
  id: string | undefined,
): PromiseOrValue<boolean> {
  return id === undefined || accessKindOf(access.accessKind).isGranted(directory, databasePath, access, id);
}

/** The current principal of an access method. */
function principalNow(
  directory: AuthContext['directory'],
  { accessKind }: AccessDefinition,
  databasePath: DatabasePath,
  principal: SystemUser | RecordUser,
): PromiseOrValue<Principal | undefined> {
  if (principal.kind !== 'record') return accessKindOf(accessKind).currentUser(directory, databasePath, principal);
  return andThen(directory.incarnation(databasePathOf(principal), principal.id), (now) =>
    now?.id === principal.incarnation ? principal : undefined,
  );
}

function isRevoked(
  directory: AuthContext['directory'],
  { principal, claims }: SignedIn,
  at: () => bigint,
): PromiseOrValue<boolean> {
  if (principal.kind === 'guest') return false;
  return directory.isRevoked(databasePathOf(principal), () => {
    return { ...namedIn(isObject(claims) ? claims : newObject()), subject: subjectOf(principal), at: at() };
  });
}

/** The ids that claims name of their token, and of the identity that was signed in by. */
function namedIn({ jti, IDN: identity }: { readonly jti?: unknown; readonly IDN?: unknown }) {
  return {
    token: typeof jti === 'string' ? jti : undefined,
    identity: typeof identity === 'string' ? identity : undefined,
  };
}
