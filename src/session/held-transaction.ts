/** A transaction that a client begins and ends itself, over several requests. */
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { Turns } from '../base/turns.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { TesseraError } from '../errors/error.js';
import type { Deadline } from '../exec/interrupt.js';
import type { Statement } from '../language/ast.js';
import type { Transaction } from '../storage/contract.js';
import type { ObjectValue } from '../value/value.js';
import type { HeldTransaction, StatementResult } from './contract.js';
import type { ParsedRequest } from './parse-long.js';
import type { Unsettled } from './unsettled.js';

/** How statements are to be run. */
export interface StatementRequest {
  readonly variables: ObjectValue | undefined;
  readonly deadline?: Deadline | undefined;
  /** The transaction in which they run; each in one of its own without. */
  readonly held?: Transaction;
  /** Holds on to what can end them, while they run. */
  readonly running?: Set<{ cancel(): void }>;
  /** What they go on from, though it isn't durable yet; nothing unless told. */
  readonly unsettled?: Unsettled | undefined;
}

/** What a held transaction needs of its session. */
export interface Holder {
  /** Its id, when it is first asked for: nobody asks for that of a snapshot. */
  drawId(): string;
  parse(text: string, variables: ObjectValue | undefined): PromiseOrValue<ParsedRequest>;
  /** @throws TesseraError `session_expired` */
  check(): void;
  run(statements: readonly Statement[], request: StatementRequest): PromiseOrValue<StatementResult[]>;
  /** The transaction is about to end. */
  release(held: HeldTransaction): void;
  /** It is over. */
  settled(transaction: Transaction, isCommitted: boolean): void;
  /** A statement begins in it; the answer is to be called when that has ended. */
  use(): () => void;
}

/** What statements meet with whose transaction is ended while they run. */
const ENDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['transaction_finished', 'cancelled']);

export class OpenHeldTransaction implements HeldTransaction {
  readonly #transaction: Transaction;
  readonly #holder: Holder;
  #id: string | undefined;
  /** Why it was ended, if its client didn't. */
  #ended: TesseraError | undefined;
  /** Statements of one transaction never overlap. */
  readonly #turns = new Turns();
  readonly #running = new Set<{ cancel(): void }>();

  constructor(transaction: Transaction, holder: Holder) {
    this.#transaction = transaction;
    this.#holder = holder;
  }

  get id(): string {
    this.#id ??= this.#holder.drawId();
    return this.#id;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    return this.#inTurn(() =>
      andThen(this.#holder.parse(text, variables), (asked) => this.#run(asked.statements, asked.variables, undefined)),
    );
  }

  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    return this.#inTurn(() => this.#run(statements, variables, deadline));
  }

  #run(
    statements: readonly Statement[],
    variables: ObjectValue | undefined,
    deadline: Deadline | undefined,
  ): PromiseOrValue<StatementResult[]> {
    return this.#holder.run(statements, { variables, deadline, held: this.#transaction, running: this.#running });
  }

  #inTurn(work: () => PromiseOrValue<StatementResult[]>): PromiseOrValue<StatementResult[]> {
    this.#mustGoOn();
    const unused = this.#holder.use();
    return lastly(
      () => {
        const results = this.#turns.take(() => {
          this.#mustGoOn();
          return work();
        });
        return isPromise(results) ? results.then((all) => all.map((each) => this.#explained(each))) : results;
      },
      () => unused(),
    );
  }

  /** A result, with the reason if it is an error because the transaction was ended meanwhile. */
  #explained(result: StatementResult): StatementResult {
    const { outcome } = result;
    if (this.#ended === undefined || outcome.ok || !ENDED.has(outcome.error.code)) return result;
    return { ...result, outcome: { ok: false, error: this.#ended } };
  }

  async commit(): Promise<void> {
    this.#mustGoOn();
    await this.#turns.take(() => {
      this.#mustGoOn();
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

  /** Cancels it, and what runs in it, because its time is over. */
  end(reason: TesseraError): void {
    this.#ended = reason;
    for (const running of this.#running) running.cancel();
    this.cancel();
  }

  #mustGoOn(): void {
    if (this.#ended === undefined) return;
    // The end of the session comes first.
    this.#holder.check();
    throw this.#ended;
  }

  cancel(): void {
    this.#holder.release(this);
    this.#transaction.cancel();
    this.#holder.settled(this.#transaction, false);
  }
}
