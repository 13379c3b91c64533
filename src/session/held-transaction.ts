/** A transaction that a client begins and ends itself, over several requests. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { Turns } from '../base/turns.js';
import type { Deadline } from '../exec/interrupt.js';
import type { Statement } from '../language/ast.js';
import type { Transaction } from '../storage/contract.js';
import type { ObjectValue } from '../value/value.js';
import type { HeldTransaction, StatementResult } from './contract.js';
import { parseSteadily } from './steady-names.js';
import type { Unsettled } from './unsettled.js';

/** How statements are to be run. */
export interface StatementRequest {
  readonly variables: ObjectValue | undefined;
  readonly deadline?: Deadline | undefined;
  /** The transaction in which they run; each in one of its own without. */
  readonly held?: Transaction;
  /** What they go on from, though it isn't durable yet; nothing unless told. */
  readonly unsettled?: Unsettled | undefined;
}

/** What a held transaction needs of its session. */
export interface Holder {
  /** Its id, when it is first asked for: nobody asks for that of a snapshot. */
  drawId(): string;
  parse(text: string): readonly Statement[];
  run(statements: readonly Statement[], request: StatementRequest): PromiseOrValue<StatementResult[]>;
  /** The transaction is about to end. */
  release(held: HeldTransaction): void;
  /** It is over. */
  settled(transaction: Transaction, isCommitted: boolean): void;
}

export class OpenHeldTransaction implements HeldTransaction {
  readonly #transaction: Transaction;
  readonly #holder: Holder;
  #id: string | undefined;
  /** Statements of one transaction never overlap. */
  readonly #turns = new Turns();

  constructor(transaction: Transaction, holder: Holder) {
    this.#transaction = transaction;
    this.#holder = holder;
  }

  get id(): string {
    this.#id ??= this.#holder.drawId();
    return this.#id;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    const steady = parseSteadily(text, variables, this.#holder.parse);
    return this.execute(steady.statements, steady.variables);
  }

  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    const request = { variables, deadline, held: this.#transaction };
    return this.#turns.take(() => this.#holder.run(statements, request));
  }

  async commit(): Promise<void> {
    await this.#turns.take(() => {
      this.#holder.release(this);
      return otherwise(
        () => andThen(this.#transaction.commit(), () => this.#holder.settled(this.#transaction, true)),
        (error) => {
          this.#holder.settled(this.#transaction, false);
          throw error;
        },
      );
    });
  }

  cancel(): void {
    this.#holder.release(this);
    this.#transaction.cancel();
    this.#holder.settled(this.#transaction, false);
  }
}
