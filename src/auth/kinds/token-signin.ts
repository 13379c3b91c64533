/** Signs in with access tokens of system users, record users and JWT access methods. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { AccessKind, JwtVerification } from '../../language/ast.js';
import type { RecordId } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import { MAX_NAME_LENGTH } from '../credentials.js';
import type { IdentifiedRecord } from '../directory.js';
import { type Client, type SignedIn, sessionExpiry, systemUser } from '../identity.js';
import {
  assertIncarnation,
  type Claims,
  claimedRoles,
  claimsValue,
  matchesIssuerAndAudience,
} from '../tokens/claims.js';
import type { UnverifiedToken } from '../tokens/tokens.js';
import { bearerKey, bearerSession, bearerSubject } from './bearer.js';
import { authenticate, recordDatabasePath, recordFrom, recordSession } from './record-access.js';
import { isGranted, unlessRevoked } from './session-validity.js';
import { userSession, userSigningKey } from './system-user.js';

/**
 * Opens a session for the bearer of a token. The claims select the definition whose key verifies the token; a removed
 * or redefined one invalidates earlier tokens.
 *
 * @throws TesseraError `invalid_auth`, `token_expired`, `invalid_role`, `access_method_mismatch`; `thrown` by
 * AUTHENTICATE
 */
export function signInWithToken(context: AuthContext, text: string, client: Client): PromiseOrValue<SignedIn> {
  const token = context.tokens.read(text);
  const { namespace, database, access } = token.claims;
  if (database !== undefined && namespace === undefined) throw failure('invalid_auth');
  const databasePath: DatabasePath =
    namespace === undefined ? {} : database === undefined ? { namespace } : { namespace, database };
  return access === undefined
    ? signInByUserToken(context, token, databasePath)
    : signInByAccessToken(context, token, databasePath, access, client);
}

/** A dummy key: verifying against a missing definition takes as long as against a wrong key. */
const DUMMY_KEY: JwtVerification = { kind: 'key', algorithm: 'HS512', key: 'no token is signed with this key' };

function signInByUserToken(
  context: AuthContext,
  token: UnverifiedToken,
  databasePath: DatabasePath,
): PromiseOrValue<SignedIn> {
  const { id } = token.claims;
  const isName = id !== undefined && id.length <= MAX_NAME_LENGTH;
  return andThen(isName ? context.directory.user(databasePath, id) : undefined, (user) => {
    const verification: JwtVerification = user === undefined ? DUMMY_KEY : { kind: 'key', ...userSigningKey(user) };
    return andThen(context.tokens.verify(token, verification), () => {
      if (user === undefined) throw failure('invalid_auth');
      return unlessRevoked(context, userSession(context, databasePath, user, token.claims), token.claims);
    });
  });
}

function signInByAccessToken(
  context: AuthContext,
  token: UnverifiedToken,
  databasePath: DatabasePath,
  name: string,
  client: Client,
): PromiseOrValue<SignedIn> {
  return andThen(context.directory.access(databasePath, name), (access) => {
    const verification = access && verificationOf(access);
    return andThen(context.tokens.verify(token, verification ?? DUMMY_KEY), () => {
      if (access === undefined || verification === undefined) throw failure('invalid_auth');
      assertMeant(token, access);
      const bearer = BEARERS[access.accessKind.kind](context, access, databasePath, token.claims, client);
      return andThen(bearer, (signedIn) => unlessRevoked(context, signedIn, token.claims));
    });
  });
}

/**
 * The owner of a token, even an expired one: the record access method that issued it, and the record's text.
 * @throws TesseraError `invalid_auth`
 */
export async function ownerOf(
  context: AuthContext,
  text: string,
): Promise<{ readonly databasePath: DatabasePath; readonly access: AccessDefinition; readonly subject: string }> {
  const token = context.tokens.read(text);
  const { namespace, database, access: name, id: subject } = token.claims;
  if (namespace === undefined || database === undefined || name === undefined) throw failure('invalid_auth');
  const databasePath = { namespace, database };
  const access = await context.directory.access(databasePath, name);
  await context.tokens.verifyOrigin(token, (access && verificationOf(access)) ?? DUMMY_KEY);
  if (access === undefined || subject === undefined) throw failure('invalid_auth');
  assertMeant(token, access);
  return { databasePath, access, subject };
}

/**
 * Checks issuer and audience.
 * @throws TesseraError `invalid_auth`
 */
function assertMeant({ claims }: UnverifiedToken, { accessKind }: AccessDefinition): void {
  const required = accessKind.kind === 'bearer' ? undefined : accessKind.jwt?.require;
  if (required !== undefined && !matchesIssuerAndAudience(claims, required)) throw failure('invalid_auth');
}

function verificationOf(access: AccessDefinition): JwtVerification | undefined {
  const { accessKind } = access;
  return accessKind.kind === 'bearer' ? { kind: 'key', ...bearerKey(access) } : accessKind.jwt?.verify;
}

/** The record named by the claims, if any. */
function recordOf(claims: Claims): RecordId | undefined {
  let id = records.get(claims);
  if (id === undefined && claims.id !== undefined) {
    id = recordFrom(claims.id);
    if (id !== undefined) records.set(claims, id);
  }
  return id;
}

/**
 * The record that a token was issued to.
 * @throws TesseraError `invalid_auth` if that record was deleted, even if its id is in use again
 */
function identifiedBy(
  { directory }: AuthContext,
  databasePath: DatabasePath,
  id: RecordId,
  claims: Claims,
): PromiseOrValue<IdentifiedRecord> {
  return andThen(directory.incarnation(databasePath, id), (incarnation) => {
    assertIncarnation(incarnation, claims);
    return { id, incarnation };
  });
}

/** Cached per token, since clients send the same token with each request. */
const records = new WeakMap<Claims, RecordId>();

/** Finds the principal of a verified token. */
type Bearer = (
  context: AuthContext,
  access: AccessDefinition,
  databasePath: DatabasePath,
  claims: Claims,
  client: Client,
) => PromiseOrValue<SignedIn>;

const BEARERS: Readonly<Record<AccessKind['kind'], Bearer>> = {
  record(context, access, databasePath, claims, client) {
    const where = recordDatabasePath(databasePath);
    if (where === undefined) throw failure('invalid_auth');
    const id = recordOf(claims);
    if (claims.id !== undefined && id === undefined) throw failure('invalid_auth');
    return andThen(isGranted(context.directory, databasePath, access, claims.grant), (granted) => {
      if (!granted) throw failure('invalid_auth');
      return andThen(id && identifiedBy(context, where, id, claims), (identified) =>
        recordSession(context, where, access, claims, identified, client),
      );
    });
  },

  jwt(context, access, databasePath, claims, client) {
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

  bearer(context, access, databasePath, claims, client) {
    return andThen(isGranted(context.directory, databasePath, access, claims.grant), (granted) => {
      if (!granted) throw failure('invalid_auth');
      return bearerSession(context, access, databasePath, bearerSubject(access, claims), claims, client);
    });
  },
};
