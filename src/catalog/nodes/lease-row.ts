/**
 * Leases on background work: for each kind of work, the node that does it.
 *
 * The row changes only when another node takes the work over. Each transaction of the work reads it, so that one of a
 * node which has lost the lease without having noticed conflicts: the store itself fences the late holder.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { objectFrom } from '../../value/value.js';
import { rowOf } from '../definitions/stored-definition.js';
import { leaseKey } from './keys.js';

/** The kinds of work of which only one node does each. */
export const WORKS = ['events', 'indexes', 'changefeeds', 'live', 'log', 'nodes'] as const;
export type Work = (typeof WORKS)[number];

/** Gives the lease of a background work to a node. */
export function putHolder(transaction: Transaction, work: Work, node: string): void {
  transaction.put(leaseKey(work), objectFrom({ node }));
}

/** The node in a row. */
export function readHolder(stored: Stored): string {
  return String(rowOf(stored)['node']);
}

/** The node that holds a lease. The transaction conflicts with those that change that. */
export function holderOf(transaction: Transaction, work: Work): PromiseOrValue<string | undefined> {
  return andThen(transaction.get(leaseKey(work)), (stored) => (stored === undefined ? undefined : readHolder(stored)));
}
