/** The trees of UPDATE, UPSERT, DELETE and LIVE: what finds the records, or what shows the changes. */
import type { Delete, Live, Update, Upsert } from '../language/ast.js';
import { type Binding, bindSources } from './bind-sources.js';
import type { Filter, LiveQuery, RowNode, StreamNode } from './nodes.js';
import { rewrite } from './rewrite.js';
import type { NodeFacts, RuleName } from './rules/rule.js';

/** The records that a statement is about. */
export function bindFound({ targets, where, with: hints }: Update | Upsert | Delete, binding: Binding): StreamNode {
  const source = bindSources(targets, { where, with: hints, isRead: false }, binding);
  if (where === undefined) return source;
  const { reader, rules } = binding;
  // A rule makes of a filter another one.
  const filter: Filter = { kind: 'filter', condition: where, input: source };
  return rewrite(filter, { isChecked: reader.isChecked, isVersioned: false }, rules) as Filter;
}

/** What a live query shows of one change; `DIFF` shows the change itself. */
export function bindLive({ projections, from, where, fetch }: Live, rules: ReadonlySet<RuleName>): LiveQuery {
  const changes: StreamNode = { kind: 'changes', tables: [from] };
  let node: RowNode = changes;
  if (where !== undefined) node = { kind: 'filter', condition: where, input: changes };
  if (projections.kind === 'diff') node = { kind: 'diff', input: node };
  else node = { kind: 'project', projections, skipsMissing: false, input: node };
  if (fetch !== undefined) node = { kind: 'fetch', fields: fetch, input: node };
  return { kind: 'live', input: rewrite(node, OF_CHANGES, rules) };
}

/** No rule asks this of rows that are changes. */
const OF_CHANGES: NodeFacts = { isChecked: true, isVersioned: false };
