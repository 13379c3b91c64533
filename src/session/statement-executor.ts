/** Runs statements: the interface that sessions and held transactions share. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { TesseraError } from '../errors/error.js';
import type { Statement } from '../language/ast.js';
import type { Deadline } from '../runtime/interrupt.js';
import type { ObjectValue, Value } from '../value/value.js';

/** The result of one statement. */
export interface StatementResult {
  /** Execution time in nanoseconds. */
  readonly time: bigint;
  readonly outcome: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: TesseraError };
  /** Set for LIVE and KILL, which clients treat differently. */
  readonly type?: 'live' | 'kill';
}

/** Runs statements in a session or in a held transaction. Answers synchronously if the storage does. */
export interface StatementExecutor {
  /**
   * Runs a query text. Throws if the text doesn't parse, before any statement runs; errors of single statements are
   * results. `variables` are visible as `$name` in this call only.
   * @throws TesseraError `parse_error`, `reserved_variable`, `session_expired`, `not_allowed`
   */
  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]>;
  /**
   * Runs statements given as syntax trees (RPC methods, GraphQL).
   * @throws TesseraError `timed_out` if the deadline has already passed; statements interrupted by it have an error
   * result
   */
  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]>;
}

/**
 * An open transaction held by a client, isolated until it is committed. A failing statement is rolled back and the
 * transaction continues. A read-only one reads a single snapshot, and writes fail with `read_only`.
 */
export interface HeldTransaction extends StatementExecutor {
  /** A UUID. */
  readonly id: string;
  /**
   * Commits.
   * @throws TesseraError `transaction_idle`, `transaction_expired`; `transaction_conflict`: data it has read was
   * changed, nothing was written, and the transaction can be retried
   */
  commit(): Promise<void>;
  cancel(): void;
}
