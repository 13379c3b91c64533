/** What waits in a session to be delivered by its notifier, in the order in which it arrived. */
import type { TesseraError } from '../../errors/error.js';
import type { LiveQuery, LiveStatement, ResultSubscription } from '../../runtime/execution.js';
import type { RequestInterrupt } from '../../runtime/interrupt.js';
import type { ChangeMemory } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import type { Versionstamp } from '../../storage/contract.js';
import type { LiveCursor } from './live-cursor.js';

/** A change to evaluate. */
export interface ChangeItem {
  readonly kind: 'change';
  readonly query: LiveQuery;
  readonly change: WrittenRecord;
  readonly stamp: Versionstamp;
  /** Whether it is the last change of its commit for this query. */
  isLast: boolean;
  readonly memory: ChangeMemory;
  /** When this node learned of the commit, on the monotonic clock. */
  readonly since: number;
}

/** A page of changes from before the query began. */
export interface PastItem {
  readonly kind: 'past';
  readonly query: LiveQuery;
  readonly cursor: LiveCursor;
}

/** The end of a query and its reason. */
export interface EndItem {
  readonly kind: 'end';
  readonly query: LiveStatement;
  readonly reason: TesseraError | undefined;
}

/** There is a later result of a LIVE QUERY. */
export interface ResultItem {
  readonly kind: 'result';
  readonly query: ResultSubscription;
}

export type Item = ChangeItem | PastItem | EndItem | ResultItem;

/** The processing of one item. */
export interface Pass {
  readonly interrupt: RequestInterrupt;
  /** Whether notifications must be suppressed because the query or session has ended meanwhile. */
  isOver(): boolean;
}

/** The change that has waited longest. */
export function firstChange(items: Iterable<Item>): ChangeItem | undefined {
  for (const item of items) if (item.kind === 'change') return item;
  return undefined;
}
