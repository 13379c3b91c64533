/** `WHERE email = $email`: an index whose leading fields the condition fixes or bounds lists the candidates. */
import type { AccessFacts } from '../access/facts.js';
import { bestIndex } from '../access/index-match.js';
import { orderOf } from '../access/order.js';
import type { FullTextScan, IndexScan } from '../nodes.js';
import type { AccessRule } from './rule.js';

export const indexScan: AccessRule = {
  name: 'index-scan',
  rewrite(access, facts) {
    if (access.kind !== 'table-scan' || !facts.mayNarrow) return undefined;
    const best = bestIndex(facts, facts.comparisons);
    if (best === undefined) return undefined;
    if (best.kind === 'full-text-scan') return besidePermitted(best, facts);
    return facts.comparisons.boundsOf('id') === undefined || isPreferred(best, facts) ? best : undefined;
  },
};

/** Among rows that are only read, those that the permission's own index lists are an alternative to all that match. */
function besidePermitted(scan: FullTextScan, facts: AccessFacts): FullTextScan {
  const permitted = facts.isRead ? bestIndex(facts, facts.ruled) : undefined;
  return permitted?.kind === 'index-scan' ? { ...scan, permitted } : scan;
}

/** Whether an index is used rather than a range of ids, whose records needn't be looked up one by one. */
function isPreferred(scan: IndexScan, facts: AccessFacts): boolean {
  if (scan.equal.length > 0 || scan.anyOf !== undefined || facts.with?.kind === 'index') return true;
  return orderOf(scan, facts) !== undefined;
}
