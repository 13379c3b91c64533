/** The interface of signing in and up, with tokens, and how its parts are put together. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { revocableToken } from '../catalog/credentials/revocation-list.js';
import type { SignInFailures } from '../catalog/credentials/signin-failures.js';
import { jwtOf } from '../catalog/credentials/signing-key.js';
import { LocalRateLimits } from '../catalog/limits/local-limits.js';
import type { RateLimits } from '../catalog/limits/rate-limits.js';
import { DEFAULT_REQUEST_RATES, type RequestRates } from '../catalog/limits/request-rates.js';
import type { DatabasePath, Principal } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import { newObject } from '../value/value.js';
import { FailureDelay, type FailureDelayOptions } from './attempts/failure-delay.js';
import type { FailureExchange } from './attempts/failure-exchange.js';
import { type AttemptAdmission, Throttle } from './attempts/throttle.js';
import type { ThrottleRules } from './attempts/throttle-rules.js';
import type { AuthContext, IssuedTokens } from './context.js';
import type { AccessCredentials, Credentials, StartTarget } from './credentials.js';
import type { App, Directory } from './directory.js';
import { type Client, identityOf, type SessionIdentity, type SignedIn } from './identity.js';
import { type PageEntry, signInByAccess, signInForApp, signUpByAccess } from './kinds/access-signin.js';
import { revalidatePrincipal } from './kinds/session-validity.js';
import { signInUser, signInUserOnce } from './kinds/system-user.js';
import { ownerOf, signInWithToken } from './kinds/token-signin.js';
import { type ViewTarget, viewedIdentity } from './kinds/view-as.js';
import type { Providers } from './oidc/providers.js';
import { type WayIn, waysIn } from './page/ways-in.js';
import type { CredentialHasher } from './passwords/passwords.js';
import { VerifiedCredentials } from './passwords/verified-credentials.js';
import { REFRESH_GRACE_SECONDS, revokeRefresh } from './tokens/refresh.js';
import type { PublicJwk } from './tokens/signing-keys.js';
import { type TokenOptions, Tokens } from './tokens/tokens.js';
import type { NamedPlace, Onward } from './ways/addresses.js';
import { confirmLink } from './ways/confirm.js';
import { returnFromProvider } from './ways/provider.js';
import { startRequest } from './ways/start.js';
import { providerAccesses } from './ways/system-users.js';
import type { StartedRequest } from './ways/way.js';

export interface AuthenticatorOptions {
  readonly tokens?: TokenOptions;
  readonly throttle?: ThrottleRules;
  /** Absent where no other server uses the store. */
  readonly failures?: FailureExchange | undefined;
  /** Default: those of this process alone. */
  readonly limits?: RateLimits | undefined;
  /** Default: `DEFAULT_REQUEST_RATES`. */
  readonly rates?: RequestRates;
  /** Admits attempts for all processes of the server. Default: this one alone. */
  readonly admission?: AttemptAdmission | undefined;
  readonly failureDelay?: FailureDelayOptions;
  /** When requests to sign in are answered, whether or not a record has the address. Default: from 100 ms on. */
  readonly startDelay?: FailureDelayOptions;
  /** Seconds in which a reused refresh token counts as a lost race rather than theft. Default 10; 0 disables it. */
  readonly refreshGraceSeconds?: number;
  /** The addresses of this server, as `canonicalPublicUrl` has them. Default: none, so that there are no links. */
  readonly publicUrls?: readonly string[];
  /** Maximum lifetime of a record user's session in milliseconds. Default: none. */
  readonly sessionLifetime?: number | undefined;
}

const START_DELAY: FailureDelayOptions = { minimum: 100, step: 50 };

/** The outcome of a sign-in, for the session to adopt. */
export interface Authenticated {
  readonly identity: SessionIdentity;
  /** End of the session in nanoseconds since 1970; `undefined`: never. */
  readonly expiresAt: bigint | undefined;
}

export interface AuthenticatedWithTokens extends Authenticated {
  readonly tokens: IssuedTokens;
}

/**
 * All ways to sign in. The calls are stateless: they answer the new identity, which the caller's session adopts. Errors
 * are those of `signInUser`, `signInByAccess` and `signInWithToken`.
 */
export interface Authenticator {
  /** Signs in with what `readSignIn` made of a client's body. */
  signIn(credentials: Credentials, client: Client): Promise<AuthenticatedWithTokens>;
  /** Signs up with what `readSignUp` made of a client's body. */
  signUp(credentials: AccessCredentials, client: Client): Promise<AuthenticatedWithTokens>;
  /**
   * Signs in with a refresh token and the access token issued with it, which may have expired.
   * @throws TesseraError `invalid_auth`, also if the access token is valid but belongs to another user
   */
  refresh(pair: Required<IssuedTokens>, client: Client): Promise<AuthenticatedWithTokens>;
  /** Revokes a refresh token and its family: all tokens descended from the same sign-in. */
  revoke(pair: Required<IssuedTokens>): Promise<void>;
  /** Revokes the access token that a session has signed in with, with all that descend from the same sign-in. */
  endSignIn(signedIn: SignedIn): PromiseOrValue<void>;
  /**
   * Signs in with an access token issued here or by a trusted issuer. A token verified before is answered from a cache.
   */
  authenticate(token: string, client: Client): PromiseOrValue<Authenticated>;
  /**
   * The public keys (JWKS) of the tokens that an access method issues; empty if there are none, for whatever reason.
   */
  publishedKeys(databasePath: DatabasePath, access: string): PromiseOrValue<readonly PublicJwk[]>;
  /**
   * The current principal of a sign-in that was made at `at` (nanoseconds since 1970); `undefined` if it is no longer
   * valid: its user, access method, namespace, database or record was removed or changed, or its token was revoked.
   */
  revalidatePrincipal(signedIn: SignedIn, at: bigint): Promise<Principal | undefined>;
  /**
   * The identity that a view shows to `viewer`, whose right to it the caller has checked.
   * @throws TesseraError `view_target_missing`
   */
  viewedIdentity(target: ViewTarget, viewer: SessionIdentity, client: Client): PromiseOrValue<SessionIdentity>;
  /** Begins a request to sign in, link or step at an access method with a way. Errors are those of `startRequest`. */
  start(target: StartTarget, identity: SessionIdentity): Promise<StartedRequest>;
  /**
   * What follows a mailed link. The link stands behind `#` in the mail.
   * @throws TesseraError `invalid_auth`
   */
  confirm(databasePath: DatabasePath, access: string, link: string): Promise<Onward>;
  /**
   * What follows for people who come back from a provider, with these parameters.
   * @throws TesseraError `invalid_auth`
   */
  returnFromProvider(databasePath: DatabasePath, access: string, parameters: URLSearchParams): Promise<Onward>;
  /** Signs in at the page of the server, for an app: answers its address with a code. Errors are of `signInForApp`. */
  signInAtPage(entry: PageEntry, client: Client): Promise<string>;
  /**
   * The access methods by which system users sign in at a provider: of the root, and of the namespace and the database
   * that the path names, whether or not these exist.
   */
  providerAccesses(databasePath: DatabasePath): Promise<readonly NamedPlace[]>;
  /** What pages say of the app of a database, whether or not that exists. */
  app(databasePath: DatabasePath): PromiseOrValue<App>;
  /** The ways in of a database, whether or not that exists. */
  waysIn(databasePath: DatabasePath): Promise<readonly WayIn[]>;
  /** The failed sign-ins that are counted here. */
  readonly failures: SignInFailures;
  /** Signs in a system user defined at the path by name and password (HTTP Basic), without issuing a token. */
  authenticateBasic(user: string, password: string, databasePath: DatabasePath, client: Client): Promise<Authenticated>;
}

/**
 * Creates the authenticator of a database. The hasher is shared with statements, so that both are bounded together.
 * @param directory where users, access methods, grants and records are read
 */
export function createAuthenticator(
  environment: Environment,
  directory: Directory,
  hasher: CredentialHasher,
  providers: Providers,
  options: AuthenticatorOptions = {},
): Authenticator {
  const context: AuthContext = {
    environment,
    directory,
    hasher,
    verified: new VerifiedCredentials(environment),
    tokens: new Tokens(environment, options.tokens),
    throttle: new Throttle(environment, options.throttle, options.failures, options.admission),
    failureDelay: new FailureDelay(environment, options.failureDelay),
    startDelay: new FailureDelay(environment, { ...START_DELAY, ...options.startDelay }),
    limits: options.limits ?? new LocalRateLimits(environment.clock),
    rates: options.rates ?? DEFAULT_REQUEST_RATES,
    refreshGraceSeconds: options.refreshGraceSeconds ?? REFRESH_GRACE_SECONDS,
    publicUrls: options.publicUrls ?? [],
    providers,
  };
  const become = (signedIn: SignedIn, client: Client): Authenticated => {
    const bounded = withinLifetime(signedIn, options.sessionLifetime, environment);
    return { identity: identityOf(bounded, client), expiresAt: bounded.expiresAt };
  };

  return {
    failures: context.throttle,

    async signIn(credentials, client) {
      const { signedIn, tokens } = await (credentials.kind === 'system'
        ? signInUser(context, credentials, client)
        : signInByAccess(context, credentials, client));
      return { ...become(signedIn, client), tokens };
    },

    async signUp(credentials, client) {
      const { signedIn, tokens } = await signUpByAccess(context, credentials, client);
      return { ...become(signedIn, client), tokens };
    },

    async refresh(pair, client) {
      const { databasePath, access, subject } = await ownerOf(context, pair.access);
      const { refresh } = pair;
      const credentials = {
        kind: 'access',
        databasePath,
        access: access.name,
        variables: newObject(),
        refresh,
        subject,
      } as const;
      const { signedIn, tokens } = await signInByAccess(context, credentials, client);
      return { ...become(signedIn, client), tokens };
    },

    async revoke(pair) {
      const { databasePath, access, subject } = await ownerOf(context, pair.access);
      await revokeRefresh(context, databasePath, access, pair.refresh, subject);
    },

    endSignIn({ principal, claims }) {
      const token = revocableToken(claims);
      return token === undefined || principal.kind === 'guest' ? undefined : directory.endSignIn(principal, token);
    },

    authenticate(token, client) {
      return andThen(signInWithToken(context, token, client), (signedIn) => become(signedIn, client));
    },

    publishedKeys(databasePath, name) {
      return andThen(directory.access(databasePath, name), (access) => {
        const jwt = access && jwtOf(access.accessKind);
        return jwt === undefined ? [] : context.tokens.publicKeys(jwt);
      });
    },

    async revalidatePrincipal(signedIn, at) {
      return revalidatePrincipal(context, signedIn, at);
    },

    viewedIdentity(target, viewer, client) {
      return viewedIdentity(context, target, viewer, client);
    },

    start(target, identity) {
      return startRequest(context, { ...target, identity });
    },

    confirm(databasePath, access, link) {
      return confirmLink(context, databasePath, access, link);
    },

    returnFromProvider(databasePath, access, parameters) {
      return returnFromProvider(context, databasePath, access, parameters);
    },

    providerAccesses: (databasePath) => providerAccesses(directory, databasePath),

    signInAtPage(entry, client) {
      return signInForApp(context, entry, client);
    },

    app: (databasePath) => directory.app(databasePath),

    waysIn(databasePath) {
      return waysIn(context, databasePath);
    },

    async authenticateBasic(user, password, databasePath, client) {
      return become(await signInUserOnce(context, { kind: 'system', databasePath, user, password }, client), client);
    },
  };
}

/** Limits a record user's session to the server's maximum lifetime. */
function withinLifetime(signedIn: SignedIn, milliseconds: number | undefined, { clock }: Environment): SignedIn {
  if (milliseconds === undefined || signedIn.principal.kind !== 'record') return signedIn;
  const latest = clock.now() + BigInt(milliseconds) * 1_000_000n;
  const { expiresAt } = signedIn;
  return expiresAt !== undefined && expiresAt < latest ? signedIn : { ...signedIn, expiresAt: latest };
}
