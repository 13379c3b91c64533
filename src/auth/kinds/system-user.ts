/** System users (DEFINE USER) at root, namespace or database level. */
import type { SigningKey } from '../../catalog/credentials/signing-key.js';
import type { UserDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure, TesseraError } from '../../errors/error.js';
import { userAccount } from '../attempts/account.js';
import { attemptedUser } from '../attempts/attempt-names.js';
import type { AuthContext, IssuedTokens } from '../context.js';
import type { SystemCredentials } from '../credentials.js';
import { type Client, definedUser, type SignedIn, sessionExpiry, tokenLifetime } from '../identity.js';
import { type Claims, claimsValue } from '../tokens/claims.js';

/**
 * Signs in by name and password, and issues a token signed with the user's secret.
 *
 * @throws TesseraError `invalid_auth` for whatever is wrong, `too_many_attempts`, `hashing_busy`, `password_too_long`
 */
export async function signInUser(
  context: AuthContext,
  credentials: SystemCredentials,
  client: Client,
): Promise<{ signedIn: SignedIn; tokens: IssuedTokens }> {
  const { signedIn, claims, user } = await checkPassword(context, credentials, client);
  return { signedIn, tokens: { access: await context.tokens.sign(claims, userSigningKey(user)) } };
}

/** Like `signInUser` without issuing a token, for clients that send the password with each request. */
export async function signInUserOnce(
  context: AuthContext,
  credentials: SystemCredentials,
  client: Client,
): Promise<SignedIn> {
  return (await checkPassword(context, credentials, client)).signedIn;
}

/** The key that signs the tokens of a user. Each DEFINE USER generates a new one, which invalidates earlier tokens. */
export function userSigningKey(user: UserDefinition): SigningKey {
  return { algorithm: 'HS512', key: user.secret };
}

/** The session of a user, with the roles of the current definition rather than those of the token. */
export function userSession(
  context: AuthContext,
  databasePath: DatabasePath,
  user: UserDefinition,
  claims: Claims,
): SignedIn {
  return {
    principal: definedUser(databasePath, user),
    databasePath,
    claims: claimsValue(claims),
    access: undefined,
    expiresAt: sessionExpiry(user.durations, context.environment),
    basis: { kind: 'user', user },
  };
}

/** Rehashes a weak hash while the password is known. If hashing is busy, the next sign-in does it. */
async function strengthen(
  { hasher, directory }: AuthContext,
  databasePath: DatabasePath,
  { name, passhash }: UserDefinition,
  password: string,
): Promise<void> {
  try {
    await directory.replaceHash(databasePath, name, passhash, await hasher.hash('argon2', password));
  } catch (error) {
    if (!(error instanceof TesseraError && error.retryable)) throw error;
  }
}

async function checkPassword(
  context: AuthContext,
  { databasePath, user: name, password }: SystemCredentials,
  client: Client,
): Promise<{ signedIn: SignedIn; claims: Claims; user: UserDefinition }> {
  const attempt = {
    account: userAccount(databasePath, name),
    source: client.origin.ip,
    named: attemptedUser(databasePath, name),
  };
  const check = async () => {
    const found = await context.directory.user(databasePath, name);
    if (found !== undefined && context.verified.has(found.passhash, password)) return { user: found, hashed: false };
    // Equalizes timing and error for unknown users and databases.
    const hash = found?.passhash;
    const matches = await context.verified.verify(hash ?? `unknown ${attempt.account}`, password, () =>
      context.hasher.verifyCredential(hash, password),
    );
    if (found === undefined || !matches) throw failure('invalid_auth');
    if (context.hasher.isOutdated(found.passhash)) await strengthen(context, databasePath, found, password);
    return { user: found, hashed: true };
  };
  // Successes with cached credentials must not reset the throttle, since a client that sends its password with each
  // request would clear a guesser's failures.
  const { user } = await context.failureDelay.delayThrottled(() =>
    context.throttle.attempt(attempt, check, ({ hashed }) => hashed),
  );
  const claims = context.tokens.claims({ ...databasePath, id: user.name, lifetime: tokenLifetime(user.durations) });
  return { signedIn: userSession(context, databasePath, user, claims), claims, user };
}
