/** All rules, in the order in which they are applied: they decide how a statement runs. */
import type { TableEntry } from '../catalog/definitions/database-catalog.js';
import type { Idiom } from '../language/ast.js';
import { AccessFacts, type AccessHints, mayHideRecords } from './access/facts.js';
import type { Access, RowNode } from './nodes.js';
import { batchFilter } from './rules/batch-filter.js';
import { countWithoutReading } from './rules/count-without-reading.js';
import { directLookup } from './rules/direct-lookup.js';
import { indexScan } from './rules/index-scan.js';
import { listLookup } from './rules/list-lookup.js';
import { offsetPushdown } from './rules/offset-pushdown.js';
import { orderedScan } from './rules/ordered-scan.js';
import { packedVectors } from './rules/packed-vectors.js';
import { permissionAccess } from './rules/permission-access.js';
import { pointLookup } from './rules/point-lookup.js';
import { rangeScan } from './rules/range-scan.js';
import { type AccessRule, type NodeRule, RULE_NAMES, type RuleName, type StatementFacts } from './rules/rule.js';
import { topN } from './rules/top-n.js';
import { unionScan } from './rules/union-scan.js';

/**
 * Each rewrites the scans of a table that earlier ones have left; the last establishes the requested
 * order.
 */
const ACCESS_RULES: readonly AccessRule[] = [pointLookup, listLookup, indexScan, rangeScan, unionScan, orderedScan];

type Rules = { readonly [Kind in RowNode['kind']]?: readonly NodeRule<Kind>[] };

/** By the kind of the node that they rewrite, in the order in which they are asked. */
const NODE_RULES: Rules = {
  filter: [batchFilter],
  aggregate: [countWithoutReading],
  limit: [topN, offsetPushdown],
  project: [directLookup],
  'knn-top-k': [packedVectors],
};

/** The facts about the reader for access paths and rules. */
export interface ReaderRights {
  /** Whether PERMISSIONS hide something from them. */
  readonly isChecked: boolean;
  /** Whether something at a field may be hidden from them. */
  mayHide(entry: TableEntry, path: Idiom): boolean;
}

/** Which rules hold, all of them but those that are switched off. */
export function rulesWithout(off: Iterable<RuleName>): ReadonlySet<RuleName> {
  const rules = new Set<RuleName>(RULE_NAMES);
  for (const name of off) rules.delete(name);
  return rules;
}

/**
 * Chooses how the records of a table are found (access path): a scan, a range, an index, a point lookup. `isRead`: the
 * records are shown rather than changed, so that the rule for reading applies to all of them. Only the rules in `rules`
 * are tried, in a fixed order: each takes what those before it have left as a scan of the table.
 *
 *     // WHERE age > 30, with an index on `age`
 *     chooseAccess(entry, { where }, rights, true, new Set(RULE_NAMES))   // { kind: 'index-scan', … }
 */
export function chooseAccess(
  entry: TableEntry,
  hints: AccessHints,
  reader: ReaderRights,
  isRead: boolean,
  rules: ReadonlySet<RuleName>,
): Access {
  let access: Access = { kind: 'table-scan', table: entry.definition.name };
  const { where, with: indexes, order, scored, sharesSubqueries } = hints;
  const isRuled = reader.isChecked && isRead && rules.has(permissionAccess.name);
  const rule = isRuled ? permissionAccess.conditionOf(entry) : undefined;
  // Without a condition and without an order.
  if (where === undefined && order === undefined && rule === undefined) return access;
  const mayHide = (path: Idiom) => reader.isChecked && reader.mayHide(entry, path);
  const facts = new AccessFacts({
    where,
    with: indexes,
    order,
    scored,
    sharesSubqueries,
    entry,
    rule,
    mayHide,
    mayHideRecords: reader.isChecked && mayHideRecords(entry),
    isRead,
  });
  for (const rule of ACCESS_RULES) if (rules.has(rule.name)) access = rule.rewrite(access, facts) ?? access;
  return access;
}

/** A tree with the rules applied, from the sources up. */
export function rewrite(node: RowNode, facts: StatementFacts, rules: ReadonlySet<RuleName>): RowNode {
  const below = 'input' in node ? withInput(node, rewrite(node.input, facts, rules)) : node;
  const { kind } = below;
  let rewritten = below;
  for (const rule of (NODE_RULES[kind] ?? []) as readonly NodeRule<RowNode['kind']>[]) {
    if (rules.has(rule.name) && rewritten.kind === kind) rewritten = rule.rewrite(rewritten, facts) ?? rewritten;
  }
  return rewritten;
}

/** The input of a node keeps its type: rules replace it only by nodes of the same sort. */
function withInput<N extends RowNode & { readonly input: RowNode }>(node: N, input: RowNode): N {
  return node.input === input ? node : { ...node, input };
}
