/** ORDER BY: by keys in the total order of values, by letters (COLLATE), by numbers within text (NUMERIC), or at random. */
import { firstInOrder } from '../../base/first-in-order.js';
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { collationKey } from '../../functions/array/collation.js';
import type { Order, OrderKey, Projections } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { Comparisons } from '../../value/order.js';
import type { Value } from '../../value/value.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';

/** Orders rows; rows with equal keys stay in the order in which they came. No more than `most` of the first are asked for. */
export type Sorter = (frame: Frame, rows: Value[], most?: number) => PromiseOrValue<Value[]>;

/** `projections` are those that the rows haven't been through yet: a key may name one of them by its alias. */
export function compileOrder(order: Order, projections: Projections | undefined, compiler: Compiler): Sorter {
  if (order.kind === 'random') return (frame, rows) => shuffle(rows, frame.execution.environment.random.float);
  const keys = order.keys.map((key) => ({
    prepare: preparerOf(key),
    compare: comparerOf(key),
    evaluate: compileKey(key, projections, compiler),
  }));
  return (frame, rows, most = rows.length) => {
    const sorted = mapInOrder(rows, (row) => {
      const inner = frame.within(row);
      return andThen(
        mapInOrder(keys, (key) => andThen(key.evaluate(inner), key.prepare)),
        (values) => ({ row, values }),
      );
    });
    return andThen(sorted, (entries) => {
      const comparisons = new Comparisons();
      const inOrder = (a: Entry, b: Entry): number => {
        for (let at = 0; at < keys.length; at++) {
          const difference = keys[at]?.compare(a.values[at] as Sortable, b.values[at] as Sortable, comparisons) ?? 0;
          if (difference !== 0) return difference;
        }
        return 0;
      };
      // Sorting is faster than a heap that would hold most of the rows anyway.
      const first = most * 2 < entries.length ? firstInOrder(entries, most, inOrder) : entries.sort(inOrder);
      return first.map((entry) => entry.row);
    });
  };
}

/** A row with the values of its keys. */
interface Entry {
  readonly row: Value;
  readonly values: readonly Sortable[];
}

/** Compares the values of a key; `comparisons` bounds those of one sort together. */
type Comparer = (a: Sortable, b: Sortable, comparisons: Comparisons) => number;

function compileKey(key: OrderKey, projections: Projections | undefined, compiler: Compiler): Evaluate {
  const path = printExpression(key.path);
  const items =
    projections?.kind === 'fields'
      ? projections.items
      : projections
        ? [{ ...projections, kind: 'expression' as const }]
        : [];
  for (const item of items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === path) {
      return compiler.expression(item.expression);
    }
  }
  return compiler.expression(key.path);
}

/** Makes of a key's value what is compared. A text that is ordered by letters or numbers gets a key of its own, once. */
type Prepare = (value: Value) => Sortable;

interface Sortable {
  readonly value: Value;
  readonly collated?: string;
}

function preparerOf({ collate, numeric }: OrderKey): Prepare {
  if (!collate && !numeric) return (value) => ({ value });
  const collation = { ...(collate && { lexical: true as const }), ...(numeric && { natural: true as const }) };
  return (value) => (typeof value === 'string' ? { value, collated: collationKey(value, collation) } : { value });
}

function comparerOf({ numeric, descending }: OrderKey): Comparer {
  const ascending: Comparer = (a, b, comparisons) => {
    if (a.collated === undefined || b.collated === undefined) return comparisons.compare(a.value, b.value);
    // The same number with fewer zeros ahead of it comes first.
    const shorter = () => (numeric ? (a.value as string).length - (b.value as string).length : 0);
    return comparisons.compare(a.collated, b.collated) || shorter() || comparisons.compare(a.value, b.value);
  };
  return descending ? (a, b, comparisons) => ascending(b, a, comparisons) : ascending;
}

/** Fisher and Yates. */
function shuffle(rows: Value[], random: () => number): Value[] {
  const shuffled = rows.slice();
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other], shuffled[at]];
  }
  return shuffled;
}
