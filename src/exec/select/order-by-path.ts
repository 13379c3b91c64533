/** ORDER BY with LIMIT through an access path that finds rows in order: which order that is, and when enough rows have come. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import { isFieldPath, type OrderHint, type OrderKeyHint } from '../../plan/access-path.js';
import { encodeOrder } from '../../value/key-codec.js';
import { isArray, type Value } from '../../value/value.js';
import type { Compiler, Frame } from '../execution.js';

/** The order in which a SELECT wants the first rows of a table: by plain paths. `undefined` where every row must be met anyway. */
export function orderHint({ from, order, limit, split, group, projections }: Select): OrderHint | undefined {
  if (limit === undefined || split !== undefined || group !== undefined || order?.kind !== 'by') return undefined;
  if (from.length !== 1 || from[0]?.kind !== 'table') return undefined;
  const items = projections.kind === 'fields' ? projections.items : [{ ...projections, kind: 'expression' as const }];
  const keys: OrderKeyHint[] = [];
  for (const key of order.keys) {
    if (key.collate || key.numeric) return undefined;
    const named = items.find(
      (item) =>
        item.kind === 'expression' && item.alias !== undefined && printIdiom(item.alias) === printIdiom(key.path),
    );
    const path = named?.kind === 'expression' ? named.expression : key.path;
    if (!isFieldPath(path)) return undefined;
    keys.push({ path, direction: key.descending ? 'backward' : 'forward' });
  }
  return { keys };
}

/** Answers for each row, as they come in order, whether no later one can be among the first. */
export type Enough = (row: Value) => PromiseOrValue<boolean>;

/** Enough have come when the next isn't equal to the last of them: which of the equal ones are first, sorting will tell. */
export function compileEnough(order: OrderHint, compiler: Compiler): (frame: Frame, most: number) => Enough {
  const keys = order.keys.map(({ path }) => compiler.expression(path));
  return (frame, most) => {
    let count = 0;
    let last: string | undefined;
    return (row) =>
      andThen(
        mapInOrder(keys, (key) => key(frame.within(row))),
        (values) => {
          // An array is found at the places of its elements, too, which aren't its own.
          if (values.some(isArray)) return false;
          const place = values.map(encodeOrder).join('');
          if (count >= most && place !== last) return true;
          last = place;
          count++;
          return false;
        },
      );
  };
}
