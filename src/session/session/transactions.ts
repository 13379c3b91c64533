/** The transactions in which a session takes part, and its snapshots. They end with its rights. */
import type { SessionIdentity } from '../../auth/identity.js';
import { andThen, isPromise, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { userKey } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { uuidV7 } from '../../functions/identifiers.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { BeginOptions, Transaction, WaitInterrupt } from '../../storage/contract.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import { cancelled } from '../../storage/retry.js';
import type { CatalogSnapshot } from '../contract.js';
import type { HeldKind, TransactionHold } from '../resources/held-transactions.js';
import type { HeldTransaction } from '../statement-executor.js';
import { type Cancellable, OpenHeldTransaction, type Participant } from './held-transaction.js';
import type { SessionState } from './state.js';

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

/**
 * Begins a transaction. It counts for the session's principal, whichever sessions write in it.
 * @throws TesseraError `too_many_transactions`; `cancelled` if all are cancelled meanwhile
 */
export function beginHeld(
  session: SessionState,
  writable: boolean,
  participant: Participant,
): PromiseOrValue<HeldTransaction> {
  const kind = writable ? 'transaction' : 'snapshot';
  const begun = begin(session, kind, (memory) => beginStored(session, { writable, memory }));
  return andThen(begun, (all) => heldBy(session, participant, all, writable));
}

/**
 * Holds a snapshot that is open already; it counts for `whose`.
 * @throws TesseraError `too_many_transactions`
 */
export function holdSnapshot(
  session: SessionState,
  whose: SessionIdentity,
  snapshot: Transaction,
  participant: Participant,
): PromiseOrValue<HeldTransaction> {
  const begun = begin(session, 'snapshot', () => snapshot, whose);
  return andThen(begun, (all) => heldBy(session, participant, all, false));
}

function heldBy(
  { services, connection }: SessionState,
  participant: Participant,
  { transaction, hold, ending }: Begun,
  writable: boolean,
): HeldTransaction {
  const { clock, random } = services.environment;
  const held = new OpenHeldTransaction(transaction, {
    drawId: () => uuidV7(Number(clock.now() / 1_000_000n), random).text,
    use: () => hold.use(),
    release: (over) => {
      hold.release();
      if (writable) connection.transactions.delete(over);
    },
  });
  ending.end = (reason) => {
    if (writable) connection.transactions.noteEnd(held, reason);
    held.end(reason);
  };
  if (writable) connection.transactions.add(held);
  held.join(participant);
  return held.handleFor(participant);
}

/** The session takes part in a transaction from now on. */
export function joinTransaction(session: SessionState, held: Cancellable): void {
  session.transactions ??= new Set();
  session.transactions.add(held);
}

/** The snapshot of an export. It ends with the session at the latest, even if its reader never finishes. */
export function beginExport(session: SessionState): PromiseOrValue<ExportSnapshot> {
  const begun = begin(session, 'export', (memory) => beginStored(session, { writable: false, memory }));
  return andThen(begun, ({ transaction, hold }) => {
    const snapshot: ExportSnapshot = {
      transaction,
      cancel: () => {
        hold.release();
        session.transactions?.delete(snapshot);
        transaction.cancel();
      },
    };
    joinTransaction(session, snapshot);
    return snapshot;
  });
}

/** `beginIn` begins the transaction, with the memory that its writes may take. */
function begin(
  session: SessionState,
  kind: HeldKind,
  beginIn: (memory: NonNullable<BeginOptions['memory']>) => PromiseOrValue<Transaction>,
  whose = session.holder,
): PromiseOrValue<Begun> {
  if (session.isClosed) throw failure('cancelled');
  const epoch = session.transactionEpoch;
  const ending: Begun['ending'] = { end: () => undefined };
  const { transactions } = session.services;
  const hold = transactions.hold({ user: userOf(whose), kind, end: (reason) => ending.end(reason) });
  return otherwise(
    () =>
      andThen(
        beginIn(() => hold.memory),
        (transaction) => {
          if (session.transactionEpoch === epoch) return { transaction, hold, ending };
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

/** Begins a transaction in the store; a wait for it ends when the session's transactions end. */
function beginStored(session: SessionState, options: BeginOptions): PromiseOrValue<Transaction> {
  const begun = session.services.engine.begin(options);
  if (!isPromise(begun)) return begun;
  session.beginning ??= new Set();
  const { beginning } = session;
  const interrupt: WaitInterrupt = {
    onEnd: (callback) => {
      beginning.add(callback);
      return () => beginning.delete(callback);
    },
  };
  return untilInterrupted(interrupt, begun, cancelled);
}

/** Cancels all transactions of the session: its rights end, or are another's. */
export function cancelTransactions(session: SessionState): void {
  session.transactionEpoch++;
  for (const end of session.beginning ?? []) end(failure('cancelled'));
  for (const each of session.transactions ?? []) each.cancel();
}

/** Reads the current definitions of the selected database, in a snapshot that the session can go on using. */
export async function readCatalog(session: SessionState, participant: Participant): Promise<CatalogSnapshot> {
  const { identity } = session;
  const { engine, executor, environment } = session.services;
  const transaction = await engine.begin({ writable: false });
  let isOurs = true;
  const release = () => {
    if (!isOurs) return;
    isOurs = false;
    transaction.cancel();
    participant.settled(transaction, false);
  };
  try {
    const interrupt = RequestInterrupt.begin(environment);
    const catalog = await executor.execution({ transaction, identity, interrupt }).context.catalog();
    return {
      catalog,
      execute: (statements, variables, deadline) =>
        andThen(participant.enter(), () => participant.run({ statements }, { variables, deadline, held: transaction })),
      hold: () =>
        andThen(
          andThen(participant.enter(), () => holdSnapshot(session, identity, transaction, participant)),
          (held) => {
            isOurs = false;
            return held;
          },
        ),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}
