/** The type of a SELECT. */
import type { OrderKey, Select } from '../language/ast.js';
import { printExpression } from '../language/print.js';
import { selectsFieldsOnly } from '../plan/projections.js';
import type { Type } from '../value/type.js';
import { groupedType } from './groups.js';
import { projectedType } from './projections.js';
import { fetchIn, omitFrom, splitRow } from './row-changes.js';
import type { TypeScope } from './scope.js';
import { rowSources } from './sources.js';
import { ANY, arrayOf, BOOL, INT, optionOf, plainType } from './types.js';

export function selectType(select: Select, scope: TypeScope): Type {
  const { projections, from, where, split, group, omit, fetch, only, explain } = select;
  const { row: found, hasLinks } = rowSources(from, scope);
  const row = (split ?? []).reduce((type, { parts }) => splitRow(type, parts), found);
  // Of a record that isn't there nothing is shown where nothing but fields is asked for.
  const shown = hasLinks && !selectsFieldsOnly(projections) ? optionOf(row) : row;
  if (where !== undefined) scope.within(found).type(where, BOOL);
  const inner = scope.within(shown);
  let type = group === undefined ? projectedType(projections, shown, inner) : groupedType(projections, group, inner);
  orderAndLimits(select, scope, inner);
  if (omit !== undefined && projections.kind === 'fields') type = omitFrom(type, omit);
  if (fetch !== undefined) type = fetchIn(type, fetch, scope);
  if (explain !== undefined) return ANY;
  if (!only) return arrayOf(type);
  return group?.kind === 'all' && select.limit === undefined && select.start === undefined ? type : optionOf(type);
}

/** They say what parameters are, and name fields. */
function orderAndLimits(
  { projections, order, limit, start, version, timeout }: Select,
  scope: TypeScope,
  row: TypeScope,
): void {
  const items = projections.kind === 'fields' ? projections.items : [];
  const aliases = items.flatMap((item) =>
    item.kind === 'expression' && item.alias !== undefined ? [printExpression(item.alias)] : [],
  );
  const isAlias = ({ path }: OrderKey) => aliases.includes(printExpression(path));
  if (order?.kind === 'by') for (const key of order.keys) if (!isAlias(key)) row.type(key.path);
  if (limit !== undefined) scope.type(limit, INT);
  if (start !== undefined) scope.type(start, INT);
  if (version !== undefined) scope.type(version, plainType('datetime'));
  if (timeout !== undefined) scope.type(timeout, plainType('duration'));
}
