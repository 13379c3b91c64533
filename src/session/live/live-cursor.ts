/** Where a live query with SINCE has got to: in the changefeed at first, then among new commits. */
import type { LiveQuery } from '../../runtime/execution.js';
import type { Versionstamp } from '../../storage/contract.js';
import { type LogPosition, positionAfter } from '../../storage/transaction/append.js';
import type { NotifiedChange } from './past-changes.js';

interface Arrival {
  readonly stamp: Versionstamp;
  isLast: boolean;
}

/**
 * The position of a live query begun with SINCE. It first catches up from the changefeed; meanwhile only the extent of
 * new commits is tracked, since the feed holds them as well. Once it has caught up, changes are delivered directly.
 */
export class LiveCursor {
  /** The start position. */
  readonly since: Versionstamp;
  /** The last commit that was delivered completely. */
  sent: Versionstamp | undefined;
  /** The last visible change of the current commit; held back until it is known whether it is the commit's last. */
  held: NotifiedChange | undefined;
  /** Where to read the feed next; `undefined` once it has caught up. */
  from: LogPosition | undefined;
  /** The last commit known not to be delivered yet. */
  until: Versionstamp;
  /** Whether commits arrived after the upper end of the last page. */
  isOutrun = false;
  isEnded = false;
  /** The last change that arrived after it had caught up. */
  #latest: Arrival | undefined;

  /**
   * `now` is the versionstamp of the last commit before the query began. Versionstamps below `soon` are no longer
   * assigned, so that a resume token between both is as good as `now`; whether such a commit exists in another table
   * isn't revealed.
   */
  constructor({ stamp }: NonNullable<LiveQuery['since']>, now: Versionstamp, soon: Versionstamp) {
    this.since = stamp ?? now;
    // A versionstamp in the future counts as now.
    this.sent = stamp !== undefined && (stamp <= now || stamp < soon) ? stamp : undefined;
    this.from = stamp !== undefined && stamp < now ? positionAfter(stamp) : undefined;
    this.until = now;
  }

  /** A change arrives; more of the same commit may follow. */
  follow(arrival: Arrival): void {
    if (this.#latest?.stamp === arrival.stamp) this.#latest.isLast = false;
    this.#latest = arrival;
  }

  /** Records a new commit; returns whether the feed will deliver it. */
  takesFromFeed(stamp: Versionstamp): boolean {
    if (this.from === undefined) return false;
    this.until = stamp;
    this.isOutrun = true;
    return true;
  }
}
