/**
 * `ORDER BY created DESC LIMIT 10`: rows in the requested order are read only up to the limit.
 */
import { indexInOrder } from '../access/index-match.js';
import { orderOf } from '../access/order.js';
import type { Access, ListLookup, PointLookup } from '../nodes.js';
import type { AccessRule } from './rule.js';

export const orderedScan: AccessRule = {
  name: 'ordered-scan',
  rewrite(access, facts) {
    if (facts.order === undefined || isLookup(access) || access.kind === 'union-scan') return undefined;
    const given = orderOf(access, facts);
    if (given !== undefined) return { ...access, ...given } as Access;
    // If most records are rejected, sorting the others is less work than looking up each in order.
    if (access.kind !== 'table-scan' || facts.where !== undefined || facts.rule !== undefined) return undefined;
    return facts.mayNarrow ? indexInOrder(facts) : undefined;
  },
};

function isLookup(access: Access): access is PointLookup | ListLookup {
  return access.kind === 'point-lookup' || access.kind === 'list-lookup';
}
