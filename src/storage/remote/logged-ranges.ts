import type { Key, KeyRange } from '../contract.js';
import { LAST_POSITION } from '../transaction/append.js';
import { after } from '../transaction/read-set.js';
import { headOf } from './heads.js';

/** Maximum number of logged ranges of a commit that writes under one head. */
const MOST_RANGES = 256;

/**
 * Ranges in which all keys of a large commit lie. They end where neighbouring keys have the least in common, so that
 * they hold little of other tables and indexes, and at the border of a head.
 * @param keys ascending
 * @param prefixes those of the keys under which entries are appended
 */
export function loggedRanges(keys: readonly Key[], prefixes: ReadonlySet<Key>): KeyRange[] {
  const common = keys.map((key, at) => (at === 0 ? -1 : commonLength(keys[at - 1]!, key)));
  const longest = longestSplit(common);
  const ranges: KeyRange[] = [];
  let from: Key | undefined;
  let to = '';
  for (const [at, key] of keys.entries()) {
    const isSplit = at > 0 && (common[at]! < longest || headOf(keys[at - 1]!) !== headOf(key));
    // What is appended under a prefix may reach over keys behind it.
    if (from !== undefined && isSplit && key >= to) {
      ranges.push({ from, to });
      from = undefined;
    }
    from ??= key;
    const end = after(prefixes.has(key) ? key + LAST_POSITION : key);
    if (end > to) to = end;
  }
  if (from !== undefined) ranges.push({ from, to });
  return ranges;
}

function commonLength(one: Key, other: Key): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** The length of a common beginning below which keys are split, so that there aren't too many ranges. */
function longestSplit(common: readonly number[]): number {
  const counts: number[] = [];
  for (const length of common) if (length >= 0) counts[length] = (counts[length] ?? 0) + 1;
  let ranges = 1;
  let length = 0;
  while (length < counts.length && ranges + (counts[length] ?? 0) <= MOST_RANGES) ranges += counts[length++] ?? 0;
  return length;
}
