/** ORDER BY: all rows in an order, or the first of them. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import { eachChunk, mapItems } from '../../../base/work/loops.js';
import { sortItems } from '../../../base/work/sort.js';
import { collationKey } from '../../../functions/array/collation.js';
import type { Expression, Order, OrderKey, Projections } from '../../../language/ast.js';
import { printExpression } from '../../../language/print.js';
import { type Direction, isStream, type OrderWanted, type RowNode, type Sort, type TopN } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../../runtime/frame.js';
import type { ChargeRows } from '../../../runtime/request-memory.js';
import { rowFrames } from '../../../runtime/row-frames.js';
import { scopedIfMade } from '../../../runtime/scoped.js';
import { encodeOrder } from '../../../value/codecs/key-codec.js';
import { Comparisons } from '../../../value/order.js';
import { isArray, type Value } from '../../../value/value.js';
import type { List, OperatorContext, Stream } from '../operator.js';
import { CollectedRows, compileCharge, readCharger } from '../rows/collected-rows.js';

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
  readonly #inOrder: CollectedRows;
  #direction: Direction | undefined;

  /** `isEnough` says of rows that come in order whether all that are wanted have come. */
  constructor(
    private readonly frame: Frame,
    private readonly sorting: Sorting,
    private readonly isEnough: StopCondition | undefined,
  ) {
    this.#inOrder = new CollectedRows(readCharger(frame));
  }

  add(rows: readonly Value[], direction: Direction | undefined): PromiseOrValue<boolean> {
    if (direction === undefined || this.isEnough === undefined) return andThen(this.sorting.add(rows), () => false);
    this.#direction = direction;
    this.#inOrder.add(rows);
    return rows.length > 0 && this.isEnough(rows[0], direction);
  }

  finish(): PromiseOrValue<Value[]> {
    // Rows with equal keys stay in the order of the table.
    const { rows } = this.#inOrder;
    return sortAll(this.#direction === 'backward' ? rows.reverse() : rows, this.sorting, this.frame);
  }
}

// ORDER BY with LIMIT through an access path in order: when enough rows have come.

/** Returns for each row, as they come in order, whether no later one can be among the first. */
type StopCondition = (row: Value, direction: Direction) => PromiseOrValue<boolean>;

/**
 * Enough have come when there is one more. Where equal rows don't come in the order of their ids, as backwards, sorting
 * decides among them: then it has to differ from the last of those that are wanted.
 */
function compileStopCondition(order: OrderWanted, compiler: Compiler): (frame: Frame, most: number) => StopCondition {
  const wanted = order.score === undefined ? order.keys.map(({ path }) => path) : [order.score.call];
  const keys = wanted.map((key) => compiler.expression(key));
  return (frame, most) => {
    let count = 0;
    let last: string | undefined;
    return (row, direction) =>
      andThen(
        mapInOrder(keys, (key) => key(frame.within(row))),
        (values) => {
          // An array is found at the places of its elements, too, which aren't its own.
          if (values.some(isArray)) return false;
          const place = values.map(encodeOrder).join('');
          const isOrdered = direction === 'forward' && order.sortsEqual !== true;
          if (count >= most && (isOrdered || place !== last)) return true;
          last = place;
          count++;
          return false;
        },
      );
  };
}

// ORDER BY: by keys in the total order of values, by letters (COLLATE), by numbers within text (NUMERIC), or at random.

/** Rows being ordered; rows with equal keys stay in the order in which they came. */
interface Sorting {
  add(rows: readonly Value[]): PromiseOrValue<void>;
  finish(): PromiseOrValue<Value[]>;
}

interface CompiledOrder {
  /** At most the first `most` rows are needed; `charge` gets the rows that are kept. */
  begin(frame: Frame, charge: ChargeRows, most?: number): Sorting;
}

/** `projections` are those that the rows haven't been through yet: a key may name one of them by its alias. */
function compileOrder(order: Order, projections: Projections | undefined, compiler: Compiler): CompiledOrder {
  if (order.kind === 'random') return { begin: (frame, charge) => new Shuffle(frame, charge) };
  const paths = order.keys.map((key) => named(key, projections));
  const keys = order.keys.map((key, at) => compileKey(key, compileScoped(paths[at] as Expression, compiler)));
  const [only] = keys;
  const key = only !== undefined && keys.length === 1 ? only : compileKeys(keys);
  const frames = rowFrames(paths);
  return {
    begin: (frame, charge, most) => new FirstRows(frame.execution, frames(frame), key as RowKey<unknown>, charge, most),
  };
}

function compileScoped(expression: Expression, compiler: Compiler): Evaluate {
  return scopedIfMade(compiler.expression(expression), [expression]);
}

/**
 * The sort key of rows: its evaluation and comparison. `comparisons` bounds those of one sort
 * together.
 */
interface RowKey<T> {
  evaluate(frame: Frame): PromiseOrValue<T>;
  /** Answers `BEHIND` for a row that comes behind another one's key where part of the key shows it. */
  evaluateBefore?(bar: T, frame: Frame, comparisons: Comparisons): PromiseOrValue<T | typeof BEHIND>;
  compare(a: T, b: T, comparisons: Comparisons): number;
}

const BEHIND = Symbol('behind');

/** A row with its key. */
interface Entry {
  readonly row: Value;
  readonly key: unknown;
}

/** Overhead of an entry in bytes while it is sorted. */
const ENTRY = 64;

/** Entries that aren't charged. */
const UNCHARGED = 256;

/** Minimum number of rows to keep: sorting fewer at a time doesn't pay off. */
const FEW = 64;

/**
 * The first rows of an order. Up to twice as many as needed are kept and then cut down, so that most of the
 * others are rejected by one comparison with the last kept row.
 */
class FirstRows implements Sorting {
  readonly #comparisons = new Comparisons();
  readonly #room: number;
  #entries: Entry[] = [];
  /** Rows that don't precede it aren't among the first. */
  #bar: Entry | undefined;
  /** How many of the entries are charged, and what they and their keys were. */
  #counted = 0;
  #charged = 0;

  constructor(
    private readonly execution: Execution,
    private readonly frameOf: (row: Value) => Frame,
    private readonly key: RowKey<unknown>,
    private readonly charge: ChargeRows,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {
    this.#room = Math.max(2 * most, FEW);
  }

  add(rows: readonly Value[]): PromiseOrValue<void> {
    const {
      request: { memory },
    } = this.execution;
    const mark = memory.used;
    const added = forEachInOrder(rows, (row) => {
      const key = this.#keyOf(this.frameOf(row));
      if (key instanceof Promise) return key.then((settled) => this.#keep(row, settled));
      return this.#keep(row, key);
    });
    return andThen(added, () => this.#chargeNew(mark));
  }

  /**
   * Charges the entries that are new; what was charged since `mark` was for keys, of which those of other rows are
   * gone.
   */
  #chargeNew(mark: number): void {
    const {
      request: { memory },
    } = this.execution;
    if (this.#entries.length === this.#counted || this.#entries.length <= UNCHARGED) {
      memory.releaseTo(mark);
      return;
    }
    const kept = this.#entries.slice(this.#counted);
    const charged = memory.used;
    this.charge(kept.map(({ row }) => row));
    memory.charge(ENTRY * kept.length);
    this.#charged += memory.used - Math.min(charged, mark);
    this.#counted = this.#entries.length;
  }

  finish(): PromiseOrValue<Value[]> {
    return andThen(this.#cut(), () => mapItems(this.#entries, this.execution.interrupt, ({ row }) => row));
  }

  #keyOf(frame: Frame): unknown {
    const { evaluateBefore } = this.key;
    if (this.#bar === undefined || evaluateBefore === undefined) return this.key.evaluate(frame);
    return evaluateBefore(this.#bar.key, frame, this.#comparisons);
  }

  #keep(row: Value, key: unknown): PromiseOrValue<undefined> {
    if (key === BEHIND) return undefined;
    if (this.#bar !== undefined && this.key.compare(key, this.#bar.key, this.#comparisons) >= 0) return undefined;
    this.#entries.push({ row, key });
    return this.#entries.length < this.#room ? undefined : this.#cut();
  }

  #cut(): PromiseOrValue<undefined> {
    const compare = (a: Entry, b: Entry) => this.key.compare(a.key, b.key, this.#comparisons);
    return andThen(sortItems(this.#entries, this.execution.interrupt, compare), (sorted) => {
      this.#entries = sorted;
      if (sorted.length < this.most) return undefined;
      const dropped = (this.#charged * (sorted.length - this.most)) / sorted.length;
      this.#charged -= dropped;
      this.#counted = Math.min(this.#counted, this.most);
      this.execution.request.memory.release(Math.floor(dropped));
      sorted.length = this.most;
      this.#bar = sorted.at(-1);
      return undefined;
    });
  }
}

/** Rows that are swapped before yielding. */
const SWAPS = 8_192;

/** Rows in random order (Fisher–Yates shuffle). */
class Shuffle implements Sorting {
  readonly #collected: CollectedRows;

  constructor(
    private readonly frame: Frame,
    charge: ChargeRows,
  ) {
    this.#collected = new CollectedRows(charge);
  }

  add(rows: readonly Value[]): void {
    this.#collected.add(rows);
  }

  finish(): PromiseOrValue<Value[]> {
    const { rows } = this.#collected;
    const {
      services: { environment },
      interrupt,
    } = this.frame.execution;
    let at = rows.length - 1;
    const someSwaps = () => {
      for (const until = Math.max(0, at - SWAPS); at > until; at--) {
        const other = Math.floor(environment.random.float() * (at + 1));
        [rows[at], rows[other]] = [rows[other], rows[at]];
      }
      return at <= 0 || andThen(interrupt.checkpoint(), () => false);
    };
    return andThen(untilTrue(someSwaps), () => rows);
  }
}

/**
 * Several keys, of which the first that differs decides; mostly that is the very first, so that it is looked at alone.
 */
function compileKeys(keys: readonly RowKey<unknown>[]): RowKey<readonly unknown[]> {
  const [first, ...others] = keys as [RowKey<unknown>, ...RowKey<unknown>[]];
  const withOthers = (head: unknown, frame: Frame) =>
    andThen(
      mapInOrder(others, (key) => key.evaluate(frame)),
      (tail) => [head, ...tail],
    );
  return {
    evaluate: (frame) => andThen(first.evaluate(frame), (head) => withOthers(head, frame)),
    evaluateBefore: (bar, frame, comparisons) =>
      andThen(first.evaluate(frame), (head) =>
        first.compare(head, bar[0], comparisons) > 0 ? BEHIND : withOthers(head, frame),
      ),
    compare: (a, b, comparisons) => {
      for (let at = 0; at < keys.length; at++) {
        const difference = (keys[at] as RowKey<unknown>).compare(a[at], b[at], comparisons);
        if (difference !== 0) return difference;
      }
      return 0;
    },
  };
}

function compileKey(key: OrderKey, evaluate: Evaluate): RowKey<unknown> {
  const ascending = key.collate || key.numeric ? collated(key, evaluate) : plain(evaluate);
  const { compare } = ascending as RowKey<unknown>;
  return key.descending ? { ...ascending, compare: (a, b, comparisons) => compare(b, a, comparisons) } : ascending;
}

/** The value of a sort key: a projection by its alias, or else a path. */
function named({ path }: OrderKey, projections: Projections | undefined): Expression {
  const text = printExpression(path);
  const items =
    projections?.kind === 'fields'
      ? projections.items
      : projections
        ? [{ ...projections, kind: 'expression' as const }]
        : [];
  for (const item of items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === text) {
      return item.expression;
    }
  }
  return path;
}

function plain(evaluate: Evaluate): RowKey<Value> {
  return { evaluate, compare: (a, b, comparisons) => comparisons.compare(a, b) };
}

/** A text that is ordered by letters or numbers gets a key of its own, once. */
interface Collated {
  readonly value: Value;
  readonly text: string | undefined;
}

function collated({ collate, numeric }: OrderKey, evaluate: Evaluate): RowKey<Collated> {
  const collation = { ...(collate && { lexical: true as const }), ...(numeric && { natural: true as const }) };
  return {
    evaluate: (frame) =>
      andThen(evaluate(frame), (value) => ({
        value,
        text: typeof value === 'string' ? collationKey(value, collation) : undefined,
      })),
    compare: (a, b, comparisons) => {
      if (a.text === undefined || b.text === undefined) return comparisons.compare(a.value, b.value);
      // The same number with fewer zeros ahead of it comes first.
      const shorter = () => (numeric ? (a.value as string).length - (b.value as string).length : 0);
      return comparisons.compare(a.text, b.text) || shorter() || comparisons.compare(a.value, b.value);
    },
  };
}
