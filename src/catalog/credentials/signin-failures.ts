/** Failed sign-ins as `auth` counts them and INFO FOR SIGNIN ATTEMPTS lists them. */
import type { DatabasePath } from '../principal.js';

/** The failed sign-ins that this process counts. */
export interface SignInFailures {
  /** The failures that aren't forgiven yet. */
  list(): Iterable<FailureCount>;
}

/**
 * The failures of an account, of an address, of an account from an address, or of one of several variables that name
 * accounts together.
 */
export interface FailureCount {
  readonly of: 'account' | 'address' | 'account and address' | 'variable';
  /** Absent if no account is counted, or this process has forgotten its name or never knew it. */
  readonly account?: AttemptedAccount | undefined;
  /** An IPv4 address or the /64 network of an IPv6 address. */
  readonly address?: string | undefined;
  readonly failures: number;
  /** Nanoseconds since 1970: of the first failure, and of the last. */
  readonly since: bigint;
  readonly last: bigint;
  /** The next attempt has to wait until then; absent if it needn't. */
  readonly delayedUntil?: bigint | undefined;
  /** The last servers at which they were; none if one server uses the store. */
  readonly nodes: readonly string[];
}

/** An account as an attempt named it, whether or not it exists. */
export interface AttemptedAccount {
  readonly databasePath: DatabasePath;
  readonly access?: string | undefined;
  /** Without control characters and secrets, and short. */
  readonly name?: string | undefined;
}
