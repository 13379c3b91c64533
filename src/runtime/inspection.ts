/** The interface by which INFO reads failed sign-ins and the audit log, which other parts of the server keep. */
import type { Work } from '../base/work/work.js';
import type { SignInFailures } from '../catalog/credentials/signin-failures.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { ObjectValue } from '../value/value.js';

/** The parts of this process that INFO reads. */
export interface Inspection {
  readonly signInFailures: SignInFailures;
  /** Absent where no audit log is kept. */
  readonly auditTrail: AuditTrail | undefined;
}

/** The audit log of this process, read back. */
export interface AuditTrail {
  /**
   * Its lines, the newest first, in batches that are short to look through.
   * @throws TesseraError `audit_log_unreadable`, `audit_log_unusable`
   */
  newestFirst(): AsyncIterable<readonly AuditLine[]>;
  /** Verifies the hash chain from the beginning; `checkpoint` is called for each batch. @throws as `newestFirst` */
  verify(work: Work): Promise<ChainVerdict>;
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
