/** Signs in with access tokens: of system users, and of access methods of any type. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { jwtOf } from '../../catalog/credentials/signing-key.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { JwtVerification } from '../../language/ast.js';
import type { AuthContext } from '../context.js';
import { MAX_NAME_LENGTH } from '../credentials.js';
import type { Client, SignedIn } from '../identity.js';
import { matchesIssuerAndAudience } from '../tokens/claims.js';
import { ownOrForeign } from '../tokens/foreign-claims.js';
import type { UnverifiedToken } from '../tokens/tokens.js';
import { accessKindOf } from './access-kinds.js';
import { assertMayAuthenticate, isGranted, unlessRevoked } from './session-validity.js';
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
      return andThen(isGranted(context.directory, databasePath, access, token.claims.grant), (granted) => {
        if (!granted) throw failure('invalid_auth');
        const kind = accessKindOf(access.accessKind);
        return andThen(ownOrForeign(context.tokens, token, kind.issuing(access.accessKind)), (claims) =>
          andThen(assertMayAuthenticate(context, access, databasePath, claims), () =>
            andThen(kind.openSession(context, access, databasePath, claims, client), (signedIn) =>
              unlessRevoked(context, signedIn, claims),
            ),
          ),
        );
      });
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
  const required = jwtOf(accessKind)?.require;
  if (required !== undefined && !matchesIssuerAndAudience(claims, required)) throw failure('invalid_auth');
}

function verificationOf(access: AccessDefinition): JwtVerification | undefined {
  return accessKindOf(access.accessKind).verification(access);
}
