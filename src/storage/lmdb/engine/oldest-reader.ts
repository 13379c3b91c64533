/** Parses LMDB's table of readers: pages that the oldest reader still sees can't be reused. */
import type { RootDatabase } from 'lmdb';
import type { Readers } from '../file/lmdb-space.js';

/** The readers of a data file that is open. */
export function readersOf(root: Pick<RootDatabase, 'readerCheck' | 'readerList'>): Readers {
  return { forgetDead: () => void root.readerCheck(), oldest: () => oldestReader(root.readerList()) };
}

/** Where no other process can have it open. */
export const NO_READERS: Readers = { forgetDead: () => undefined, oldest: () => 0 };

/**
 * The least number of a transaction in LMDB's table of readers, of which each line has a process, a thread and such a
 * number; `none` if nothing is read.
 */
export function oldestReader(table: string, none = Number.POSITIVE_INFINITY): number {
  let oldest = none;
  for (const [, number] of table.matchAll(/^\s*\d+\s+\S+\s+(\d+)\s*$/gm)) oldest = Math.min(oldest, Number(number));
  return oldest;
}
