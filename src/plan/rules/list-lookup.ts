/**
 * `WHERE id IN $followed`, `WHERE id = $a OR id = $b`: a condition that lists the records takes a lookup for each
 * rather than a scan.
 */
import { EQUALITIES, IN_LIST } from '../access/comparison-set.js';
import type { Comparison } from '../access/comparisons.js';
import type { AccessFacts } from '../access/facts.js';
import type { Operand } from '../nodes.js';
import type { AccessRule } from './rule.js';

export const listLookup: AccessRule = {
  name: 'list-lookup',
  rewrite(access, facts) {
    if (access.kind !== 'table-scan' || !facts.mayNarrow) return undefined;
    const ids = facts.comparisons.find('id', IN_LIST) ?? alternativesOf(facts);
    return ids && { kind: 'list-lookup', table: access.table, ids };
  },
};

/** The ids of an OR each of whose alternatives names one. */
function alternativesOf({ choices }: AccessFacts): Operand | undefined {
  for (const choice of choices) {
    const named = choice.map((each) => each.find(isId)).filter((each) => each !== undefined);
    const [first] = named;
    if (first !== undefined && named.length === choice.length)
      return { value: { kind: 'array', items: named.map(({ value }) => value) }, from: first.from };
  }
  return undefined;
}

function isId({ path, operator }: Comparison): boolean {
  return path === 'id' && EQUALITIES.has(operator);
}
