/** The trees of UPDATE, UPSERT, DELETE and LIVE: what finds the records, or what shows the changes. */
import type { Delete, Live, Update, Upsert } from '../language/ast.js';
import { type Binding, bindSources } from './bind-sources.js';
import { bindWhere } from './bind-where.js';
import { onlyLook } from './effects.js';
import { refuseNearest } from './nearest-condition.js';
import type { LiveQuery, RowNode, StreamNode } from './nodes.js';
import { rewrite } from './rewrite.js';
import type { RuleName, StatementFacts } from './rules/rule.js';
import { uncorrelatedSubquery, withSharedSubqueries } from './rules/uncorrelated-subquery.js';

/**
 * The records that a statement is about.
 * @throws TesseraError `nearest_nested`, `nearest_form`, `nearest_index_missing`
 */
export function bindFound(statement: Update | Upsert | Delete, binding: Binding): StreamNode {
  const { targets, where, with: hints } = statement;
  const { reader, rules } = binding;
  const sharesSubqueries = rules.has(uncorrelatedSubquery.name) && (where === undefined || onlyLook([where]));
  const found = bindWhere(statement, { targets, isRead: false }, binding, (condition) =>
    bindSources(targets, { where: condition, with: hints, isRead: false, sharesSubqueries }, binding),
  );
  // A rule makes of a stream another one.
  const tree = rewrite(found, { isChecked: reader.isChecked, isVersioned: false }, rules) as StreamNode;
  return sharesSubqueries ? withSharedSubqueries(tree) : tree;
}

/**
 * The plan of a live query for one change; `DIFF` shows the change itself.
 * @throws TesseraError `nearest_misplaced`
 */
export function bindLive({ projections, from, where, fetch }: Live, rules: ReadonlySet<RuleName>): LiveQuery {
  refuseNearest(where, 'LIVE SELECT');
  const changes: StreamNode = { kind: 'changes', tables: [from] };
  let node: RowNode = changes;
  if (where !== undefined) node = { kind: 'filter', condition: where, input: changes };
  if (projections.kind === 'diff') node = { kind: 'diff', input: node };
  else node = { kind: 'project', projections, skipsMissing: false, input: node };
  if (fetch !== undefined) node = { kind: 'fetch', fields: fetch, input: node };
  return { kind: 'live', input: rewrite(node, OF_CHANGES, rules) };
}

/** Rules don't use this for changes. */
const OF_CHANGES: StatementFacts = { isChecked: true, isVersioned: false };
