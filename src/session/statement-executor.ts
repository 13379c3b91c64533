/** Where statements are run, and what comes of them. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { TesseraError } from '../errors/error.js';
import type { Deadline } from '../exec/interrupt.js';
import type { Statement } from '../language/ast.js';
import type { ObjectValue, Value } from '../value/value.js';

/** The outcome of one statement. */
export interface StatementResult {
  /** Nanoseconds. */
  readonly time: bigint;
  readonly outcome: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: TesseraError };
  /** What kind of statement it was, for clients that treat LIVE and KILL apart. */
  readonly type?: 'live' | 'kill';
}

/** Where statements are run: in a session, or in a transaction that its client holds. What the storage has at hand is answered at once. */
export interface StatementExecutor {
  /**
   * Runs a text. A text that doesn't parse throws and nothing has run; failing statements are results.
   * `variables` are visible as `$name` in this call only; protected names throw `reserved_variable`.
   */
  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]>;
  /**
   * Runs statements that were built rather than parsed (RPC methods, GraphQL).
   * @throws TesseraError `timed_out` when the deadline has passed already; what it ends while it runs is a result like other failures
   */
  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]>;
}

/**
 * A transaction under way, held by its client. Nobody else sees what it writes until it is committed. A statement that fails leaves no
 * trace, and the transaction goes on. In a read-only one, every statement sees the same state, and what writes fails with `read_only`.
 */
export interface HeldTransaction extends StatementExecutor {
  /** A UUID. */
  readonly id: string;
  /** @throws TesseraError `transaction_idle`, `transaction_expired`, `transaction_conflict`: what was read has changed, nothing was written, and all of it can be tried again */
  commit(): Promise<void>;
  cancel(): void;
}
