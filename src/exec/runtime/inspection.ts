/** The interface by which INFO reads failed sign-ins and the audit log, which other parts of the server keep. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { ObjectValue } from '../../value/value.js';

/** The parts of this process that INFO reads. */
export interface Inspection {
  readonly signInFailures: SignInFailures;
  /** Absent where no audit log is kept. */
  readonly auditTrail: AuditTrail | undefined;
}

/** The failed sign-ins that this process counts. */
export interface SignInFailures {
  /** Those that aren't forgiven yet. */
  list(): Iterable<FailureCount>;
}

/** The failures of an account, of an address, or of an account from an address. */
export interface FailureCount {
  readonly of: 'account' | 'address' | 'account and address';
  /** Absent where no account is counted, or this process has forgotten its name or never knew it. */
  readonly account?: AttemptedAccount | undefined;
  /** An IPv4 address or the /64 network of an IPv6 address. */
  readonly address?: string | undefined;
  readonly failures: number;
  /** Nanoseconds since 1970: of the first failure, and of the last. */
  readonly since: bigint;
  readonly last: bigint;
  /** The next attempt has to wait until then; absent where it needn't. */
  readonly delayedUntil?: bigint | undefined;
  /** The last servers at which they were; none where one server uses the store. */
  readonly nodes: readonly string[];
}

/** An account as an attempt named it, whether or not it exists. */
export interface AttemptedAccount {
  readonly databasePath: DatabasePath;
  readonly access?: string | undefined;
  /** Without control characters and secrets, and short. */
  readonly name?: string | undefined;
}

/** The audit log of this process, read back. */
export interface AuditTrail {
  /**
   * Its lines, the newest first, in batches that are short to look through.
   * @throws TesseraError `audit_log_unreadable`, `audit_log_unusable`
   */
  newestFirst(): AsyncIterable<readonly AuditLine[]>;
  /** Verifies the hash chain from the beginning; `checkpoint` is called for each batch. @throws as `newestFirst` */
  verify(checkpoint: () => PromiseOrValue<void>): Promise<ChainVerdict>;
}

export interface AuditLine {
  /** Absent where the line is none. */
  readonly record: ObjectValue | undefined;
  /** The path whose owners may see it. */
  readonly databasePath: DatabasePath;
  /** Why it isn't as it was written, judged by its own hash; `undefined` if it is. */
  fault(): string | undefined;
}

export interface ChainVerdict {
  /** How many records are valid, from the beginning. */
  readonly records: number;
  /** The hash of the last of them. */
  readonly head: string | undefined;
  /** The first line that isn't, counted from 1. */
  readonly broken?: { readonly line: number; readonly reason: string };
}
