/** The transactions in which a session takes part, and its snapshots. They end with its rights. */
import type { SessionIdentity } from '../../auth/identity.js';
import { andThen, isPromise, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { userKey } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { uuidV7 } from '../../functions/identifiers.js';
import type { BeginOptions, Engine, Transaction, WaitInterrupt } from '../../storage/contract.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import { cancelled } from '../../storage/retry.js';
import type { ClientConnection } from '../resources/client-connection.js';
import type { HeldKind, HeldTransactions, TransactionHold } from '../resources/held-transactions.js';
import type { HeldTransaction } from '../statement-executor.js';
import { OpenHeldTransaction, type Participant } from './held-transaction.js';
import type { SessionServices } from './services.js';

/** A snapshot that lasts until it is cancelled or its session ends. */
export interface ExportSnapshot {
  readonly transaction: Transaction;
  cancel(): void;
}

interface Begun {
  readonly transaction: Transaction;
  readonly hold: TransactionHold;
  /** `end` is called on timeout. */
  readonly ending: { end(reason: TesseraError): void };
}

/** The user whose transactions are counted together; `undefined` for the process itself. */
function userOf({ principal, signedIn, origin }: SessionIdentity): string | undefined {
  if (principal.kind !== 'guest' && signedIn.basis !== undefined) return userKey(principal);
  return origin.ip === undefined ? undefined : `address ${origin.ip}`;
}

export class SessionTransactions {
  readonly #engine: Engine;
  readonly #environment: Environment;
  readonly #all: HeldTransactions;
  readonly #connection: ClientConnection;
  /** The transactions in which the session takes part. */
  readonly #ongoing = new Set<{ cancel(): void }>();
  /** Incremented when all are cancelled, so that those being begun are cancelled as well. */
  #epoch = 0;
  /** Waits for the store to begin a transaction. */
  readonly #beginning = new Set<(reason: TesseraError) => void>();
  #isClosed = false;

  constructor(
    { engine, environment, transactions }: Pick<SessionServices, 'engine' | 'environment' | 'transactions'>,
    connection: ClientConnection,
  ) {
    this.#engine = engine;
    this.#environment = environment;
    this.#all = transactions;
    this.#connection = connection;
  }

  /**
   * Begins a transaction. It counts for the session's principal, whichever sessions write in it.
   * @throws TesseraError `too_many_transactions`; `cancelled` if all are cancelled meanwhile
   */
  begin(whose: SessionIdentity, writable: boolean, session: Participant): PromiseOrValue<HeldTransaction> {
    const kind = writable ? 'transaction' : 'snapshot';
    const begun = this.#begin(whose, kind, (memory) => this.#begun({ writable, memory }));
    return andThen(begun, (all) => this.#heldBy(session, all, writable));
  }

  /**
   * Holds a snapshot that is open already.
   * @throws TesseraError `too_many_transactions`
   */
  hold(whose: SessionIdentity, snapshot: Transaction, session: Participant): PromiseOrValue<HeldTransaction> {
    const begun = this.#begin(whose, 'snapshot', () => snapshot);
    return andThen(begun, (all) => this.#heldBy(session, all, false));
  }

  #heldBy(session: Participant, { transaction, hold, ending }: Begun, writable: boolean): HeldTransaction {
    const { clock, random } = this.#environment;
    const held = new OpenHeldTransaction(transaction, {
      drawId: () => uuidV7(Number(clock.now() / 1_000_000n), random).text,
      use: () => hold.use(),
      release: (over) => {
        hold.release();
        if (writable) this.#connection.transactions.delete(over);
      },
    });
    ending.end = (reason) => {
      if (writable) this.#connection.transactions.noteEnd(held, reason);
      held.end(reason);
    };
    if (writable) this.#connection.transactions.add(held);
    held.join(session);
    return held.handleFor(session);
  }

  joined(held: { cancel(): void }): void {
    this.#ongoing.add(held);
  }

  left(held: { cancel(): void }): void {
    this.#ongoing.delete(held);
  }

  /** The snapshot of an export. It ends with the session at the latest, even if its reader never finishes. */
  exportSnapshot(whose: SessionIdentity): PromiseOrValue<ExportSnapshot> {
    const begin = (memory: BeginOptions['memory']) => this.#begun({ writable: false, memory });
    return andThen(this.#begin(whose, 'export', begin), ({ transaction, hold }) => {
      const snapshot: ExportSnapshot = {
        transaction,
        cancel: () => {
          hold.release();
          this.left(snapshot);
          transaction.cancel();
        },
      };
      this.joined(snapshot);
      return snapshot;
    });
  }

  /** `begin` begins the transaction, with the memory that its writes may take. */
  #begin(
    whose: SessionIdentity,
    kind: HeldKind,
    begin: (memory: NonNullable<BeginOptions['memory']>) => PromiseOrValue<Transaction>,
  ): PromiseOrValue<Begun> {
    if (this.#isClosed) throw failure('cancelled');
    const epoch = this.#epoch;
    const ending: Begun['ending'] = { end: () => undefined };
    const hold = this.#all.hold({ user: userOf(whose), kind, end: (reason) => ending.end(reason) });
    return otherwise(
      () =>
        andThen(
          begin(() => hold.memory),
          (transaction) => {
            if (this.#epoch === epoch) return { transaction, hold, ending };
            transaction.cancel();
            throw failure('cancelled');
          },
        ),
      (error) => {
        hold.release();
        throw error;
      },
    );
  }

  #begun(options: BeginOptions): PromiseOrValue<Transaction> {
    const begun = this.#engine.begin(options);
    if (!isPromise(begun)) return begun;
    const interrupt: WaitInterrupt = {
      onEnd: (callback) => {
        this.#beginning.add(callback);
        return () => this.#beginning.delete(callback);
      },
    };
    return untilInterrupted(interrupt, begun, cancelled);
  }

  /**
   * An open transaction of the connection.
   * @throws TesseraError `transaction_missing`, `transaction_idle`, `transaction_expired`
   */
  find(id: string, session: Participant): HeldTransaction {
    return this.#connection.transactions.find(id).handleFor(session);
  }

  cancelAll(): void {
    this.#epoch++;
    for (const end of this.#beginning) end(failure('cancelled'));
    for (const each of this.#ongoing) each.cancel();
  }

  /** The session is closed: no further transaction begins. */
  close(): void {
    this.#isClosed = true;
    this.cancelAll();
  }
}
