import type { Key, Stored } from '../../contract.js';
import type { StoredValues } from '../../stored-values.js';
import type { Caches } from '../engine/lmdb-snapshot.js';
import type { ByteView } from '../engine/lmdb-store.js';
import type { KnownGroup } from './log-mirror.js';

/** Looking up more changes than these takes longer than the caches save. */
const MOST_CHANGES = 1_024;

/** Brings the caches of decoded data to the state of a view in which some groups of commits are new. */
export function updateCaches(
  caches: Caches,
  groups: readonly KnownGroup[],
  view: ByteView,
  values: StoredValues,
): void {
  const { records, ranges, revisions } = caches;
  records.advance(view.version);
  ranges.advance(view.version);
  revisions.advance(view.version);
  const forget = () => {
    records.clear();
    ranges.clear();
    revisions.clear();
  };
  const changed = changedKeys(groups);
  if (changed === undefined) {
    forget();
    return;
  }
  try {
    for (const key of changed) {
      revisions.changed(key);
      if (!records.holds(key) && !ranges.holds(key)) continue;
      const bytes = view.get(key);
      const size = bytes?.length ?? 0;
      const value: Stored | undefined = bytes === undefined ? undefined : values.decode(key, bytes);
      records.replace(key, value, size);
      ranges.replace(key, value, size);
    }
  } catch {
    // A value that can't be read fails those who read it.
    forget();
  }
}

/** `undefined` where they are many, or not known. */
function changedKeys(groups: readonly KnownGroup[]): ReadonlySet<Key> | undefined {
  const keys = new Set<Key>();
  for (const { commits, isGap } of groups) {
    if (isGap) return undefined;
    for (const commit of commits) {
      if (commit.ranges.length > 0) return undefined;
      for (const key of commit.keys) keys.add(key);
      if (keys.size > MOST_CHANGES) return undefined;
    }
  }
  return keys;
}
