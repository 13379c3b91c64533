/**
 * `SELECT … FROM note WHERE id = $note`: a condition that says which record it is takes one lookup rather than a scan.
 */
import { EQUALITIES } from '../access/comparison-set.js';
import type { AccessRule } from './rule.js';

export const pointLookup: AccessRule = {
  name: 'point-lookup',
  rewrite(access, facts) {
    if (!facts.mayNarrow) return undefined;
    const id = facts.comparisons.find('id', EQUALITIES);
    return id && { kind: 'point-lookup', table: access.table, id };
  },
};
