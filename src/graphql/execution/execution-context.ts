/** One run of an operation: its budgets, its reads and its errors. */
import type { FieldNode } from 'graphql';
import type { Work } from '../../base/work/work.js';
import type { Random } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Select } from '../../language/ast.js';
import type { Deadline } from '../../session/contract.js';
import type { ObjectValue } from '../../value/value.js';
import type { EffectiveLimits } from '../base/effective-limits.js';
import { tesseraError } from '../base/errors.js';
import { type AnswerSize, type Budget, BudgetExceeded, type Spending } from './budget.js';
import { ConditionCount } from './conditions.js';
import type { InternedStatements } from './interned-statements.js';
import type { BoundStatement } from './select.js';

/** Maximum number of field errors; a short document can cause one at each field of thousands of records. */
const MOST_FAILURES = 1_000;

/** An error at a field. The path is filled in from within, as the writing of the answer returns. */
export interface FieldError {
  readonly error: TesseraError;
  readonly nodes: readonly FieldNode[];
  readonly path: (string | number)[];
}

/** A part of an operation that needs something read before it can be written. */
export interface BatchedFetch {
  /** The queries for everything requested since the last call. */
  requests(call: ExecutionContext): Iterable<FetchRequest>;
}

/** A SELECT and the handlers of its result. */
export interface FetchRequest extends BoundStatement<Select> {
  /** Maximum number of values of its records. */
  readonly most: number;
  deliver(rows: readonly ObjectValue[]): void;
  fail(error: TesseraError): void;
}

export class ExecutionContext {
  readonly failures: FieldError[] = [];
  readonly reads: Budget;
  readonly writes: Budget;
  readonly answer: AnswerSize;
  readonly deadline: Deadline | undefined;
  conditions: ConditionCount;
  /** The fetches before the next level. */
  waiting: BatchedFetch[] = [];
  readonly #states: unknown[] = [];

  constructor(
    readonly variables: Readonly<Record<string, unknown>>,
    readonly allowance: EffectiveLimits,
    { reads, writes, answer, deadline }: Spending,
    readonly statements: InternedStatements,
    /** Draws the ids of records that are written. */
    readonly random: Random,
    /** Yields while the response is written. */
    readonly work: Work,
  ) {
    this.reads = reads;
    this.writes = writes;
    this.answer = answer;
    this.deadline = deadline;
    this.conditions = new ConditionCount(allowance);
  }

  /** @throws BudgetExceeded when an operation that came together with this one has had more than there was */
  checkBudgets(): void {
    this.reads.spend(0);
    this.writes.spend(0);
  }

  /** State of one part of the operation during the execution; created on first use. */
  state<T>(slot: number, make: () => T): T {
    let state = this.#states[slot] as T | undefined;
    if (state === undefined) {
      state = make();
      this.#states[slot] = state;
    }
    return state;
  }

  /** Restarts with the remaining budgets. */
  restart(): void {
    this.failures.length = 0;
    this.waiting = [];
    this.#states.length = 0;
    this.conditions = new ConditionCount(this.allowance);
  }

  /** Notes an error; null is written there. @throws BudgetExceeded when there are too many */
  fail(thrown: unknown, nodes: readonly FieldNode[]): undefined {
    if (this.failures.length >= MOST_FAILURES) {
      const what = 'errors in its answer';
      throw new BudgetExceeded(failure('graphql_limit', { what, limit: MOST_FAILURES, setting: 'fixed' }));
    }
    this.failures.push({ error: tesseraError(thrown, 'graphql_result'), nodes, path: [] });
    return undefined;
  }

  /** Notes that a root field is null because of an error. */
  failRoot(thrown: unknown, { key, nodes }: { readonly key: string; readonly nodes: readonly FieldNode[] }): void {
    this.failures.push({ error: tesseraError(thrown, 'graphql_result'), nodes, path: [key] });
  }

  /** Says of the errors since there were `before` of them that they stand below `key`. */
  locateFailures(before: number, key: string | number): void {
    for (let at = before; at < this.failures.length; at++) this.failures[at]?.path.unshift(key);
  }
}
