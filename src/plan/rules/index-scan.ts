/** `WHERE email = $email`: an index whose leading fields the condition fixes or bounds lists the candidates. */
import type { AccessFacts } from '../access/facts.js';
import { bestIndex } from '../access/index-match.js';
import { orderOf } from '../access/order.js';
import type { IndexAccess } from '../nodes.js';
import type { AccessRule } from './rule.js';

export const indexScan: AccessRule = {
  name: 'index-scan',
  rewrite(access, facts) {
    if (access.kind !== 'table-scan' || !facts.mayNarrow) return undefined;
    const best = bestIndex(facts, facts.comparisons);
    if (best === undefined) return undefined;
    return facts.comparisons.boundsOf('id') === undefined || isPreferred(best, facts) ? best : undefined;
  },
};

/** Whether an index is used rather than a range of ids, whose records needn't be looked up one by one. */
function isPreferred(scan: IndexAccess, facts: AccessFacts): boolean {
  if (scan.kind === 'full-text-scan') return true;
  if (scan.equal.length > 0 || scan.anyOf !== undefined || facts.with?.kind === 'index') return true;
  return orderOf(scan, facts) !== undefined;
}
