/**
 * A snapshot with an overlay: a transaction's own writes, accepted commits that aren't durable yet, or durable ones
 * that are only in a log.
 */
import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Entry, Key, KeyRange, Stored } from '../contract.js';
import type { TreeCursor } from '../tree/ordered-tree.js';
import { DELETED, type Overlay, type OverlayValue } from './overlay.js';
import type { ReadValues, Snapshot, SnapshotCursor } from './snapshot.js';

/** A snapshot with immutable changes applied. */
export class LayeredSnapshot implements Snapshot {
  readonly #below: Snapshot;
  readonly #changes: Overlay;
  readonly #isRevised: boolean;

  /** `isRevised`: the revisions of ranges below take account of the changes. */
  constructor(below: Snapshot, changes: Overlay, isRevised = false) {
    this.#below = below;
    this.#changes = changes;
    this.#isRevised = isRevised;
  }

  get(key: Key): PromiseOrValue<Stored | undefined> {
    const written = this.#changes.get(key);
    if (written === undefined) return this.#below.get(key);
    return written === DELETED ? undefined : written;
  }

  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    return getManyLayered(this.#below, this.#changes, keys);
  }

  hasMany(keys: readonly Key[]): PromiseOrValue<boolean[]> {
    return fromBoth(
      keys,
      (key) => {
        const written = this.#changes.get(key);
        return written === undefined ? UNCHANGED : written !== DELETED;
      },
      (unchanged) => this.#below.hasMany(unchanged),
    );
  }

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor {
    const below = this.#below.scan(range, reverse, keysOnly);
    const changes = this.#changes.cursor(range, reverse);
    return changes.key === undefined ? below : new LayeredCursor(below, changes, reverse);
  }

  count(range: KeyRange): PromiseOrValue<number> {
    return countLayered(this.#below, this.#changes, range);
  }

  rangeRevision(range: KeyRange): number | undefined {
    const isKnown = this.#isRevised || this.#changes.cursor(range).key === undefined;
    return isKnown ? this.#below.rangeRevision?.(range) : undefined;
  }

  release(): void {
    this.#below.release();
    this.#changes.release();
  }
}

/** The values of keys in a snapshot with changes over it. */
export function getManyLayered(
  below: Pick<Snapshot, 'getMany'>,
  changes: Overlay,
  keys: readonly Key[],
): PromiseOrValue<(Stored | undefined)[]> {
  return fromBoth<Stored | undefined>(
    keys,
    (key) => {
      const written = changes.get(key);
      if (written === undefined) return UNCHANGED;
      return written === DELETED ? undefined : written;
    },
    (unchanged) => below.getMany(unchanged),
  );
}

const UNCHANGED = Symbol('unchanged');

/** The values of keys: from the changes, and for the other keys from below, read together. */
function fromBoth<T>(
  keys: readonly Key[],
  changed: (key: Key) => T | typeof UNCHANGED,
  below: (unchanged: readonly Key[]) => PromiseOrValue<T[]>,
): PromiseOrValue<T[]> {
  const answers = new Array<T>(keys.length);
  const unchanged: Key[] = [];
  const places: number[] = [];
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as Key;
    const answer = changed(key);
    if (answer !== UNCHANGED) answers[at] = answer;
    else {
      unchanged.push(key);
      places.push(at);
    }
  }
  if (unchanged.length === 0) return answers;
  return andThen(below(unchanged), (found) => {
    for (let at = 0; at < found.length; at++) answers[places[at] as number] = found[at] as T;
    return answers;
  });
}

/** The number of keys of a range in a snapshot with changes over it. */
export function countLayered(below: Snapshot, changes: Overlay, range: KeyRange): PromiseOrValue<number> {
  const keys: Key[] = [];
  const isThere: boolean[] = [];
  const cursor = changes.cursor(range);
  for (let key = cursor.key; key !== undefined; cursor.advance(), key = cursor.key) {
    keys.push(key);
    isThere.push(cursor.value !== DELETED);
  }
  const count = below.count(range);
  if (keys.length === 0) return count;
  const wasThere = below.hasMany(keys);
  const sum = (total: number, before: readonly boolean[]): number => {
    for (let at = 0; at < keys.length; at++) if (before[at] !== isThere[at]) total += isThere[at] ? 1 : -1;
    return total;
  };
  if (!isPromise(count) && !isPromise(wasThere)) return sum(count, wasThere);
  return Promise.all([count, wasThere]).then(([total, before]) => sum(total, before));
}

/** Both in the order of their keys; what was deleted is left out. */
export class LayeredCursor implements SnapshotCursor {
  readonly #below: SnapshotCursor;
  readonly #changes: TreeCursor<OverlayValue>;
  readonly #reverse: boolean;
  /** Entries from below that are waiting for their turn, the next one at `#at`. */
  #ahead: Entry[] = [];
  #at = 0;
  #belowEnded = false;
  #belowCut = false;
  isCut = false;

  constructor(below: SnapshotCursor, changes: TreeCursor<OverlayValue>, reverse: boolean) {
    this.#below = below;
    this.#changes = changes;
    this.#reverse = reverse;
  }

  get isOver(): boolean {
    return this.#belowEnded && this.#at === this.#ahead.length && this.#changes.key === undefined;
  }

  read(entries: Entry[], limit: number): PromiseOrValue<void> {
    this.isCut = false;
    this.#belowCut = false;
    return this.#merge(entries, entries.length + limit, limit);
  }

  readValues(limit: number): PromiseOrValue<ReadValues> {
    const entries: Entry[] = [];
    return andThen(this.read(entries, limit), () => ({
      values: entries.map(([, value]) => value),
      last: entries[entries.length - 1]?.[0],
    }));
  }

  /** Appends entries until there are `end` of them. */
  #merge(entries: Entry[], end: number, limit: number): PromiseOrValue<void> {
    const changes = this.#changes;
    while (entries.length < end) {
      if (this.#at === this.#ahead.length && !this.#belowEnded) {
        this.isCut = this.#belowCut && entries.length > end - limit;
        if (this.isCut) return;
        const fetched = this.#fetch(limit);
        if (isPromise(fetched)) return fetched.then(() => this.#merge(entries, end, limit));
      }
      const stored = this.#ahead[this.#at];
      const key = changes.key;
      if (key === undefined) {
        if (stored === undefined) return;
        entries.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] !== key && stored[0] < key !== this.#reverse) {
        entries.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] === key) this.#at++;
      const value = changes.value;
      if (value !== DELETED) entries.push([key, value]);
      changes.advance();
    }
  }

  /** The next entries from below. */
  #fetch(limit: number): PromiseOrValue<void> {
    const ahead: Entry[] = [];
    return andThen(this.#below.read(ahead, limit), () => {
      this.#ahead = ahead;
      this.#at = 0;
      this.#belowCut = this.#below.isCut === true;
      this.#belowEnded = (ahead.length < limit && !this.#belowCut) || this.#below.isOver === true;
    });
  }
}
