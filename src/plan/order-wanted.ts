import type { OrderKey, Select } from '../language/ast.js';
import { printIdiom } from '../language/print.js';
import { isFieldPath } from './access/comparisons.js';
import { isScore } from './match-calls.js';
import type { OrderKeyWanted, OrderWanted, StreamNode } from './nodes.js';

/**
 * The order of which a SELECT needs only the first rows of a table: by plain paths. `undefined` if every row must be
 * read anyway.
 */
export function orderWanted({ from, order, limit, split, group, projections }: Select): OrderWanted | undefined {
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
export function orderMet(wanted: OrderWanted | undefined, rows: StreamNode): OrderWanted | undefined {
  let source = rows;
  while ('input' in source) source = source.input;
  if (wanted === undefined || !('direction' in source)) return undefined;
  const isPartial = source.kind === 'index-scan' && source.idsReversed === true;
  return isPartial ? { ...wanted, keys: wanted.keys.slice(0, -1) } : wanted;
}

/** Matches with equal scores are in the order of their ids. */
function isById({ path, collate, numeric, descending }: OrderKey): boolean {
  return !collate && !numeric && !descending && printIdiom(path) === 'id';
}
