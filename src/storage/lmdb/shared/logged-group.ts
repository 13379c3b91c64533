/**
 * The log of commits of a store that several processes use: what each group of commits wrote, so that the others can
 * validate their transactions against it, and bring what they remember up to date.
 *
 *     key:    version that the group made, 8 bytes
 *     value:  [node, [versionstamp, whether it is maintenance, keys, bounds of ranges], …]    a commit each
 */
import { invariant } from '../../../base/invariant.js';
import { sealRecord } from '../../../value/codecs/sealed-record.js';
import { int } from '../../../value/value.js';
import type { FollowedCommit, Key, KeyRange, Stored } from '../../contract.js';
import { after } from '../../transaction/read-set.js';
import { groupLogKey } from '../file/lmdb-databases.js';

/** How many ranges are logged of a large commit, at most, beside those of the logs that it appends to. */
const MAX_RANGES = 128;

export interface LoggedCommit extends Omit<FollowedCommit, 'isOwn'> {
  readonly isMaintenance: boolean;
}

export interface LoggedGroup {
  readonly version: number;
  /** The process that committed it (`SharedStore.node`). */
  readonly node: string;
  readonly commits: readonly LoggedCommit[];
}

/** The bytes of a group, with a checksum. */
export function encodeGroup({ version, node, commits }: LoggedGroup): Uint8Array {
  const encoded = commits.map(({ versionstamp, isMaintenance, keys, ranges }) => {
    const bounds = ranges.flatMap(({ from, to }) => [from, to]);
    return [int(versionstamp), isMaintenance, [...keys], bounds];
  });
  return sealRecord(groupLogKey(version), [node, ...encoded]);
}

/** The group of a value as it was read. */
export function groupOf(version: number, value: Stored): LoggedGroup {
  invariant(Array.isArray(value), 'a group of commits is an array');
  const [node, ...commits] = value as [string, ...[number | bigint, boolean, Key[], Key[]][]];
  return {
    version,
    node,
    commits: commits.map(([stamp, isMaintenance, keys, bounds]) => ({
      versionstamp: BigInt(stamp),
      isMaintenance,
      keys,
      ranges: rangesOf(bounds),
    })),
  };
}

function rangesOf(bounds: readonly Key[]): KeyRange[] {
  const ranges: KeyRange[] = [];
  for (let at = 0; at < bounds.length; at += 2) ranges.push({ from: bounds[at] as Key, to: bounds[at + 1] as Key });
  return ranges;
}

/** Ranges over ascending keys that begin alike: with as many characters as keep the ranges few. */
export class RangeSummary {
  #alike = Number.POSITIVE_INFINITY;
  #ranges: { readonly prefix: Key; readonly first: Key; last: Key }[] = [];

  get ranges(): KeyRange[] {
    return this.#ranges.map(({ first, last }) => ({ from: first, to: after(last) }));
  }

  add(key: Key): void {
    if (this.#ranges.length === 0) this.#alike = key.length;
    this.#join(key, key);
    while (this.#ranges.length > MAX_RANGES) {
      this.#alike >>>= 1;
      const finer = this.#ranges;
      this.#ranges = [];
      for (const { first, last } of finer) this.#join(first, last);
    }
  }

  #join(first: Key, last: Key): void {
    const before = this.#ranges.at(-1);
    if (before !== undefined && first.startsWith(before.prefix)) before.last = last;
    else this.#ranges.push({ prefix: first.slice(0, this.#alike), first, last });
  }
}
