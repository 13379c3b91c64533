/** What is called when a transaction has committed. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import type { Versionstamp } from '../contract.js';

/**
 * The callbacks for the commit of a transaction: the last one, linked to those before. Shared by savepoints,
 * so it never changes.
 */
export interface AfterCommit {
  readonly callback: (last: Versionstamp) => void;
  readonly before: AfterCommit | undefined;
}

/** The same in steps, while no other commit is admitted, so that the order of commits is kept. */
export function callInSteps(last: AfterCommit | undefined, stamp: Versionstamp, work: Work): PromiseOrValue<void> {
  const callbacks: AfterCommit['callback'][] = [];
  for (let each = last; each !== undefined; each = each.before) callbacks.push(each.callback);
  return eachItem(callbacks.reverse(), work, (callback) => callback(stamp));
}

/** Calls all of them in order, with the last versionstamp assigned by then. */
export function callAll(last: AfterCommit | undefined, stamp: Versionstamp): void {
  const callbacks: AfterCommit['callback'][] = [];
  for (let each = last; each !== undefined; each = each.before) callbacks.push(each.callback);
  for (const callback of callbacks.reverse()) callback(stamp);
}
