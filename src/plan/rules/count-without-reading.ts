/**
 * `SELECT count() FROM table GROUP ALL`, with a condition that an index answers alone or without one: the storage knows
 * the number of keys without reading a record. Only for users who may see all records.
 */
import type { Call, Projection, Projections } from '../../language/ast.js';
import { answersAlone } from '../access/index-match.js';
import type { CountItem } from '../nodes.js';
import type { NodeRule } from './rule.js';

export const countWithoutReading: NodeRule<'aggregate'> = {
  name: 'count-without-reading',
  kind: 'aggregate',
  rewrite(aggregate, { isChecked, isVersioned }) {
    if (isChecked || isVersioned || aggregate.group.kind !== 'all') return undefined;
    const item = countOf(aggregate.projections);
    if (item === undefined) return undefined;
    const { input } = aggregate;
    if (input.kind === 'table-scan') return { kind: 'count-records', table: input.table, item };
    if (input.kind !== 'filter') return undefined;
    const { condition, input: access } = input;
    if (access.kind !== 'index-scan' && access.kind !== 'full-text-scan') return undefined;
    if (!answersAlone(access, condition)) return undefined;
    return { kind: 'count-entries', table: access.table, access, item, otherwise: aggregate };
  },
};

function countOf(projections: Projections): CountItem | undefined {
  const [item, ...others]: readonly Projection[] =
    projections.kind === 'value' ? [{ ...projections, kind: 'expression' }] : projections.items;
  if (item?.kind !== 'expression' || others.length > 0) return undefined;
  const { expression } = item;
  if (expression.kind !== 'call' || expression.path !== 'count' || expression.args.length > 0) return undefined;
  return { projection: item as Projection & { readonly expression: Call }, isValue: projections.kind === 'value' };
}
