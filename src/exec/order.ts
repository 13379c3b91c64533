/** ORDER BY: by keys in the total order of values, by letters (COLLATE), by numbers within text (NUMERIC), or at random. */
import { firstInOrder } from '../base/first-in-order.js';
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Order, OrderKey, Projections } from '../language/ast.js';
import { printExpression } from '../language/print.js';
import { Comparisons } from '../value/order.js';
import type { Value } from '../value/value.js';
import type { Compiler, Evaluate, Frame } from './execution.js';

/** Orders rows; rows with equal keys stay in the order in which they came. No more than `most` of the first are asked for. */
export type Sorter = (frame: Frame, rows: Value[], most?: number) => PromiseOrValue<Value[]>;

/** `projections` are those that the rows haven't been through yet: a key may name one of them by its alias. */
export function compileOrder(order: Order, projections: Projections | undefined, compiler: Compiler): Sorter {
  if (order.kind === 'random') return (frame, rows) => shuffle(rows, frame.execution.environment.random.float);
  const keys = order.keys.map((key) => ({
    compare: comparerOf(key),
    evaluate: compileKey(key, projections, compiler),
  }));
  return (frame, rows, most = rows.length) => {
    const sorted = mapInOrder(rows, (row) => {
      const inner = frame.within(row);
      return andThen(
        mapInOrder(keys, (key) => key.evaluate(inner)),
        (values) => ({ row, values }),
      );
    });
    return andThen(sorted, (entries) => {
      const comparisons = new Comparisons();
      const inOrder = (a: Entry, b: Entry): number => {
        for (let at = 0; at < keys.length; at++) {
          const difference = keys[at]?.compare(a.values[at], b.values[at], comparisons) ?? 0;
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
  readonly values: readonly Value[];
}

/** Compares the values of a key; `comparisons` bounds those of one sort together. */
type Comparer = (a: Value, b: Value, comparisons: Comparisons) => number;

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

const LETTERS = new Intl.Collator('en', { sensitivity: 'variant', caseFirst: 'upper' });
const NUMBERS = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });
const LETTERS_AND_NUMBERS = new Intl.Collator('en', { numeric: true, sensitivity: 'variant', caseFirst: 'upper' });

function comparerOf(key: OrderKey): Comparer {
  const collator = key.collate ? (key.numeric ? LETTERS_AND_NUMBERS : LETTERS) : key.numeric ? NUMBERS : undefined;
  const ascending: Comparer =
    collator === undefined
      ? (a, b, comparisons) => comparisons.compare(a, b)
      : (a, b, comparisons) =>
          typeof a === 'string' && typeof b === 'string' ? collator.compare(a, b) : comparisons.compare(a, b);
  return key.descending ? (a, b, comparisons) => ascending(b, a, comparisons) : ascending;
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
