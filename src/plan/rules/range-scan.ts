/** `WHERE id > $last`: bounds of the id are bounds of the keys. */
import type { AccessRule } from './rule.js';

export const rangeScan: AccessRule = {
  name: 'range-scan',
  rewrite(access, facts) {
    if (access.kind !== 'table-scan' || !facts.mayNarrow) return undefined;
    const bounds = facts.comparisons.boundsOf('id');
    return bounds && { kind: 'range-scan', table: access.table, ...bounds };
  },
};
