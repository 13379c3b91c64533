/** Where an audit log is stored: the interface of its files, streams and services. */
import type { PromiseOrValue } from '../base/promise-or-value.js';

/** The storage of an audit log. */
export interface AuditSink {
  /**
   * Reads the end of the existing log, to continue its chain; a sink without it begins a new chain each time. Called
   * once, first.
   */
  resume?(): PromiseOrValue<LogTail>;
  /**
   * Stores lines, without their line breaks, in order. The next call waits for the last one. A failed call must have
   * stored nothing; it is repeated with the same lines.
   */
  write(lines: readonly string[]): PromiseOrValue<void>;
  /**
   * Opens the written log for reading; absent if it can't be read back. Lines may be written meanwhile.
   */
  content?(): PromiseOrValue<LogContent>;
  close?(): PromiseOrValue<void>;
}

/** A log that is read back, as far as it was written when it was opened. */
export interface LogContent {
  /** In bytes. */
  readonly size: number;
  /** Reads exactly `length` bytes. @throws TesseraError `audit_log_unusable` if they aren't there */
  read(from: number, length: number): Promise<Buffer>;
}

export interface LogTail {
  /** The last complete line. */
  readonly line: string | undefined;
  /** Bytes of an incomplete last line that was removed. */
  readonly torn: number;
}
