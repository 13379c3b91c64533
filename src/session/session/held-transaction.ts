/** A transaction that a client begins and ends over several requests, in any sessions of its connection. */
import type { SessionIdentity } from '../../auth/identity.js';
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { Deadline } from '../../runtime/interrupt.js';
import type { Transaction, WaitInterrupt } from '../../storage/contract.js';
import { commitInterruptibly } from '../../storage/interrupted.js';
import type { ObjectValue } from '../../value/value.js';
import type { ParsedRequest } from '../cache/statement-cache.js';
import type { HeldTransaction, StatementResult } from '../statement-executor.js';
import type { DurabilityTracker } from './durability.js';

/** What a session can end: a running request, a transaction. */
export interface Cancellable {
  cancel(): void;
}

/** Options of a request's statements. */
export interface StatementRequest {
  readonly variables: ObjectValue | undefined;
  readonly deadline?: Deadline | undefined;
  /** The transaction to run in; otherwise each statement has its own. */
  readonly held?: Transaction;
  /** The identities that have run statements in it. */
  readonly heldIdentities?: HeldIdentities;
  /** Collects the running requests, so that they can be cancelled. */
  readonly running?: Set<Cancellable>;
  /** Background work, which isn't part of the session's current request. */
  readonly background?: boolean;
  /** Tracks accepted commits that the request builds on before they are durable. Default: none. */
  readonly durability?: DurabilityTracker | undefined;
}

/** A session as seen by the transactions it takes part in. */
export interface Participant {
  parse(text: string, variables: ObjectValue | undefined): PromiseOrValue<ParsedRequest>;
  /** @throws TesseraError `session_expired` */
  check(): void;
  /**
   * Waits until the session is known to be valid; doesn't reset its idle timeout.
   * @throws TesseraError `session_expired`
   */
  confirm(): PromiseOrValue<void>;
  /**
   * Waits until the session is known to be valid and may run statements.
   * @throws TesseraError `session_expired`, `not_allowed`
   */
  enter(): PromiseOrValue<void>;
  /** Runs statements with the session's rights, selection and variables. */
  run(parsed: ParsedRequest, request: StatementRequest): PromiseOrValue<StatementResult[]>;
  /** Work that waits for the store; it ends with the session and with the time limit of requests. */
  interruptible<T>(work: (interrupt: WaitInterrupt) => PromiseOrValue<T>): PromiseOrValue<T>;
  /** The session takes part from now on; it cancels the transaction when its rights end. */
  joined(held: OpenHeldTransaction): void;
  /** The transaction is about to end. */
  left(held: OpenHeldTransaction): void;
  /** The transaction has ended. */
  settled(transaction: Transaction, isCommitted: boolean): void;
}

/** The services that a held transaction needs. */
export interface TransactionLease {
  /** Generates the id on first use: snapshots never need one. */
  drawId(): string;
  /** A statement begins; call the result when it has ended. */
  use(): () => void;
  /** The transaction is about to end. */
  release(held: OpenHeldTransaction): void;
}

/** The identities that have run statements in a held transaction: their users were checked when the first one ran. */
export class HeldIdentities {
  /** Mostly there is one. */
  #first: SessionIdentity | undefined;
  /** Weak, since each USE makes another. */
  #others: WeakSet<SessionIdentity> | undefined;

  has(identity: SessionIdentity): boolean {
    return this.#first === identity || this.#others?.has(identity) === true;
  }

  add(identity: SessionIdentity): void {
    if (this.#first === undefined) this.#first = identity;
    else {
      this.#others ??= new WeakSet();
      this.#others.add(identity);
    }
  }
}

/** Errors of statements that run while their transaction is ended. */
const ENDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['transaction_finished', 'cancelled']);

/**
 * An open transaction. The session that begins it takes part, and so does each session that runs a statement in it. It
 * is cancelled as soon as one of them ends or changes its principal, so that writes are committed only with the rights
 * they were made with.
 */
export class OpenHeldTransaction {
  readonly #transaction: Transaction;
  readonly #tenure: TransactionLease;
  #id: string | undefined;
  /** Why it ended, unless the client ended it. */
  #ended: TesseraError | undefined;
  /** Serializes the statements of all participating sessions. */
  readonly #queue = new SerialQueue();
  readonly #running = new Set<Cancellable>();
  readonly #participants = new Set<Participant>();
  readonly #identities = new HeldIdentities();
  /** The handle that was used last. */
  #handle: SessionHandle | undefined;
  /** Those of all sessions, if there are several: weak, since some come and go which only look the transaction up. */
  #handles: WeakMap<Participant, SessionHandle> | undefined;
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

  /** The handle through which a session uses the transaction; one for each session. */
  handleFor(session: Participant): HeldTransaction {
    const last = this.#handle;
    if (last?.session === session) return last;
    const handle = this.#handles?.get(session) ?? new SessionHandle(this, session);
    this.#handle = handle;
    if (last !== undefined) {
      this.#handles ??= new WeakMap([[last.session, last]]);
      this.#handles.set(session, handle);
    }
    return handle;
  }

  run(
    by: Participant,
    parsed: ParsedRequest,
    variables: ObjectValue | undefined,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    return andThen(by.enter(), () => {
      this.join(by);
      return by.run(parsed, {
        variables,
        deadline,
        held: this.#transaction,
        heldIdentities: this.#identities,
        running: this.#running,
      });
    });
  }

  inTurn(by: Participant, work: () => PromiseOrValue<StatementResult[]>): PromiseOrValue<StatementResult[]> {
    this.#mustGoOn(by);
    const unused = this.#tenure.use();
    return lastly(
      () => {
        const results = this.#queue.run(() => {
          this.#mustGoOn(by);
          return work();
        });
        return isPromise(results) ? results.then((all) => all.map((each) => this.#explained(each))) : results;
      },
      () => unused(),
    );
  }

  /** A result; the reason is substituted if the error is due to the end of the transaction. */
  #explained(result: StatementResult): StatementResult {
    const { outcome } = result;
    if (this.#ended === undefined || outcome.ok || !ENDED.has(outcome.error.code)) return result;
    return { ...result, outcome: { ok: false, error: this.#ended } };
  }

  async commit(by: Participant): Promise<void> {
    this.#mustGoOn(by);
    await this.#queue.run(() => {
      this.#mustGoOn(by);
      return andThen(this.#confirm(by), () => {
        this.#mustGoOn(by);
        this.#release();
        return otherwise(
          () =>
            andThen(this.#commit(by), () => {
              this.#settle(true);
              return this.#transaction.pace?.();
            }),
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

  /**
   * Checks that the committing session and all participants are still valid.
   * @throws TesseraError `session_expired`
   */
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

  /** Cancels the transaction and its running statements: idle timeout or age. */
  end(reason: TesseraError): void {
    this.#ended = reason;
    for (const running of this.#running) running.cancel();
    this.cancel();
  }

  #mustGoOn(by: Participant): void {
    if (this.#ended === undefined) return;
    // An expired session takes precedence.
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

/** The handle of a held transaction for one session. */
class SessionHandle implements HeldTransaction {
  readonly #held: OpenHeldTransaction;
  readonly session: Participant;

  constructor(held: OpenHeldTransaction, session: Participant) {
    this.#held = held;
    this.session = session;
  }

  get id(): string {
    return this.#held.id;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    const [held, session] = [this.#held, this.session];
    return held.inTurn(session, () =>
      andThen(session.parse(text, variables), (parsed) => held.run(session, parsed, variables)),
    );
  }

  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    return this.#held.inTurn(this.session, () => this.#held.run(this.session, { statements }, variables, deadline));
  }

  commit(): Promise<void> {
    return this.#held.commit(this.session);
  }

  cancel(): void {
    this.#held.cancel();
  }
}
