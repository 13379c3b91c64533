/** What every kind of sign-in uses, and answers. */
import type { RateLimits } from '../catalog/limits/rate-limits.js';
import type { RequestRates } from '../catalog/limits/request-rates.js';
import type { Environment } from '../env/environment.js';
import type { FailureDelay } from './attempts/failure-delay.js';
import type { Throttle } from './attempts/throttle.js';
import type { Directory } from './directory.js';
import type { SignedIn } from './identity.js';
import type { Providers } from './oidc/providers.js';
import type { CredentialHasher } from './passwords/passwords.js';
import type { VerifiedCredentials } from './passwords/verified-credentials.js';
import type { Tokens } from './tokens/tokens.js';

/** The services shared by all kinds of sign-in. */
export interface AuthContext {
  readonly environment: Environment;
  readonly directory: Directory;
  readonly hasher: CredentialHasher;
  readonly verified: VerifiedCredentials;
  readonly tokens: Tokens;
  readonly throttle: Throttle;
  readonly failureDelay: FailureDelay;
  /** When requests to sign in are answered. */
  readonly startDelay: FailureDelay;
  /** What limits attempts that don't fail, such as sign-ups. */
  readonly limits: RateLimits;
  readonly rates: RequestRates;
  /** Seconds in which a reused refresh token counts as a lost race. */
  readonly refreshGraceSeconds: number;
  /** The addresses of this server (`--public-url`), in canonical form; the first is the default. */
  readonly publicUrls: readonly string[];
  readonly providers: Providers;
}

/** A successful sign-in or sign-up with its tokens. */
export interface SignedInWithTokens {
  readonly signedIn: SignedIn;
  readonly tokens: IssuedTokens;
}

/** The tokens of a successful sign-in or sign-up. */
export interface IssuedTokens {
  readonly access: string;
  /** Only for access methods WITH REFRESH. */
  readonly refresh?: string;
}
