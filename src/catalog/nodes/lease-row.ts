/**
 * Leases on background work: for each kind of work, or a part of it, the node that does it.
 *
 * The row changes only when another node takes the work over. Each transaction of the work reads it, so that that of a
 * node that has lost the lease without noticing conflicts: the store itself fences the former holder.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { objectFrom } from '../../value/value.js';
import { rowOf } from '../definitions/stored-definition.js';
import { leaseKey } from '../keys/node-keys.js';

/** The kinds of work on databases; each is distributed by groups of databases. */
export const DATABASE_WORKS = ['events', 'indexes', 'changefeeds', 'live', 'mail', 'sign-ins', 'files'] as const;
export type DatabaseWork = (typeof DATABASE_WORKS)[number];
/** The kinds of work on the store as a whole. */
const STORE_WORKS = ['log', 'nodes'] as const;
export type StoreWork = (typeof STORE_WORKS)[number];

/** Number of groups of databases. A database belongs to one of them by its id. */
export const DATABASE_GROUPS = 8;

/** The name of a lease. */
export type BackgroundWork = StoreWork | `${DatabaseWork} ${number}`;

/** The work of one kind on a group of databases. */
export function workOnGroup(kind: DatabaseWork, group: number): BackgroundWork {
  return `${kind} ${group}`;
}

const GROUPS = Array.from({ length: DATABASE_GROUPS }, (_, group) => group);
/** The leases of each kind of work. */
export const WORK_KINDS: ReadonlyMap<DatabaseWork | StoreWork, readonly BackgroundWork[]> = new Map<
  DatabaseWork | StoreWork,
  readonly BackgroundWork[]
>([
  ...DATABASE_WORKS.map((kind) => [kind, GROUPS.map((group) => workOnGroup(kind, group))] as const),
  ...STORE_WORKS.map((work) => [work, [work]] as const),
]);

/** All leases. */
export const WORKS: readonly BackgroundWork[] = [...WORK_KINDS.values()].flat();

/** Leases as they are shown: kinds of work or, if some groups of databases are missing, with their number. */
export function describeWorks(works: ReadonlySet<string>): readonly string[] {
  return [...WORK_KINDS].flatMap(([kind, all]) => {
    const held = all.filter((work) => works.has(work)).length;
    if (held === 0) return [];
    return held === all.length ? kind : `${kind} ${held}/${all.length}`;
  });
}

/** Assigns the lease on some background work to a node. */
export function putHolder(transaction: Transaction, work: BackgroundWork, node: string): void {
  transaction.put(leaseKey(work), objectFrom({ node }));
}

/** The id of the node in the row of a lease. */
export function readHolder(stored: Stored): string {
  return String(rowOf(stored)['node']);
}

/** The node that holds a lease. The transaction conflicts with a change of the holder. */
export function holderOf(transaction: Transaction, work: BackgroundWork): PromiseOrValue<string | undefined> {
  return andThen(transaction.get(leaseKey(work)), (stored) => (stored === undefined ? undefined : readHolder(stored)));
}
