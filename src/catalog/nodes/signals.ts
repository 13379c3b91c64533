/**
 * Signals: what a node asks another one to do, appended to a log that each node reads as soon as it follows the commit.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type LogPosition, positionIn } from '../../storage/append.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { isObject, objectFrom } from '../../value/value.js';
import { forEachEntry } from '../entries.js';
import { prefixRange } from '../keys.js';
import { SIGNAL_LOG } from './keys.js';

export interface Signal {
  /** What is to be ended: a session or a live query. */
  readonly ends: 'session' | 'live-query';
  readonly id: string;
  /** Whose it is (`SharedStore.node`). */
  readonly node: string;
}

/** How long a signal can be read, in milliseconds: longer than a node may be cut off without having to read all. */
export const SIGNALS_KEPT_FOR = 600_000;

/** Appends a signal that all nodes read: a live query or sessions are to be ended. */
export function appendSignal(transaction: Transaction, { ends, id, node }: Signal): void {
  transaction.append(SIGNAL_LOG, objectFrom({ ends, id, node }));
}

/** The signals from a position on, and the position behind them. */
export function readSignals(
  transaction: Transaction,
  from: LogPosition,
): PromiseOrValue<{ readonly signals: readonly Signal[]; readonly next: LogPosition }> {
  const signals: Signal[] = [];
  let next = from;
  const read = forEachEntry(transaction, { ...prefixRange(SIGNAL_LOG), from: SIGNAL_LOG + from }, ([key, stored]) => {
    const signal = readSignal(stored);
    if (signal !== undefined) signals.push(signal);
    next = `${positionIn(SIGNAL_LOG, key)}\0`;
  });
  return andThen(read, () => ({ signals, next }));
}

/** Those that a later release sends may be of another kind. */
function readSignal(stored: Stored): Signal | undefined {
  if (!isObject(stored)) return undefined;
  const { ends, id, node } = stored;
  if (ends !== 'session' && ends !== 'live-query') return undefined;
  return { ends, id: String(id), node: String(node) };
}
