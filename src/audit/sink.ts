import type { PromiseOrValue } from '../base/promise-or-value.js';

/** Where an audit log is kept. */
export interface AuditSink {
  /** What is there from before, so that its chain goes on; a sink without it begins a chain each time. Called once, before all else. */
  resume?(): PromiseOrValue<LogTail>;
  /**
   * Keeps lines in order; they end without a line break. It is called again only when it is done with the last. When it fails it has kept none
   * of them, and is given the same ones again.
   */
  write(lines: readonly string[]): PromiseOrValue<void>;
  close?(): PromiseOrValue<void>;
}

export interface LogTail {
  /** The last whole line. */
  readonly line: string | undefined;
  /** Bytes of a line after it that was never finished, and is gone now. */
  readonly torn: number;
}
