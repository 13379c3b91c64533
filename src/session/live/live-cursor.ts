import type { LiveQuery, Written } from '../../exec/execution.js';
import { type LogPosition, positionAfter } from '../../storage/append.js';
import type { Versionstamp } from '../../storage/contract.js';

interface Arrival {
  readonly stamp: Versionstamp;
  isLast: boolean;
}

/**
 * How far a live query that was begun with SINCE has come. It is behind first: then it is told what the changefeed has, and of what is
 * committed meanwhile only how far it goes is kept, since the feed has that, too. Once it has caught up, changes are told as they come.
 */
export class LiveCursor {
  /** Where it began. */
  readonly since: Versionstamp;
  /** The last commit that was told to its end. */
  told: Versionstamp | undefined;
  /** Of a commit under way the last change that can be seen: whether it ends the commit is only known when the others were looked at. */
  held: Written | undefined;
  /** Where the feed is to be read on; `undefined` once it has caught up. */
  from: LogPosition | undefined;
  /** Up to where it is known to be behind. */
  until: Versionstamp;
  /** Whether more was committed than the last piece of the feed was to tell. */
  isOutrun = false;
  isEnded = false;
  /** The last change that came when it had caught up. */
  #latest: Arrival | undefined;

  /**
   * `now` is the versionstamp of the commits up to which it hears nothing. Below `soon` no more versionstamps are given out: behind them
   * it can go on as well, and whether any commit has one, of whatever table, is nobody's business.
   */
  constructor({ stamp }: NonNullable<LiveQuery['since']>, now: Versionstamp, soon: Versionstamp) {
    this.since = stamp ?? now;
    // A versionstamp to come is now.
    this.told = stamp !== undefined && (stamp <= now || stamp < soon) ? stamp : undefined;
    this.from = stamp !== undefined && stamp < now ? positionAfter(stamp) : undefined;
    this.until = now;
  }

  /** A change comes, behind which there may be others of the same commit. */
  follow(arrival: Arrival): void {
    if (this.#latest?.stamp === arrival.stamp) this.#latest.isLast = false;
    this.#latest = arrival;
  }

  /** Notes that there is a commit more; answers whether the feed will tell it. */
  takesFromFeed(stamp: Versionstamp): boolean {
    if (this.from === undefined) return false;
    this.until = stamp;
    this.isOutrun = true;
    return true;
  }
}
