/** A transaction that a client begins and ends itself, over several requests. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Statement } from '../language/ast.js';
import type { Transaction } from '../storage/contract.js';
import type { ObjectValue } from '../value/value.js';
import type { HeldTransaction, StatementResult } from './contract.js';

/** What a held transaction needs of its session. */
export interface Holder {
  parse(text: string): readonly Statement[];
  run(
    statements: readonly Statement[],
    variables: ObjectValue | undefined,
    transaction: Transaction,
  ): Promise<StatementResult[]>;
  /** The transaction is about to end. */
  release(id: string): void;
  /** It is over. */
  settled(transaction: Transaction, isCommitted: boolean): void;
}

export class OpenHeldTransaction implements HeldTransaction {
  readonly #transaction: Transaction;
  readonly #holder: Holder;
  /** What was asked last; statements of one transaction never overlap. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly id: string,
    transaction: Transaction,
    holder: Holder,
  ) {
    this.#transaction = transaction;
    this.#holder = holder;
  }

  async query(text: string, variables?: ObjectValue): Promise<StatementResult[]> {
    return this.execute(this.#holder.parse(text), variables);
  }

  execute(statements: readonly Statement[], variables?: ObjectValue): Promise<StatementResult[]> {
    return this.#inTurn(() => this.#holder.run(statements, variables, this.#transaction));
  }

  commit(): Promise<void> {
    return this.#inTurn(() => {
      this.#holder.release(this.id);
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
    this.#holder.release(this.id);
    this.#transaction.cancel();
    this.#holder.settled(this.#transaction, false);
  }

  #inTurn<T>(work: () => PromiseOrValue<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
