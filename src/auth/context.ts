import type { Environment } from '../env/environment.js';
import type { Directory } from './directory.js';
import type { FailureDelay } from './failure-delay.js';
import type { CredentialHasher } from './passwords.js';
import type { Throttle } from './throttle.js';
import type { Tokens } from './tokens.js';
import type { VerifiedCredentials } from './verified-credentials.js';

/** What every kind of sign-in works with. */
export interface AuthContext {
  readonly environment: Environment;
  readonly directory: Directory;
  readonly hasher: CredentialHasher;
  readonly verified: VerifiedCredentials;
  readonly tokens: Tokens;
  readonly throttle: Throttle;
  readonly failureDelay: FailureDelay;
  /** For how long a refresh token that comes a second time is taken for one that lost a race. */
  readonly refreshGraceSeconds: number;
}

/** The tokens of a successful sign-in or sign-up. */
export interface IssuedTokens {
  readonly access: string;
  /** Of an access WITH REFRESH. */
  readonly refresh?: string;
}
