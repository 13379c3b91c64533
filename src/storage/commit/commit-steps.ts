/**
 * Commits of many changes. Applying or encoding all of them at once would block the event loop, so that they
 * are taken in steps:
 * while these go on no other transaction commits, and new snapshots show the store as it was.
 */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { inSteps } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import type { Key, Versionstamp } from '../contract.js';
import { type Appended, type StampSource, settleOne, stampBytes } from '../transaction/append.js';
import type { Overlay, OverlayValue } from '../transaction/overlay.js';
import type { WriteSet } from '../transaction/write-set.js';

/** So many changes are made in one step; a commit of no more is made at once. */
export const CHANGES_A_STEP = 1024;

/** Whether a commit is to be made in steps. */
export function isLargeCommit({ overlay, appended }: WriteSet): boolean {
  return overlay.size + (appended === undefined ? 0 : appended.at + 1) > CHANGES_A_STEP;
}

/** Bytes that are encoded in one step: up to a millisecond, or some where they are many small fields. */
const BYTES_A_STEP = 2 ** 16;

/** Writes that take more bytes of memory are encoded in steps, however few they are. */
const HEAVY = 2 ** 21;

/** The same where changes are encoded. */
export function isHeavyCommit(writes: WriteSet): boolean {
  return isLargeCommit(writes) || writes.bytes > HEAVY;
}

/** Adds appended entries to the writes, under the versionstamp that the commit is going to have. */
export function settleInSteps(
  { overlay, appended }: WriteSet,
  stamps: StampSource,
  work: Work,
): PromiseOrValue<Versionstamp | undefined> {
  if (appended === undefined) return undefined;
  const stamp = stamps.next();
  const bytes = stampBytes(stamp);
  let entry: Appended | undefined = appended;
  const settled = inSteps(
    appended.at + 1,
    work,
    (from, to) => {
      for (let at = from; at < to && entry !== undefined; at++, entry = entry.before) settleOne(entry, bytes, overlay);
    },
    CHANGES_A_STEP,
  );
  return andThen(settled, () => stamp);
}

/** Above all keys: no key is that long. */
const END = '\xff'.repeat(4096);

/**
 * Calls `visit` for each change in the order of keys, and returns the keys. `visit` returns how many bytes it has
 * encoded.
 */
export function forEachChange(
  overlay: Overlay,
  work: Work,
  visit: (key: Key, value: OverlayValue) => number,
): PromiseOrValue<readonly Key[]> {
  const keys: Key[] = [];
  const cursor = overlay.cursor({ from: '', to: END });
  const step = (): PromiseOrValue<boolean> => {
    let bytes = 0;
    for (let made = 0; made < CHANGES_A_STEP && bytes < BYTES_A_STEP; made++) {
      const { key } = cursor;
      if (key === undefined) return true;
      bytes += visit(key, cursor.value);
      keys.push(key);
      cursor.advance();
    }
    return andThen(work.checkpoint(), () => false);
  };
  return andThen(untilTrue(step), () => keys);
}
