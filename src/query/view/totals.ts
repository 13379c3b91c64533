/**
 * Running totals of views over DROP tables, on their way from one database into another: they can't be recomputed from
 * records that weren't kept. An export has them in a LET, which the peer ignores:
 *
 *     LET $view_totals = { groups: [[['red'], 2, 7f]], view: 'by_colour' };
 *
 * A group is its keys, how many records it has, and one total for each aggregate of the view.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { viewSources } from '../../catalog/definitions/catalog-draft.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { viewPrefix } from '../../catalog/keys/store-keys.js';
import { failure } from '../../errors/error.js';
import type { IncrementalAggregate } from '../../functions/incremental-aggregates.js';
import { bindViewChanges } from '../../plan/bind-view.js';
import { VIEW_TOTALS } from '../../plan/effects.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler } from '../../runtime/frame.js';
import type { Cursor } from '../../storage/contract.js';
import { decodeKey } from '../../value/codecs/key-codec.js';
import { type ArrayValue, isArray, isNumber, isObject, type Value } from '../../value/value.js';
import { type Columns, compileGroupColumns } from './group-columns.js';
import { GroupedView } from './groups.js';
import { maintenance } from './maintain.js';

/** Whether some of a view derives from records that weren't kept. */
export function outlivesSources({ tables }: DatabaseCatalog, { definition }: TableEntry): boolean {
  return viewSources(definition).some((source) => tables.get(source)?.definition.drop === true);
}

/** The groups of a view, if it has any, as they are stored. */
export function storedGroups(
  { context }: Execution,
  { database }: DatabaseCatalog,
  { definition }: TableEntry,
): Cursor {
  return context.transaction.scan(prefixRange(viewPrefix(database.id, definition.id, 'group')));
}

/** A stored group in the form of a LET. */
export function groupTotals(
  [key, stored]: readonly [string, Value],
  { database }: DatabaseCatalog,
  { definition }: TableEntry,
): ArrayValue {
  const { value } = decodeKey(key, viewPrefix(database.id, definition.id, 'group').length);
  return [value, ...(stored as ArrayValue)];
}

/**
 * Restores the groups of a view. Views that aren't over DROP tables are left alone: they are rebuilt from their
 * sources.
 * @throws TesseraError `variable_coercion`
 */
export function restoreTotals(execution: Execution, value: Value, compiler: Compiler): PromiseOrValue<void> {
  const { view: name, groups } = isObject(value) ? value : {};
  if (typeof name !== 'string' || !isArray(groups)) throw unfit('it has to name a view and its groups');
  return andThen(execution.context.catalog(), (catalog) => {
    const view = catalog?.tables.get(name);
    const select = view?.definition.view;
    if (catalog === undefined || view === undefined || select === undefined) return undefined;
    if (!outlivesSources(catalog, view)) return undefined;
    const tree = bindViewChanges({ name, view: select }, compiler.tuning.rules);
    if (tree.kind !== 'materialize-groups') return undefined;
    const columns = compileGroupColumns(tree, compiler);
    const inner: Execution = { ...maintenance(execution), importing: true };
    const restored = new GroupedView(inner, catalog, view.definition, columns);
    for (const group of groups) restored.restore(...readGroup(group, columns));
    return restored.finish();
  });
}

function readGroup(group: Value, { keys, aggregates }: Columns): [keys: ArrayValue, count: number, totals: ArrayValue] {
  if (!isArray(group)) throw unfit('a group has to be a list');
  const [own, count, ...totals] = group;
  if (!isArray(own) || own.length !== keys.length) throw unfit(`a group has ${keys.length} keys`);
  if (typeof count !== 'number' || count < 1) throw unfit('the number of records in a group has to be positive');
  const fits =
    aggregates.length === totals.length && aggregates.every(({ aggregate }, at) => isTotalOf(aggregate, totals[at]));
  if (!fits) throw unfit('a group has to have a total for each aggregate');
  return [own, count, totals];
}

function isTotalOf(aggregate: IncrementalAggregate, total: Value): boolean {
  if (aggregate.kind === 'extremum') return true;
  if (!isArray(aggregate.initial)) return isNumber(total);
  return isArray(total) && total.length === aggregate.initial.length && total.every(isNumber);
}

function unfit(reason: string): Error {
  return failure('variable_coercion', { name: VIEW_TOTALS, reason });
}
