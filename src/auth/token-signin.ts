/** Signing in with a token: of a system user, of a record user, or of somebody whom a JWT access trusts. */
import type { AccessDefinition } from '../catalog/definition.js';
import type { Place } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import type { AccessKind, JwtVerification } from '../language/ast.js';
import { type Claims, claimedRoles, claimsValue } from './claims.js';
import type { AuthContext } from './context.js';
import { MAX_NAME_LENGTH } from './credentials.js';
import { type Client, type SignedIn, sessionExpiry, systemUser } from './identity.js';
import { authenticate, recordFrom, recordPlace, recordSession } from './record-access.js';
import { userKey, userSession } from './system-user.js';
import type { UnverifiedToken } from './tokens.js';

/**
 * Opens a session for the bearer of a token. The claims say which definition to ask, and that definition's key says whether to
 * believe them; a definition that was removed or made anew believes none of the old tokens.
 *
 * @throws TesseraError `invalid_auth`, `token_expired`, `invalid_role`, `access_method_mismatch`, `key_set_unavailable`; `thrown` by AUTHENTICATE
 */
export async function signInWithToken(context: AuthContext, text: string, client: Client): Promise<SignedIn> {
  const token = context.tokens.read(text);
  const { namespace, database, access } = token.claims;
  if (database !== undefined && namespace === undefined) throw failure('invalid_auth');
  const place: Place = { ...(namespace !== undefined && { namespace }), ...(database !== undefined && { database }) };
  return access === undefined
    ? signInByUserToken(context, token, place)
    : signInByAccessToken(context, token, place, access, client);
}

/** Verified against when there is nothing to verify against, so that a missing definition takes as long as a wrong key. */
const NOBODY: JwtVerification = { kind: 'key', algorithm: 'HS512', key: 'nobody signs with this key' };

async function signInByUserToken(context: AuthContext, token: UnverifiedToken, place: Place): Promise<SignedIn> {
  const { id } = token.claims;
  const isName = id !== undefined && id.length <= MAX_NAME_LENGTH;
  const user = isName ? await context.directory.user(place, id) : undefined;
  await context.tokens.verify(token, user === undefined ? NOBODY : { kind: 'key', ...userKey(user) });
  if (user === undefined) throw failure('invalid_auth');
  return userSession(context, place, user, token.claims);
}

async function signInByAccessToken(
  context: AuthContext,
  token: UnverifiedToken,
  place: Place,
  name: string,
  client: Client,
): Promise<SignedIn> {
  const access = await context.directory.access(place, name);
  const verification = access && verificationOf(access.accessKind);
  await context.tokens.verify(token, verification ?? NOBODY);
  if (access === undefined || verification === undefined) throw failure('invalid_auth');
  return BEARERS[access.accessKind.kind](context, access, place, token.claims, client);
}

function verificationOf(kind: AccessKind): JwtVerification | undefined {
  return kind.kind === 'bearer' ? undefined : kind.jwt?.verify;
}

/** Who the bearer of a verified token is. */
type Bearer = (
  context: AuthContext,
  access: AccessDefinition,
  place: Place,
  claims: Claims,
  client: Client,
) => Promise<SignedIn>;

const BEARERS: Readonly<Record<AccessKind['kind'], Bearer>> = {
  async record(context, access, place, claims, client) {
    const where = recordPlace(place);
    if (where === undefined) throw failure('invalid_auth');
    const id = recordFrom(claims.id);
    if (claims.id !== undefined && id === undefined) throw failure('invalid_auth');
    return recordSession(context, where, access, claims, id, client);
  },

  async jwt(context, access, place, claims, client) {
    // Whoever names a record means a record user, and this isn't the way in for those.
    if (place.database !== undefined && claims.id !== undefined) throw failure('access_method_mismatch');
    const signedIn: SignedIn = {
      principal: systemUser(access.level, place, claims.id ?? access.name, claimedRoles(claims)),
      place,
      claims: claimsValue(claims),
      access: access.name,
      expiresAt: sessionExpiry(access.durations, context.environment),
    };
    if (access.authenticate !== undefined) {
      const answer = await authenticate(context, access.authenticate, { ...signedIn, access: undefined }, client);
      if (answer !== undefined) throw failure('invalid_auth');
    }
    return signedIn;
  },

  async bearer() {
    throw failure('invalid_auth');
  },
};
