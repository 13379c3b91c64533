/** ORDER BY: all rows in an order, or the first of them. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { eachChunk } from '../../../base/work/loops.js';
import { type Direction, isStream, type RowNode, type Sort, type TopN } from '../../../plan/nodes.js';
import type { Frame } from '../../../runtime/frame.js';
import type { Value } from '../../../value/value.js';
import type { List, OperatorContext, Stream } from '../operator.js';
import { compileCharge, readCharger } from '../rows/charge.js';
import { type CompiledOrder, compileOrder, type Sorting } from './sorting.js';
import { compileStopCondition, type StopCondition } from './stop-condition.js';

/** Keeps and orders all rows. */
export function compileSort({ order, projections, input }: Sort, context: OperatorContext): List {
  return sortedRows(compileOrder(order, projections, context.compiler), input, context);
}

/**
 * In order, a few more rows than needed are read at once: for the row that ends the scan, and for rows that a
 * condition rejects.
 */
const MARGIN = 16;

/**
 * Keeps only as many rows as needed. If rows come in the requested order, it ends when enough have come.
 */
export function compileTopN({ order, projections, wanted, input }: TopN, context: OperatorContext): List {
  const compiled = compileOrder(order, projections, context.compiler);
  if (wanted === undefined || !isStream(input)) return sortedRows(compiled, input, context, (most) => most);
  const rows = context.stream(input);
  const enough = compileStopCondition(wanted, context.compiler);
  const charge = compileCharge(input);
  return (frame, { rows: most, targets }) => {
    const sorting = compiled.begin(frame, charge(frame), most);
    const sink = new InOrder(frame, sorting, most === undefined ? undefined : enough(frame, most));
    return andThen(
      rows(frame, { inOrder: most && most + MARGIN, targets }, (batch, direction) => sink.add(batch, direction)),
      () => sink.finish(),
    );
  };
}

function sortedRows(
  order: CompiledOrder,
  input: RowNode,
  context: OperatorContext,
  keep: (most: number | undefined) => number | undefined = () => undefined,
): List {
  const charge = compileCharge(input);
  if (isStream(input)) {
    const rows: Stream = context.stream(input);
    return (frame, { rows: most, targets }) => {
      const sorting = order.begin(frame, charge(frame), keep(most));
      return andThen(
        rows(frame, { targets }, (batch) => andThen(sorting.add(batch), () => false)),
        () => sorting.finish(),
      );
    };
  }
  const rows = context.list(input);
  return (frame, { rows: most, targets }) => {
    const sorting = order.begin(frame, charge(frame), keep(most));
    return andThen(rows(frame, { targets }), (all) => sortAll(all, sorting, frame));
  };
}

function sortAll(rows: readonly Value[], sorting: Sorting, { execution }: Frame): PromiseOrValue<Value[]> {
  return andThen(
    eachChunk(rows, execution.interrupt, (some) => sorting.add(some)),
    () => sorting.finish(),
  );
}

/** Rows that may come in the requested order, which the access path knows only at run time. */
class InOrder {
  /** The rows that came in order, or in the opposite one. */
  readonly #inOrder: Value[] = [];
  #direction: Direction | undefined;

  /** `isEnough` says of rows that come in order whether all that are wanted have come. */
  constructor(
    private readonly frame: Frame,
    private readonly sorting: Sorting,
    private readonly isEnough: StopCondition | undefined,
  ) {}

  add(rows: readonly Value[], direction: Direction | undefined): PromiseOrValue<boolean> {
    if (direction === undefined || this.isEnough === undefined) return andThen(this.sorting.add(rows), () => false);
    this.#direction = direction;
    for (const row of rows) this.#inOrder.push(row);
    readCharger(this.frame)(rows);
    return rows.length > 0 && this.isEnough(rows[0]);
  }

  finish(): PromiseOrValue<Value[]> {
    // Rows with equal keys stay in the order of the table.
    return sortAll(this.#direction === 'backward' ? this.#inOrder.reverse() : this.#inOrder, this.sorting, this.frame);
  }
}
