import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { revocableToken } from '../catalog/credentials/revocation-list.js';
import { type DatabasePath, databasePathOf, type Principal } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import { newObject, type ObjectValue } from '../value/value.js';
import { signInByAccess } from './access-signin.js';
import type { AuthContext, IssuedTokens } from './context.js';
import { readSignIn, readSignUp } from './credentials.js';
import type { Directory } from './directory.js';
import { FailureDelay, type FailureDelayOptions } from './failure-delay.js';
import { type Client, identityOf, type SessionIdentity, type SignedIn } from './identity.js';
import type { CredentialHasher } from './passwords.js';
import { signUpRecord } from './record-access.js';
import { REFRESH_GRACE_SECONDS, revokeRefresh } from './refresh.js';
import { revalidatePrincipal } from './session-validity.js';
import type { PublicJwk } from './signing-keys.js';
import { signInUser, signInUserOnce } from './system-user.js';
import { Throttle, type ThrottleRules } from './throttle.js';
import { ownerOf, signInWithToken } from './token-signin.js';
import { type TokenOptions, Tokens } from './tokens.js';
import { VerifiedCredentials } from './verified-credentials.js';

export interface AuthenticatorOptions {
  readonly tokens?: TokenOptions;
  readonly throttle?: ThrottleRules;
  readonly failureDelay?: FailureDelayOptions;
  /** For how long a refresh token that comes a second time is taken for one that lost a race; 10 unless told, 0 is not at all. */
  readonly refreshGraceSeconds?: number;
  /** How many milliseconds the session of a record user may last at most; without end unless told. */
  readonly sessionLifetime?: number | undefined;
}

/** What a session becomes. */
export interface Authenticated {
  readonly identity: SessionIdentity;
  /** When the session ends, in nanoseconds since 1970; `undefined` is never. */
  readonly expiresAt: bigint | undefined;
}

export interface AuthenticatedWithTokens extends Authenticated {
  readonly tokens: IssuedTokens;
}

/**
 * All ways to sign in. Each call stands alone: it gives what the session becomes, and leaves it to the caller to become it.
 * The errors are those of `signInUser`, `signInRecord`, `signInWithToken` and of the readers of bodies (`credentials.ts`).
 */
export interface Authenticator {
  /** With a body as HTTP and RPC clients send it. */
  signIn(body: ObjectValue, client: Client): Promise<AuthenticatedWithTokens>;
  signUp(body: ObjectValue, client: Client): Promise<AuthenticatedWithTokens>;
  /**
   * With a pair of tokens that belong together, of which the access token may have expired.
   * @throws TesseraError `invalid_auth` also when it is genuine but somebody else's
   */
  refresh(pair: Required<IssuedTokens>, client: Client): Promise<AuthenticatedWithTokens>;
  /** Makes a refresh token worthless, with all that came of the same sign-in. */
  revoke(pair: Required<IssuedTokens>): Promise<void>;
  /** Makes the access token worthless with which somebody has signed in. */
  revokeAccessToken(signedIn: SignedIn): PromiseOrValue<void>;
  /** With a token that was issued here, or by somebody whom a definition trusts. One that was found genuine before is answered at once. */
  authenticate(token: string, client: Client): PromiseOrValue<Authenticated>;
  /** The public keys for tokens that an access method issues, for all to see; none tells nothing of why there are none. */
  publishedKeys(place: DatabasePath, access: string): PromiseOrValue<readonly PublicJwk[]>;
  /**
   * Who somebody who signed in at some time (nanoseconds since 1970) is by now; `undefined` when nothing lets them in any more, because a
   * user, an access method, a place or a record was removed or changed, or what was handed out was taken back.
   */
  revalidatePrincipal(signedIn: SignedIn, at: bigint): Promise<Principal | undefined>;
  /** With the name and password of a system user defined at `place`, issuing no token. */
  authenticateBasic(user: string, password: string, place: DatabasePath, client: Client): Promise<Authenticated>;
}

/** The hasher is handed in, since statements hash passwords with the same one and share its bounds. */
export function createAuthenticator(
  environment: Environment,
  directory: Directory,
  hasher: CredentialHasher,
  options: AuthenticatorOptions = {},
): Authenticator {
  const context: AuthContext = {
    environment,
    directory,
    hasher,
    verified: new VerifiedCredentials(environment),
    tokens: new Tokens(environment, options.tokens),
    throttle: new Throttle(environment, options.throttle),
    failureDelay: new FailureDelay(environment, options.failureDelay),
    refreshGraceSeconds: options.refreshGraceSeconds ?? REFRESH_GRACE_SECONDS,
  };
  const become = (signedIn: SignedIn, client: Client): Authenticated => {
    const bounded = withinLifetime(signedIn, options.sessionLifetime, environment);
    return { identity: identityOf(bounded, client), expiresAt: bounded.expiresAt };
  };

  return {
    async signIn(body, client) {
      const credentials = readSignIn(body);
      const { signedIn, tokens } = await (credentials.kind === 'system'
        ? signInUser(context, credentials, client)
        : signInByAccess(context, credentials, client));
      return { ...become(signedIn, client), tokens };
    },

    async signUp(body, client) {
      const { signedIn, tokens } = await signUpRecord(context, readSignUp(body), client);
      return { ...become(signedIn, client), tokens };
    },

    async refresh(pair, client) {
      const { place, access, subject } = await ownerOf(context, pair.access);
      const { refresh } = pair;
      const credentials = {
        kind: 'access',
        place,
        access: access.name,
        variables: newObject(),
        refresh,
        subject,
      } as const;
      const { signedIn, tokens } = await signInByAccess(context, credentials, client);
      return { ...become(signedIn, client), tokens };
    },

    async revoke(pair) {
      const { place, access, subject } = await ownerOf(context, pair.access);
      await revokeRefresh(context, place, access, pair.refresh, subject);
    },

    revokeAccessToken({ principal, claims }) {
      const token = revocableToken(claims);
      return token === undefined || principal.kind === 'guest'
        ? undefined
        : directory.deny(databasePathOf(principal), token);
    },

    authenticate(token, client) {
      return andThen(signInWithToken(context, token, client), (signedIn) => become(signedIn, client));
    },

    publishedKeys(place, name) {
      return andThen(directory.access(place, name), (access) => {
        const { accessKind } = access ?? {};
        const jwt = accessKind === undefined || accessKind.kind === 'bearer' ? undefined : accessKind.jwt;
        return jwt === undefined ? [] : context.tokens.publicKeys(jwt);
      });
    },

    async revalidatePrincipal(signedIn, at) {
      return revalidatePrincipal(context, signedIn, at);
    },

    async authenticateBasic(user, password, place, client) {
      return become(await signInUserOnce(context, { kind: 'system', place, user, password }, client), client);
    },
  };
}

/** Sessions of record users last no longer than the server lets them, whatever their access says. */
function withinLifetime(signedIn: SignedIn, milliseconds: number | undefined, { clock }: Environment): SignedIn {
  if (milliseconds === undefined || signedIn.principal.kind !== 'record') return signedIn;
  const latest = clock.now() + BigInt(milliseconds) * 1_000_000n;
  const { expiresAt } = signedIn;
  return expiresAt !== undefined && expiresAt < latest ? signedIn : { ...signedIn, expiresAt: latest };
}
