/**
 * Signals: requests of a node to others, appended to a log that each node reads as soon as it follows the commit.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { type LogPosition, positionIn } from '../../storage/transaction/append.js';
import { isObject, objectFrom } from '../../value/value.js';
import { forEachEntry } from '../entries.js';
import { prefixRange } from '../keys/key-bytes.js';
import { REMOVED_SIGNALS_KEY, SIGNAL_LOG } from '../keys/node-keys.js';
import type { DatabasePath } from '../principal.js';

/** Something is to be ended. */
export type Signal = Ended & {
  readonly id: string;
  /** The node that has it (`SharedStore.node`). */
  readonly node: string;
};

/** No row says where a live result is: it is ended if it is in that database. */
type Ended =
  | { readonly ends: 'session' }
  | { readonly ends: 'live-query' }
  | { readonly ends: 'live-result'; readonly databasePath: DatabasePath };

/**
 * How long a signal is kept, in milliseconds. A node that was away for longer ends everything that signals might have
 * named.
 */
export const SIGNALS_KEPT_FOR = 600_000;

/** Appends a signal that all nodes read: something is to be ended. */
export function appendSignal(transaction: Transaction, signal: Signal): void {
  const { ends, id, node } = signal;
  const { namespace, database } = signal.ends === 'live-result' ? signal.databasePath : {};
  transaction.append(
    SIGNAL_LOG,
    objectFrom({ ends, id, node, ...(database !== undefined && { namespace, database }) }),
  );
}

/** The signals in the log from a position on. */
export interface ReadSignals {
  readonly signals: readonly Signal[];
  /** The position behind them. */
  readonly next: LogPosition;
  /** Whether there were others from that position on, which were too old to be kept. */
  readonly areMissing: boolean;
}

/** The signals from a position on. */
export function readSignals(transaction: Transaction, from: LogPosition): PromiseOrValue<ReadSignals> {
  return andThen(transaction.get(REMOVED_SIGNALS_KEY), (removed) => {
    const areMissing = typeof removed === 'string' && removed >= from;
    return readFrom(transaction, areMissing ? `${removed}\0` : from, areMissing);
  });
}

function readFrom(transaction: Transaction, from: LogPosition, areMissing: boolean): PromiseOrValue<ReadSignals> {
  const signals: Signal[] = [];
  let next = from;
  const read = forEachEntry(transaction, { ...prefixRange(SIGNAL_LOG), from: SIGNAL_LOG + from }, ([key, stored]) => {
    const signal = readSignal(stored);
    if (signal !== undefined) signals.push(signal);
    next = `${positionIn(SIGNAL_LOG, key)}\0`;
  });
  return andThen(read, () => ({ signals, next, areMissing }));
}

/** Those that a later release sends may be of another kind. */
function readSignal(stored: Stored): Signal | undefined {
  if (!isObject(stored)) return undefined;
  const { ends, id, node, namespace, database } = stored;
  const what = { id: String(id), node: String(node) };
  if (ends === 'session' || ends === 'live-query') return { ends, ...what };
  if (ends !== 'live-result') return undefined;
  return { ends, ...what, databasePath: { namespace: String(namespace), database: String(database) } };
}
