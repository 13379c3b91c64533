import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import type { Select } from '../../language/ast.js';
import { accessNode } from '../../plan/access-node.js';
import type { PlanNode } from '../../plan/query-plan.js';
import type { KeyRange } from '../../storage/contract.js';
import { newObject, type Value } from '../../value/value.js';
import type { Frame } from '../execution.js';
import { projectionPath } from '../expression/projection-name.js';
import { writeAt } from './projection.js';
import type { RowSource } from './source.js';

export interface CountAll {
  /** `undefined` where the records have to be met after all, or there is no such table. */
  run(frame: Frame): PromiseOrValue<Value>;
  plan(frame: Frame): PromiseOrValue<PlanNode | undefined>;
}

/**
 * `SELECT count() FROM table GROUP ALL`, with a condition that an index answers alone or without one: the storage knows how many keys there
 * are without reading any record. Only for those who may see all records. `undefined` for any other SELECT.
 */
export function compileCountAll(select: Select, source: RowSource): CountAll | undefined {
  const [target, ...others] = select.from;
  if (target?.kind !== 'table' || others.length > 0 || select.group?.kind !== 'all' || isMore(select)) return undefined;
  const { projections } = select;
  const [item] = projections.kind === 'value' ? [projections] : projections.items;
  if (item === undefined || item.kind === 'all' || (projections.kind === 'fields' && projections.items.length > 1)) {
    return undefined;
  }
  const { expression } = item;
  if (expression.kind !== 'call' || expression.path !== 'count' || expression.args.length > 0) return undefined;

  const keysOf = (frame: Frame, catalog: DatabaseCatalog, table: TableEntry): PromiseOrValue<KeyRange | undefined> =>
    select.where === undefined ? table.keys.records : source.countedRange(frame, catalog, table);
  /** Whatever `make` makes of the keys that tell the number. */
  const withKeys = <T>(
    frame: Frame,
    make: (keys: KeyRange, table: TableEntry) => PromiseOrValue<T>,
  ): PromiseOrValue<T | undefined> => {
    if (frame.execution.checks.view) return undefined;
    return andThen(frame.execution.unit.catalog(), (catalog) => {
      const table = catalog?.tables.get(target.name);
      if (catalog === undefined || table === undefined) return undefined;
      return andThen(keysOf(frame, catalog, table), (keys) => keys && make(keys, table));
    });
  };

  return {
    run: (frame) =>
      withKeys<Value>(frame, (keys) => {
        frame.execution.functions?.check('count');
        return andThen(frame.execution.unit.transaction.count(keys), (count): Value => {
          const row = newObject();
          writeAt(row, projectionPath(item), count);
          const answer = projections.kind === 'value' ? count : row;
          return select.only ? answer : [answer];
        });
      }),
    plan: (frame) =>
      withKeys<PlanNode>(frame, (_, table) => {
        if (select.where === undefined) {
          return { operator: 'CountRecords', stage: 'count', attributes: { table: target.name } };
        }
        const { attributes } = accessNode(source.pathOf(table, frame.execution, 'select'), false);
        return { operator: 'CountEntries', stage: 'count', ...(attributes && { attributes }) };
      }),
  };
}

/** Whether there is a clause that needs the records, or shapes the answer. */
function isMore({ split, order, limit, start, omit, fetch, version }: Select): boolean {
  return [split, order, limit, start, omit, fetch, version].some((clause) => clause !== undefined);
}
