/** The transactions that the client of one session holds, and the snapshots that are read on its behalf. */
import type { SessionIdentity } from '../auth/identity.js';
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Engine, Transaction } from '../storage/contract.js';
import type { HeldTransaction } from './contract.js';
import { type Holder, OpenHeldTransaction } from './held-transaction.js';
import type { HeldKind, HeldTransactions, Hold } from './held-transactions.js';
import { userKey } from './registry.js';

/** Of how many transactions that were ended a session knows why. */
const KNOWN_ENDS = 64;

/** A snapshot that lasts until it is cancelled, or its session ends. */
export interface ExportSnapshot {
  readonly transaction: Transaction;
  cancel(): void;
}

interface Begun {
  readonly transaction: Transaction;
  readonly hold: Hold;
  /** `end` is called when its time is over. */
  readonly ending: { end(reason: TesseraError): void };
}

/** Whose transactions are counted together; nobody's where the process itself asks. */
function userOf({ principal, signedIn, origin }: SessionIdentity): string | undefined {
  if (principal.kind !== 'guest' && signedIn.basis !== undefined) return userKey(principal);
  return origin.ip === undefined ? undefined : `address ${origin.ip}`;
}

export class SessionTransactions {
  readonly #engine: Engine;
  readonly #all: HeldTransactions;
  readonly #held = new Map<string, HeldTransaction>();
  readonly #snapshots = new Set<{ cancel(): void }>();
  /** Why transactions were ended whose client may not know yet. */
  readonly #ends = new Map<string, TesseraError>();
  /** Goes up when all are cancelled: those that are about to begin come to nothing, too. */
  #epoch = 0;
  #isClosed = false;

  constructor({ engine, transactions }: { readonly engine: Engine; readonly transactions: HeldTransactions }) {
    this.#engine = engine;
    this.#all = transactions;
  }

  /** @throws TesseraError `too_many_transactions`, and `cancelled` if all are cancelled while it begins */
  begin(
    whose: SessionIdentity,
    writable: boolean,
    holder: Omit<Holder, 'release' | 'use'>,
  ): PromiseOrValue<HeldTransaction> {
    return andThen(this.#begin(whose, writable ? 'transaction' : 'snapshot'), ({ transaction, hold, ending }) => {
      const held = new OpenHeldTransaction(transaction, {
        ...holder,
        use: () => hold.use(),
        release: (over) => {
          hold.release();
          if (writable) this.#held.delete(over.id);
          else this.#snapshots.delete(over);
        },
      });
      ending.end = (reason) => {
        if (writable) this.#noteEnd(held.id, reason);
        held.end(reason);
      };
      if (writable) this.#held.set(held.id, held);
      else this.#snapshots.add(held);
      return held;
    });
  }

  /** What an export reads: it ends with the session, though whoever reads it may never come back. */
  exportSnapshot(whose: SessionIdentity): PromiseOrValue<ExportSnapshot> {
    return andThen(this.#begin(whose, 'export'), ({ transaction, hold }) => {
      const snapshot: ExportSnapshot = {
        transaction,
        cancel: () => {
          hold.release();
          this.#snapshots.delete(snapshot);
          transaction.cancel();
        },
      };
      this.#snapshots.add(snapshot);
      return snapshot;
    });
  }

  #begin(whose: SessionIdentity, kind: HeldKind): PromiseOrValue<Begun> {
    if (this.#isClosed) throw failure('cancelled');
    const epoch = this.#epoch;
    const ending: Begun['ending'] = { end: () => undefined };
    const hold = this.#all.hold({ user: userOf(whose), kind, end: (reason) => ending.end(reason) });
    return otherwise(
      () =>
        andThen(this.#engine.begin({ writable: kind === 'transaction', memory: () => hold.memory }), (transaction) => {
          if (this.#epoch === epoch) return { transaction, hold, ending };
          transaction.cancel();
          throw failure('cancelled');
        }),
      (error) => {
        hold.release();
        throw error;
      },
    );
  }

  /** One that is under way. @throws TesseraError `transaction_missing`, `transaction_idle`, `transaction_expired` */
  find(id: string): HeldTransaction {
    const held = this.#held.get(id);
    if (held === undefined) throw this.#ends.get(id) ?? failure('transaction_missing');
    return held;
  }

  cancelAll(): void {
    this.#epoch++;
    this.#ends.clear();
    for (const held of this.#held.values()) held.cancel();
    for (const snapshot of this.#snapshots) snapshot.cancel();
  }

  /** The session is closed: nothing begins any more. */
  close(): void {
    this.#isClosed = true;
    this.cancelAll();
  }

  #noteEnd(id: string, reason: TesseraError): void {
    this.#ends.set(id, reason);
    const [first] = this.#ends.keys();
    if (this.#ends.size > KNOWN_ENDS && first !== undefined) this.#ends.delete(first);
  }
}
