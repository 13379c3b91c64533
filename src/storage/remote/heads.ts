/**
 * Commits are ordered under *heads*: one for each Tessera database, and one for everything else (root, namespaces,
 * queues). Each head has the versionstamp of its last commit, and a log of its commits. A commit locks the heads of
 * what it writes, and shares those of what it only reads, so that commits of different databases don't wait for each
 * other.
 */
import type { Key, KeyRange } from '../contract.js';

/** The id of a database (`catalog/keys/store-keys.ts`), or `ROOT_HEAD`. */
export type Head = number;

export const ROOT_HEAD: Head = 0;
/**
 * The head of rows by which nodes inform each other: a database id that is never assigned, so that such commits don't
 * wait for others.
 */
export const NODES_HEAD: Head = 0xffff_ffff;
/** Keys of a database begin with this letter and the id of the database in four bytes. */
const DATABASE = 'D';
const BEHIND_DATABASES = 'E';
const AREA_LENGTH = 5;

/** The head (database) that a key belongs to; `ROOT_HEAD` for keys outside of databases. */
export function headOf(key: Key): Head {
  if (key.length < AREA_LENGTH || !key.startsWith(DATABASE)) return ROOT_HEAD;
  return ((key.charCodeAt(1) << 24) | (key.charCodeAt(2) << 16) | (key.charCodeAt(3) << 8) | key.charCodeAt(4)) >>> 0;
}

/** The head of all keys of a range; `undefined` where they may be under several. */
export function headOfRange({ from, to }: KeyRange): Head | undefined {
  const head = headOf(from);
  if (head === ROOT_HEAD) return to <= DATABASE || from >= BEHIND_DATABASES ? ROOT_HEAD : undefined;
  return to <= endOfArea(from.slice(0, AREA_LENGTH)) ? head : undefined;
}

/** The parts of a range that lie under some heads. */
export function partsUnder(range: KeyRange, heads: Iterable<Head>): KeyRange[] {
  const parts: KeyRange[] = [];
  for (const head of heads) {
    for (const area of areasOf(head)) {
      const from = range.from > area.from ? range.from : area.from;
      const to = area.to === undefined || range.to < area.to ? range.to : area.to;
      if (from < to) parts.push({ from, to });
    }
  }
  return parts;
}

function areasOf(head: Head): readonly { readonly from: Key; readonly to?: Key }[] {
  if (head === ROOT_HEAD) return [{ from: '', to: DATABASE }, { from: BEHIND_DATABASES }];
  const area = headArea(head);
  return [{ from: area, to: endOfArea(area) }];
}

/** The beginning of all keys of a database. */
export function headArea(head: Head): Key {
  return DATABASE + String.fromCharCode(head >>> 24, (head >>> 16) & 0xff, (head >>> 8) & 0xff, head & 0xff);
}

/** The first key behind all that begin with an area, as a bound. */
function endOfArea(area: string): Key {
  let end = area.length;
  while (area.charCodeAt(end - 1) === 0xff) end--;
  return area.slice(0, end - 1) + String.fromCharCode(area.charCodeAt(end - 1) + 1);
}

/** The heads that a commit locks, each ascending. */
export interface HeadLocks {
  /** For it alone. */
  readonly written: readonly Head[];
  /** Together with others that don't write there; `all` where what is read may be under any head. */
  readonly read: readonly Head[] | 'all';
}

/**
 * The heads that a commit locks for writing, and those that it locks for reading, each ascending to avoid deadlocks.
 */
export function headLocks(
  written: readonly Key[],
  keysRead: readonly Key[],
  rangesRead: readonly KeyRange[],
): HeadLocks {
  const locked = new Set(written.map(headOf));
  const ofRanges = rangesRead.map(headOfRange);
  if (ofRanges.includes(undefined)) return { written: ascending(locked), read: 'all' };
  const read = new Set([...keysRead.map(headOf), ...(ofRanges as Head[])]);
  return { written: ascending(locked), read: ascending(read).filter((head) => !locked.has(head)) };
}

function ascending(heads: ReadonlySet<Head>): Head[] {
  return [...heads].sort((a, b) => a - b);
}
