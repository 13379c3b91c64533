/** `WHERE a = 1 OR b = 2`: one scan of an index for each alternative, if there is one for each. */
import { ComparisonSet } from '../access/comparison-set.js';
import { bestIndex } from '../access/index-match.js';
import type { AccessRule } from './rule.js';

export const unionScan: AccessRule = {
  name: 'union-scan',
  rewrite(access, facts) {
    if (access.kind !== 'table-scan' || !facts.mayNarrow) return undefined;
    for (const choice of facts.choices) {
      const branches = choice.map((each) => bestIndex(facts, new ComparisonSet(each, facts.comparisons)));
      if (branches.every((branch) => branch !== undefined))
        return { kind: 'union-scan', table: access.table, branches };
    }
    return undefined;
  },
};
