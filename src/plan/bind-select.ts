/**
 * The tree of a SELECT. The stages, in this order: rows of the targets → WHERE → SPLIT → GROUP → ORDER → START, LIMIT →
 * projection → OMIT → FETCH. Without SPLIT, GROUP and ORDER rows are taken as they come until there are enough.
 */
import type { OrderKey, Select } from '../language/ast.js';
import { printIdiom } from '../language/print.js';
import { isFieldPath } from './access/comparisons.js';
import { type Binding, bindSources } from './bind-sources.js';
import { bindWhere } from './bind-where.js';
import { mayWrite } from './effects.js';
import { asksForScores, isScore } from './match-calls.js';
import type { OrderKeyWanted, OrderWanted, RowNode, StreamNode } from './nodes.js';
import { selectsFieldsOnly } from './projections.js';
import { rewrite } from './rewrite.js';
import { uncorrelatedSubquery } from './rules/uncorrelated-subquery.js';

/**
 * The tree of a SELECT, before the rules of `rewrite` but for those about access.
 * @throws TesseraError `nearest_misplaced`, `misplaced_function`, …: for unsupported combinations of clauses
 */
export function bindSelect(select: Select, binding: Binding): RowNode {
  const { projections, from, with: hints, split, group, order, limit, start, omit, fetch, version } = select;
  // An order that ends early helps only if the first rows suffice.
  const wanted = binding.rules.has('top-n') ? orderWanted(select) : undefined;
  const scored = asksForScores(select);
  const sharesSubqueries = binding.rules.has(uncorrelatedSubquery.name) && !mayWrite(select);
  const filtered = bindWhere(select, { targets: from, isRead: true }, binding, (condition, mayOrder) => {
    const order = mayOrder ? wanted : undefined;
    return bindSources(from, { where: condition, with: hints, order, scored, isRead: true, sharesSubqueries }, binding);
  });
  const rows: StreamNode = split === undefined ? filtered : { kind: 'split', on: split, input: filtered };
  let node: RowNode = group === undefined ? rows : { kind: 'aggregate', group, projections, input: rows };
  if (order !== undefined) {
    // The rows of groups have been through the projections.
    const met = orderMet(wanted, filtered);
    node = {
      kind: 'sort',
      order,
      ...(group === undefined && { projections }),
      ...(met && { wanted: met }),
      input: node,
    };
  }
  if (limit !== undefined || start !== undefined) {
    const isPlainScan = from.length === 1 && from[0]?.kind === 'table' && !order && !group && !split;
    node = { kind: 'limit', ...(limit && { limit }), ...(start && { start }), isPlainScan, input: node };
  }
  if (group === undefined) {
    // A list may name records that aren't there: rows without fields, of which nothing is shown where nothing but
    // fields is asked for.
    const skipsMissing = selectsFieldsOnly(projections) && from.some(({ kind }) => kind !== 'table');
    node = { kind: 'project', projections, skipsMissing, input: node };
  }
  // A single value has no fields to leave out.
  if (omit !== undefined && projections.kind === 'fields') node = { kind: 'omit', fields: omit, input: node };
  if (fetch !== undefined) node = { kind: 'fetch', fields: fetch, input: node };
  const isVersioned = version !== undefined;
  const { reader, catalog, rules } = binding;
  const tree = rewrite(node, { isChecked: reader.isChecked, isVersioned, catalog }, rules);
  return (sharesSubqueries ? uncorrelatedSubquery.rewrite(tree, select) : undefined) ?? tree;
}

/**
 * The order of which a SELECT needs only the first rows of a table: by plain paths. `undefined` if every row must be
 * read anyway.
 */
function orderWanted({ from, order, limit, split, group, projections }: Select): OrderWanted | undefined {
  if (limit === undefined || split !== undefined || group !== undefined || order?.kind !== 'by') return undefined;
  if (from.length !== 1 || from[0]?.kind !== 'table') return undefined;
  const items = projections.kind === 'fields' ? projections.items : [{ ...projections, kind: 'expression' as const }];
  const keys: OrderKeyWanted[] = [];
  for (const key of order.keys) {
    if (key.collate || key.numeric) return undefined;
    const named = items.find(
      (item) =>
        item.kind === 'expression' && item.alias !== undefined && printIdiom(item.alias) === printIdiom(key.path),
    );
    const path = named?.kind === 'expression' ? named.expression : key.path;
    if (keys.length === 0 && key.descending === true && isScore(path)) {
      const isWanted = order.keys.slice(1).every(isById);
      return isWanted ? { keys, score: { condition: path.match, call: path } } : undefined;
    }
    if (!isFieldPath(path)) return undefined;
    keys.push({ path, direction: key.descending ? 'backward' : 'forward' });
  }
  return { keys };
}

/** The part of an order in which the rows of a plan come; `undefined` if they come in another. */
function orderMet(wanted: OrderWanted | undefined, rows: StreamNode): OrderWanted | undefined {
  let source = rows;
  while ('input' in source) source = source.input;
  if (wanted === undefined || !('direction' in source)) return undefined;
  const isPartial = source.kind === 'index-scan' && source.idsReversed === true;
  return isPartial ? { ...wanted, keys: wanted.keys.slice(0, -1), sortsEqual: true } : wanted;
}

/** Matches with equal scores are in the order of their ids. */
function isById({ path, collate, numeric, descending }: OrderKey): boolean {
  return !collate && !numeric && !descending && printIdiom(path) === 'id';
}
