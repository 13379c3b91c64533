import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import { newObject, type Value } from '../../value/value.js';
import type { Frame } from '../execution.js';
import { projectionPath } from '../expression/projection-name.js';
import { writeAt } from './projection.js';

export interface CountAll {
  readonly table: string;
  /** Whether the reader may see all records. */
  applies(frame: Frame): boolean;
  /** `undefined` where there is no such table. */
  run(frame: Frame): PromiseOrValue<Value>;
}

/**
 * `SELECT count() FROM table GROUP ALL`: the storage knows how many records there are without reading any. `undefined` for
 * any other SELECT.
 */
export function compileCountAll(select: Select): CountAll | undefined {
  const [target, ...others] = select.from;
  if (target?.kind !== 'table' || others.length > 0 || select.group?.kind !== 'all' || isMore(select)) return undefined;
  const { projections } = select;
  const [item] = projections.kind === 'value' ? [projections] : projections.items;
  if (item === undefined || item.kind === 'all' || (projections.kind === 'fields' && projections.items.length > 1)) {
    return undefined;
  }
  const { expression } = item;
  if (expression.kind !== 'call' || expression.path !== 'count' || expression.args.length > 0) return undefined;
  const run = ({ execution }: Frame): PromiseOrValue<Value> => {
    execution.functions?.check('count');
    return andThen(execution.unit.catalog(), (catalog) => {
      const table = catalog?.tables.get(target.name);
      if (table === undefined) return undefined;
      return andThen(execution.unit.transaction.count(table.keys.records), (count): Value => {
        const row = newObject();
        writeAt(row, projectionPath(item), count);
        const answer = projections.kind === 'value' ? count : row;
        return select.only ? answer : [answer];
      });
    });
  };
  return { table: target.name, applies: ({ execution }) => !execution.checks.view, run };
}

/** Whether there is a clause that needs the records, or shapes the answer. */
function isMore({ where, split, order, limit, start, omit, fetch, version, with: hints }: Select): boolean {
  return [where, split, order, limit, start, omit, fetch, version, hints].some((clause) => clause !== undefined);
}
