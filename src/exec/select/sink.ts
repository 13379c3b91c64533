/** Where the rows of a SELECT go that have been found: into groups, into an order, or as they come. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import type { Direction, OrderHint } from '../../plan/access-path.js';
import type { Value } from '../../value/value.js';
import type { Compiler, Frame } from '../execution.js';
import type { Meter } from '../explain/meter.js';
import { inTurns } from '../pace.js';
import type { ChargeRows } from '../request-memory.js';
import { compileGroup, type Grouping } from './group.js';
import { compileOrder, type Sorting } from './order.js';
import { compileEnough, type Enough } from './order-by-path.js';

/** Takes the rows of one run. */
export interface Sink {
  /** `direction` as it is told to a `RowVisitor`. Answers whether no more are needed. */
  add(rows: readonly Value[], direction: Direction | undefined): PromiseOrValue<boolean>;
  finish(): PromiseOrValue<Value[]>;
}

/** Begins a run: `first` rows of the result are wanted, and `enough` rows suffice as they come, if that is known. */
export type BeginSink = (frame: Frame, first: number | undefined, enough: number | undefined) => Sink;

export function compileSink(
  select: Select,
  hint: OrderHint | undefined,
  compiler: Compiler,
): (meter: Meter) => BeginSink {
  const grouping = select.group && compileGroup(select.group, select.projections, compiler);
  const order = select.order && compileOrder(select.order, grouping ? undefined : select.projections, compiler);
  const enoughInOrder = hint && compileEnough(hint, compiler);
  const rowCharger: RowCharger = select.split ? copyCharger : readCharger;

  return (meter) => {
    const [group, sort] = [measured('group', meter), measured('sort', meter)];
    return (frame, first, enough) => {
      const sorting = order && sort(order.begin(frame, rowCharger(frame), first));
      if (grouping !== undefined) return new Grouped(frame, group(grouping.begin(frame)), sorting);
      if (sorting === undefined) return new AsTheyCome(rowCharger(frame), enough);
      return new Ordered(frame, sorting, first === undefined ? undefined : enoughInOrder?.(frame, first));
    };
  };
}

type RowCharger = (frame: Frame) => ChargeRows;

/** Rows as they were read. */
const readCharger: RowCharger = (frame) => {
  const { memory } = frame.execution;
  return (rows) => memory.chargeRows(rows);
};

/** Rows that SPLIT has made. */
const copyCharger: RowCharger = (frame) => {
  const { memory } = frame.execution;
  return (rows) => memory.chargeCopies(rows);
};

/** So many rows count for nothing. */
const FEW = 256;

class AsTheyCome implements Sink {
  readonly #rows: Value[] = [];

  constructor(
    private readonly charge: ChargeRows,
    private readonly enough = Number.POSITIVE_INFINITY,
  ) {}

  add(found: readonly Value[]): boolean {
    for (const row of found) this.#rows.push(row);
    if (this.#rows.length > FEW) this.charge(found);
    return this.#rows.length >= this.enough;
  }

  finish(): Value[] {
    return this.#rows;
  }
}

class Grouped implements Sink {
  constructor(
    private readonly frame: Frame,
    private readonly groups: Collector,
    private readonly sorting: Collector | undefined,
  ) {}

  add(rows: readonly Value[]): PromiseOrValue<boolean> {
    return andThen(this.groups.add(rows), () => false);
  }

  finish(): PromiseOrValue<Value[]> {
    const { frame, sorting } = this;
    return andThen(this.groups.finish(), (rows) => (sorting === undefined ? rows : sorted(rows, sorting, frame)));
  }
}

class Ordered implements Sink {
  /** Those that came in order, or in the opposite one. */
  readonly #inOrder: Value[] = [];
  #direction: Direction | undefined;

  /** `isEnough` tells of rows that come in order whether all that are wanted have come. */
  constructor(
    private readonly frame: Frame,
    private readonly sorting: Collector,
    private readonly isEnough: Enough | undefined,
  ) {}

  add(rows: readonly Value[], direction: Direction | undefined): PromiseOrValue<boolean> {
    if (direction === undefined || this.isEnough === undefined) {
      return andThen(this.sorting.add(rows), () => false);
    }
    this.#direction = direction;
    for (const row of rows) this.#inOrder.push(row);
    readCharger(this.frame)(rows);
    return rows.length > 0 && this.isEnough(rows[0]);
  }

  finish(): PromiseOrValue<Value[]> {
    // Rows with equal keys stay in the order of the table.
    return sorted(this.#direction === 'backward' ? this.#inOrder.reverse() : this.#inOrder, this.sorting, this.frame);
  }
}

function sorted(rows: readonly Value[], sorting: Collector, { execution }: Frame): PromiseOrValue<Value[]> {
  return andThen(
    inTurns(execution, rows, (some) => sorting.add(some)),
    () => sorting.finish(),
  );
}

/** A stage that takes all rows before it hands any on. */
type Collector = Grouping | Sorting;

function measured(stage: 'group' | 'sort', meter: Meter): (collector: Collector) => Collector {
  const add = meter.each(
    stage,
    (collector: Collector, rows: readonly Value[]) => collector.add(rows),
    () => 0,
  );
  const finish = meter.each(
    stage,
    (collector: Collector) => collector.finish(),
    ({ length }) => length,
  );
  return (collector) => ({ add: (rows) => add(collector, rows), finish: () => finish(collector) });
}
