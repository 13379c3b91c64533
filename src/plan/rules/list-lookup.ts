import { IN_LIST } from '../access/comparison-set.js';
import type { AccessRule } from './rule.js';

/** `WHERE id IN $followed`: a condition that lists the records takes a lookup for each rather than a scan. */
export const listLookup: AccessRule = {
  name: 'list-lookup',
  rewrite(access, facts) {
    if (access.kind !== 'table-scan' || !facts.mayNarrow) return undefined;
    const ids = facts.comparisons.find('id', IN_LIST);
    return ids && { kind: 'list-lookup', table: access.table, ids };
  },
};
