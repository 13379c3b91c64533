/** System users by an identity provider: TYPE JWT WITH OIDC. This server issues their tokens, with roles by claims. */
import { createHash } from 'node:crypto';
import type { SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { issuingKey } from '../../catalog/credentials/signing-key.js';
import { type DatabasePath, userSubject } from '../../catalog/principal.js';
import { asTesseraError, failure } from '../../errors/error.js';
import type { ProviderAccess, Role } from '../../language/ast.js';
import { roleNames } from '../../language/definitions/define-user.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import { isArray, newObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { assuranceOf } from '../assurance.js';
import type { AuthContext, SignedInWithTokens } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import { type Client, guestIdentity, tokenLifetime } from '../identity.js';
import { roleNamed } from '../tokens/claims.js';
import { issuerOf } from '../tokens/tokens.js';
import { redeemSystemUser } from '../ways/system-users.js';
import type { AccessKindRow, AccessOf } from './access-kind.js';
import { bearerOfRoles } from './jwt-access.js';

export const PROVIDER_ACCESS: AccessKindRow<ProviderAccess> = {
  signIn,
  redeemsRequests: () => true,
  verification: ({ accessKind }) => accessKind.jwt?.verify,
  issuing: ({ jwt }) => jwt,
  openSession: (context, access, databasePath, claims, client) =>
    bearerOfRoles(context, access, databasePath, claims, client, claims.incarnation),
  isGranted: () => true,
  // The roles are those of the sign-in; the provider isn't asked again.
  currentUser: (_, __, user) => user,
  hasRecordUsers: () => false,
  grants: () => undefined,
  keys: 'drawn',
};

/**
 * Signs in with the code that people came back with from the provider.
 * @throws TesseraError `invalid_auth` for everything that is wrong, and for who gets no role; `thrown` by AUTHENTICATE
 */
async function signIn(
  context: AuthContext,
  access: AccessOf<ProviderAccess>,
  credentials: AccessCredentials,
  client: Client,
): Promise<SignedInWithTokens> {
  const { jwt } = access.accessKind;
  const key = jwt && issuingKey(jwt);
  if (key === undefined) throw failure('access_method_mismatch');
  const { databasePath } = credentials;
  // Drawn before the proof is checked, so that what is revoked meanwhile ends this sign-in, too.
  const token = context.tokens.draw();
  const { identity = newObject(), idp, subject, created } = await redeemSystemUser(context, access, credentials);
  const roles = await rolesOf(context, access, databasePath, identity, client);
  const user = { name: nameOf(identity), incarnation: incarnationOf(access.name, subject) };
  // Who has ended all of their sessions has ended what was begun before, too.
  const begun = { token: undefined, subject: userSubject(user), at: datetimeNanoseconds(created) };
  if (await context.directory.isRevoked(databasePath, () => begun)) throw failure('invalid_auth');
  const claims = context.tokens.claims({
    ...databasePath,
    access: access.name,
    id: user.name,
    roles: roleNames(roles),
    incarnation: user.incarnation,
    assurance: { ...assuranceOf(['fed'], token.at), idp },
    issuer: issuerOf(jwt),
    audience: jwt?.require?.audiences[0],
    token: token.id,
    at: token.at,
    lifetime: tokenLifetime(access.durations),
  });
  const signedIn = await bearerOfRoles(context, access, databasePath, claims, client, user.incarnation);
  return { signedIn, tokens: { access: await context.tokens.sign(claims, key) } };
}

/** By what people recognise who it is; users choose the claim `name` themselves. */
function nameOf({ email, subject }: ObjectValue): string {
  return typeof email === 'string' ? email : String(subject);
}

const INCARNATION_LENGTH = 22;

/** Distinguishes users whom providers or access methods name alike, and all of them from those of DEFINE USER. */
function incarnationOf(access: string, subject: SignInRequest['subject']): string {
  const text = JSON.stringify([access, subject]);
  return createHash('sha256').update(text).digest('base64url').slice(0, INCARNATION_LENGTH);
}

/**
 * The roles that the clause gives to who has signed in. Why it gives none is only logged.
 * @throws TesseraError `invalid_auth`
 */
async function rolesOf(
  { directory, providers }: AuthContext,
  { name, accessKind: { roles } }: AccessOf<ProviderAccess>,
  databasePath: DatabasePath,
  identity: ObjectValue,
  client: Client,
): Promise<readonly Role[]> {
  const run = {
    databasePath,
    variables: objectFrom({ identity }),
    identity: guestIdentity({ ...client, databasePath }),
  };
  let found: readonly Role[] | string;
  try {
    found = readRoles(await directory.evaluate(roles, run));
  } catch (error) {
    found = asTesseraError(error).message;
  }
  if (typeof found !== 'string') return found;
  const logged = failure('roles_missing', { access: name, user: nameOf(identity), reason: found });
  providers.report(logged);
  throw failure('invalid_auth', undefined, { cause: logged });
}

/** The roles of an array of their names, each once, or what is wrong with it. */
function readRoles(value: Value): readonly Role[] | string {
  if (value === undefined || (isArray(value) && value.length === 0)) return 'it answers none';
  if (!isArray(value)) return 'it doesn’t answer an array';
  const roles = value.map((name) => (typeof name === 'string' ? roleNamed(name) : undefined));
  const known = roles.filter((role) => role !== undefined);
  return known.length < roles.length ? 'it answers what is none of OWNER, EDITOR, VIEWER' : [...new Set(known)];
}
