/**
 * The log of failed sign-ins, by which the servers of a store throttle together. An entry has those of a server in a
 * quarter of a second, by counter.
 */
import type { Stored } from '../../storage/contract.js';
import { isArray } from '../../value/value.js';

/**
 * A counter of failures: its kind, a digest of the account or address, and the number of failures. 0 failures: the node
 * takes the turn of an attempt that the counter has delayed.
 */
export type CountedFailures = readonly [kind: string, key: string, count: number];

/** Failed sign-ins as a node shares them with the others: its id, and its counters. */
export function storedFailures(node: string, failures: readonly CountedFailures[]): Stored {
  return [node, ...failures.map((each) => [...each])];
}

/**
 * The failed sign-ins in a stored row (`storedFailures`), none if there is no row; entries that can't be read are left
 * out. Rows of earlier versions have no node.
 */
export function readFailures(stored: Stored | undefined): {
  readonly node: string | undefined;
  readonly failures: readonly CountedFailures[];
} {
  if (!isArray(stored)) return { node: undefined, failures: [] };
  const [node] = stored;
  const failures = stored.flatMap((each): CountedFailures[] => {
    if (!isArray(each)) return [];
    const [kind, key, count] = each;
    return typeof kind === 'string' && typeof key === 'string' ? [[kind, key, Number(count)]] : [];
  });
  return { node: typeof node === 'string' ? node : undefined, failures };
}
