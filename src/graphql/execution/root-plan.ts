/** The compiled form of a field of Query, Mutation or Subscription, for one place in one operation. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { TesseraError } from '../../errors/error.js';
import type { Live, Statement } from '../../language/ast.js';
import type { Notification, Session } from '../../session/contract.js';
import type { ObjectValue, Value } from '../../value/value.js';
import type { ExecutionContext } from './execution-context.js';
import type { ValueCompletion } from './value-completion.js';

export interface RootPlan {
  /** The writer of the result. */
  readonly completion: ValueCompletion;
  /** Whether it may have several statements, which must see one state of the database. */
  readonly several?: boolean;
  /** The work of this run. @throws TesseraError for wrong arguments */
  begin(call: ExecutionContext): RootWork;
}

export type RootWork = StatementWork | SessionWork | LiveWork;

/**
 * Statements of our language. Those of all root fields of a query are sent together; those of a mutation run one field
 * after the other.
 */
export interface StatementWork {
  readonly kind: 'statements';
  readonly statements: readonly Statement[];
  /** The values of their params. */
  readonly values: ObjectValue;
  /** Maximum number of values of their records. */
  readonly most: number;
  /** The JSON of the statements' results. Spends the budget of reads. */
  result(values: readonly Value[], call: ExecutionContext): Value;
  /** Replaces an error of its statements. Default: unchanged. */
  redactError?(error: TesseraError): TesseraError;
}

/** Work other than statements, such as signing in. */
export interface SessionWork {
  readonly kind: 'session';
  run(session: Session): PromiseOrValue<Value>;
}

/** A live query: for fields of Subscription only. */
export interface LiveWork {
  readonly kind: 'live';
  readonly statement: Live;
  /** The values of its params. */
  readonly values: ObjectValue;
  /** The response value of a change notification. */
  event(notification: Notification): Value;
}
