/**
 * Whether what a session or a token rests on still stands: the definition that let its bearer in, the record that the bearer is, and that
 * nobody took back what was handed out.
 */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { AccessDefinition, UserDefinition } from '../catalog/definitions/definition.js';
import {
  type DatabasePath,
  databasePathOf,
  type Principal,
  type RecordUser,
  type SystemUser,
  subjectOf,
} from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import type { JwtVerification } from '../language/ast.js';
import { isObject } from '../value/value.js';
import { type Claims, issuedAt } from './claims.js';
import type { AuthContext } from './context.js';
import { type SignedIn, systemUser } from './identity.js';

/** Each DEFINE of a user and each change of its password draws another secret. */
function isSameUser(then: UserDefinition, now: UserDefinition): boolean {
  return then.secret === now.secret;
}

/** An access that trusts other keys is another one; one whose keys follow one another still trusts the former. */
function isSameAccess(then: AccessDefinition, now: AccessDefinition): boolean {
  if (then.accessKind.kind !== now.accessKind.kind || then.secret !== now.secret) return false;
  const [before, after] = [verificationOf(then), verificationOf(now)];
  if (before?.kind === 'key' && after?.kind === 'key') {
    const { retired = [] } = after;
    return before.algorithm === after.algorithm && [after, ...retired].some(({ key }) => key === before.key);
  }
  return before?.kind === 'url' ? after?.kind === 'url' && after.url === before.url : after === undefined;
}

function verificationOf({ accessKind }: AccessDefinition): JwtVerification | undefined {
  return accessKind.kind === 'bearer' ? undefined : accessKind.jwt?.verify;
}

/** What the bearer of a token signs in as. @throws TesseraError `invalid_auth` when the token was taken back */
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
 * Who somebody who signed in at some time is now, perhaps with other roles; `undefined` when nothing lets them in any more.
 * `at` is in nanoseconds since 1970.
 */
export function revalidatePrincipal(
  { directory }: AuthContext,
  signedIn: SignedIn,
  at: bigint,
): PromiseOrValue<Principal | undefined> {
  const { principal, place, basis } = signedIn;
  if (principal.kind === 'guest' || basis === undefined) return principal;
  const taken = isRevoked(directory, signedIn, () => at);
  return andThen(taken, (denied) => {
    if (denied) return undefined;
    if (basis.kind === 'user') {
      return andThen(directory.user(place, basis.user.name), (user) =>
        user !== undefined && isSameUser(basis.user, user)
          ? systemUser(user.level, place, user.name, user.roles)
          : undefined,
      );
    }
    return andThen(directory.access(place, basis.access.name), (access) =>
      access !== undefined && isSameAccess(basis.access, access)
        ? andThen(isGranted(directory, place, access, basis.grant), (granted) =>
            granted ? bearerNow(directory, access, place, principal) : undefined,
          )
        : undefined,
    );
  });
}

/** Whether the grant whose key somebody came with, if they did, is still good to those who are in; its lifetime is for those who come. */
export function isGranted(
  directory: AuthContext['directory'],
  place: DatabasePath,
  access: AccessDefinition,
  id: string | undefined,
): PromiseOrValue<boolean> {
  if (id === undefined) return true;
  return andThen(
    directory.grant(place, access.name, id),
    (grant) => grant !== undefined && grant.revocation === undefined,
  );
}

/** Somebody whom an access let in. Roles that a token claims are those of its issuer; a bearer of a grant has those of the user. */
function bearerNow(
  directory: AuthContext['directory'],
  { accessKind }: AccessDefinition,
  place: DatabasePath,
  principal: SystemUser | RecordUser,
): PromiseOrValue<Principal | undefined> {
  if (principal.kind === 'record') {
    return andThen(directory.incarnation(databasePathOf(principal), principal.id), (now) =>
      now?.id === principal.incarnation ? principal : undefined,
    );
  }
  if (accessKind.kind !== 'bearer') return principal;
  return andThen(directory.user(place, principal.name), (user) =>
    user === undefined ? undefined : systemUser(user.level, place, user.name, user.roles),
  );
}

function isRevoked(
  directory: AuthContext['directory'],
  { principal, claims }: SignedIn,
  at: () => bigint,
): PromiseOrValue<boolean> {
  if (principal.kind === 'guest') return false;
  return directory.isRevoked(databasePathOf(principal), () => {
    const token = isObject(claims) && typeof claims['jti'] === 'string' ? claims['jti'] : undefined;
    return { token, subject: subjectOf(principal), at: at() };
  });
}
