/** A transaction that a client begins and ends itself, over several requests, in any sessions of its connection. */
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { Turns } from '../../base/serial-queue.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Deadline } from '../../exec/interrupt.js';
import type { Statement } from '../../language/ast.js';
import type { Transaction, WaitInterrupt } from '../../storage/contract.js';
import { commitInterruptibly } from '../../storage/interrupted.js';
import type { ObjectValue } from '../../value/value.js';
import type { ParsedRequest } from '../database/plan-cache.js';
import type { HeldTransaction, StatementResult } from '../statement-executor.js';
import type { DurabilityTracker } from './durability-tracker.js';

/** How statements are to be run. */
export interface StatementRequest {
  readonly variables: ObjectValue | undefined;
  /** The values of the slots of each statement. */
  readonly literals?: ParsedRequest['literals'] | undefined;
  readonly deadline?: Deadline | undefined;
  /** The transaction in which they run; each in one of its own without. */
  readonly held?: Transaction;
  /** Holds on to what can end them, while they run. */
  readonly running?: Set<{ cancel(): void }>;
  /** What they go on from, though it isn't durable yet; nothing unless told. */
  readonly durability?: DurabilityTracker | undefined;
}

/** A session, as the transactions see it in which it takes part. */
export interface Participant {
  parse(text: string, variables: ObjectValue | undefined): PromiseOrValue<ParsedRequest>;
  /** @throws TesseraError `session_expired` */
  check(): void;
  /** Waits until it is sure that the session may go on, which is no use of it. @throws TesseraError `session_expired` */
  confirm(): PromiseOrValue<void>;
  /** Waits until it is sure that the session may run statements. @throws TesseraError `session_expired`, `not_allowed` */
  enter(): PromiseOrValue<void>;
  /** Runs statements with the rights, the selection and the variables of the session. */
  run(statements: readonly Statement[], request: StatementRequest): PromiseOrValue<StatementResult[]>;
  /** Work that waits for the store, which ends with the session and when a request would have to. */
  interruptible<T>(work: (interrupt: WaitInterrupt) => PromiseOrValue<T>): PromiseOrValue<T>;
  /** It takes part from now on, and has to cancel the transaction when its rights end. */
  joined(held: OpenHeldTransaction): void;
  /** The transaction is about to end. */
  left(held: OpenHeldTransaction): void;
  /** The transaction is over. */
  settled(transaction: Transaction, isCommitted: boolean): void;
}

/** What a held transaction needs besides. */
export interface TransactionLease {
  /** Its id, when it is first asked for: nobody asks for that of a snapshot. */
  drawId(): string;
  /** A statement begins in it; the answer is to be called when that has ended. */
  use(): () => void;
  /** It is about to end. */
  release(held: OpenHeldTransaction): void;
}

/** What statements meet with whose transaction is ended while they run. */
const ENDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['transaction_finished', 'cancelled']);

/**
 * A transaction under way. The session that begins it takes part in it, and so does each one that runs a statement in it. What a session has
 * written is committed only while its rights last: the transaction is cancelled with the first of them that ends or becomes somebody else's.
 */
export class OpenHeldTransaction {
  readonly #transaction: Transaction;
  readonly #tenure: TransactionLease;
  #id: string | undefined;
  /** Why it was ended, if no client did that. */
  #ended: TesseraError | undefined;
  /** Statements of one transaction never overlap, whichever sessions they come from. */
  readonly #turns = new Turns();
  readonly #running = new Set<{ cancel(): void }>();
  readonly #participants = new Set<Participant>();
  /** Sessions may come and go that do no more than name it. */
  readonly #doors = new WeakMap<Participant, HeldTransaction>();
  #isOver = false;

  constructor(transaction: Transaction, tenure: TransactionLease) {
    this.#transaction = transaction;
    this.#tenure = tenure;
  }

  get id(): string {
    this.#id ??= this.#tenure.drawId();
    return this.#id;
  }

  join(participant: Participant): void {
    if (this.#isOver || this.#participants.has(participant)) return;
    this.#participants.add(participant);
    participant.joined(this);
  }

  /** The transaction as a session uses it; always the same one for each. */
  handleFor(session: Participant): HeldTransaction {
    let door = this.#doors.get(session);
    if (door === undefined) {
      door = new SessionHandle(this, session);
      this.#doors.set(session, door);
    }
    return door;
  }

  run(
    by: Participant,
    statements: readonly Statement[],
    request: Pick<StatementRequest, 'variables' | 'literals' | 'deadline'>,
  ): PromiseOrValue<StatementResult[]> {
    return andThen(by.enter(), () => {
      this.join(by);
      return by.run(statements, { ...request, held: this.#transaction, running: this.#running });
    });
  }

  inTurn(by: Participant, work: () => PromiseOrValue<StatementResult[]>): PromiseOrValue<StatementResult[]> {
    this.#mustGoOn(by);
    const unused = this.#tenure.use();
    return lastly(
      () => {
        const results = this.#turns.take(() => {
          this.#mustGoOn(by);
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

  async commit(by: Participant): Promise<void> {
    this.#mustGoOn(by);
    await this.#turns.take(() => {
      this.#mustGoOn(by);
      return andThen(this.#confirm(by), () => {
        this.#mustGoOn(by);
        this.#release();
        return otherwise(
          () => andThen(this.#commit(by), () => this.#settle(true)),
          (error) => {
            this.#settle(false);
            throw error;
          },
        );
      });
    });
  }

  #commit(by: Participant): PromiseOrValue<void> {
    const transaction = this.#transaction;
    const committed = transaction.commit();
    if (!isPromise(committed)) return;
    return by.interruptible((interrupt) => commitInterruptibly(interrupt, transaction, () => committed));
  }

  /** Fails unless whoever commits and all who have taken part may still go on: their rights may have ended with nobody noticing so far. */
  #confirm(by: Participant): PromiseOrValue<void> {
    let confirmed = by.confirm();
    for (const participant of this.#participants) {
      if (participant === by) continue;
      confirmed = andThen(confirmed, () =>
        otherwise(
          () => participant.confirm(),
          () => {
            this.cancel();
            throw failure('transaction_missing');
          },
        ),
      );
    }
    return confirmed;
  }

  /** Cancels it, and what runs in it, because its time is over. */
  end(reason: TesseraError): void {
    this.#ended = reason;
    for (const running of this.#running) running.cancel();
    this.cancel();
  }

  #mustGoOn(by: Participant): void {
    if (this.#ended === undefined) return;
    // The end of the session comes first.
    by.check();
    throw this.#ended;
  }

  cancel(): void {
    this.#release();
    this.#transaction.cancel();
    this.#settle(false);
  }

  #release(): void {
    this.#isOver = true;
    this.#tenure.release(this);
    for (const participant of this.#participants) participant.left(this);
  }

  #settle(isCommitted: boolean): void {
    for (const participant of this.#participants) participant.settled(this.#transaction, isCommitted);
  }
}

/** A held transaction in the hands of one session. */
class SessionHandle implements HeldTransaction {
  readonly #held: OpenHeldTransaction;
  readonly #session: Participant;

  constructor(held: OpenHeldTransaction, session: Participant) {
    this.#held = held;
    this.#session = session;
  }

  get id(): string {
    return this.#held.id;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    const [held, session] = [this.#held, this.#session];
    return held.inTurn(session, () =>
      andThen(session.parse(text, variables), ({ statements, literals }) =>
        held.run(session, statements, { variables, literals }),
      ),
    );
  }

  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    return this.#held.inTurn(this.#session, () => this.#held.run(this.#session, statements, { variables, deadline }));
  }

  commit(): Promise<void> {
    return this.#held.commit(this.#session);
  }

  cancel(): void {
    this.#held.cancel();
  }
}
