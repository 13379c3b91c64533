/** Entries of logs: their keys are known only when their transaction commits. */
import type { Clock } from '../../env/environment.js';
import type { Key, KeyRange, Stored, Versionstamp } from '../contract.js';
import type { Overlay } from './overlay.js';

/**
 * The entries that a transaction has appended so far: the last one, linked to those before. Shared by savepoints, so it
 * never changes.
 */
export interface Appended {
  readonly prefix: Key;
  readonly value: Stored;
  /** Counts the entries of the transaction. */
  readonly at: number;
  readonly before: Appended | undefined;
}

const COUNTER_BITS = 16n;
const STAMP_BYTES = 8;
/** Length of the suffix of an entry's key behind the prefix: the versionstamp and the number in its transaction. */
export const APPENDED_LENGTH = STAMP_BYTES + 4;
const MAX_STAMP = (1n << 64n) - 1n;

/** The first versionstamp of a time in nanoseconds since 1970; `undefined` if no versionstamp can express it. */
export function stampOfTime(nanoseconds: bigint): Versionstamp | undefined {
  const stamp = (nanoseconds / 1_000_000n) << COUNTER_BITS;
  return nanoseconds < 0n || stamp > MAX_STAMP ? undefined : stamp;
}

/** A time by which the commit with a versionstamp had been made, in nanoseconds since 1970 by the store's clock. */
export function timeAfter(stamp: Versionstamp): bigint {
  return ((stamp >> COUNTER_BITS) + 1n) * 1_000_000n;
}

/** The first versionstamp of so many milliseconds before another. */
export function earlierBy(stamp: Versionstamp, milliseconds: number): Versionstamp {
  const earlier = stamp - (BigInt(Math.ceil(milliseconds)) << COUNTER_BITS);
  return earlier < 0n ? 0n : earlier;
}

/** A versionstamp as bytes in keys. */
export function stampBytes(stamp: Versionstamp): Key {
  let bytes = '';
  for (let shift = 56n; shift >= 0n; shift -= 8n) bytes += String.fromCharCode(Number((stamp >> shift) & 0xffn));
  return bytes;
}

/**
 * The position of an entry in its log: its key behind the prefix. Positions are compared as texts, also with
 * those of other logs: they are in the order of commits.
 */
export type LogPosition = string;

/** The position of an entry that was appended under a prefix: its key behind the prefix. */
export function positionIn(prefix: Key, key: Key): LogPosition {
  return key.slice(prefix.length);
}

/** Behind all possible entries. */
export const LAST_POSITION: LogPosition = '\xff'.repeat(APPENDED_LENGTH);

/** Before all entries of commits after a versionstamp, and behind those of its own. */
export function positionAfter(stamp: Versionstamp): LogPosition {
  return stampBytes(stamp + 1n) + orderBytes(0);
}

/** The versionstamp in the key of an entry appended under a prefix. */
export function stampIn(prefix: Key, key: Key): Versionstamp {
  let stamp = 0n;
  for (let at = 0; at < STAMP_BYTES; at++) stamp = (stamp << 8n) | BigInt(key.charCodeAt(prefix.length + at));
  return stamp;
}

/** Assigns the versionstamps of a store, each greater than all before, whatever the clock does. */
export class StampSource {
  readonly #clock: Clock;
  #last: Versionstamp;

  constructor(clock: Clock, last: Versionstamp = 0n) {
    this.#clock = clock;
    this.#last = last;
  }

  /** The last one that was assigned. */
  get last(): Versionstamp {
    return this.#last;
  }

  /**
   * The keys that entries would have in the next commit, or nearly so: they fall into the same ranges of their logs.
   */
  keysOf(appended: Appended | undefined): Key[] {
    const keys: Key[] = [];
    for (let entry = appended; entry !== undefined; entry = entry.before) {
      keys.push(entry.prefix + stampBytes(this.next()) + orderBytes(entry.at));
    }
    return keys;
  }

  /**
   * Adds the entries that a transaction appended to its writes, under the next versionstamp; call it in the order of
   * commits.
   */
  settle(appended: Appended, writes: Overlay): void {
    this.#last = this.next();
    const stamp = stampBytes(this.#last);
    for (let entry: Appended | undefined = appended; entry !== undefined; entry = entry.before) {
      settleOne(entry, stamp, writes);
    }
  }

  /** The next versionstamp, for a commit that is prepared in steps: it isn't published before `give`. */
  next(): Versionstamp {
    const now = stampOfTime(this.#clock.now()) ?? 0n;
    return now > this.#last ? now : this.#last + 1n;
  }

  /** All versionstamps assigned from now on are greater than `stamp`. */
  raise(stamp: Versionstamp): void {
    if (stamp > this.#last) this.#last = stamp;
  }

  /** Publishes the versionstamp of `next`: its commit has its position in the order of commits. */
  give(stamp: Versionstamp): void {
    this.#last = stamp;
  }
}

/** Adds one entry to the writes of its transaction. */
export function settleOne(entry: Appended, stamp: string, writes: Overlay): void {
  writes.put(entry.prefix + stamp + orderBytes(entry.at), entry.value);
}

/** The key of an entry once its transaction has a versionstamp. */
export function appendedKey({ prefix, at }: Appended, stamp: Versionstamp): Key {
  return prefix + stampBytes(stamp) + orderBytes(at);
}

/** A list without the entries under the prefixes of a range. */
export function withoutRange(appended: Appended | undefined, { from, to }: KeyRange): Appended | undefined {
  const kept: Appended[] = [];
  for (let entry = appended; entry !== undefined; entry = entry.before) {
    if (entry.prefix < from || entry.prefix >= to) kept.push(entry);
  }
  return kept.reduceRight<Appended | undefined>((before, entry) => ({ ...entry, before }), undefined);
}

function orderBytes(at: number): Key {
  return String.fromCharCode((at >>> 24) & 0xff, (at >>> 16) & 0xff, (at >>> 8) & 0xff, at & 0xff);
}
