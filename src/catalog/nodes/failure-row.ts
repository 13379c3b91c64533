/**
 * The log of failed sign-ins, by which the servers of a store throttle together. An entry has those of a server in a
 * quarter of a second, by counter.
 */
import type { Stored } from '../../storage/contract.js';
import { isArray } from '../../value/value.js';

/** What failed, by what is counted: its kind, a digest of what it names, and how often. */
export type CountedFailures = readonly [kind: string, key: string, count: number];

/** Failed sign-ins as a node shares them with the others. */
export function storedFailures(failures: readonly CountedFailures[]): Stored {
  return failures.map((each) => [...each]);
}

/** The failed sign-ins in a stored row (`storedFailures`); entries that can't be read are left out. */
export function readFailures(stored: Stored): CountedFailures[] {
  if (!isArray(stored)) return [];
  return stored.flatMap((each): CountedFailures[] => {
    if (!isArray(each)) return [];
    const [kind, key, count] = each;
    return typeof kind === 'string' && typeof key === 'string' ? [[kind, key, Number(count)]] : [];
  });
}
