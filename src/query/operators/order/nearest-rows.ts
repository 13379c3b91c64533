/** The rows nearest to a vector, of those that come batch by batch. */
import { andThen, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import { sortItems } from '../../../base/work/sort.js';
import { hamming, manhattan } from '../../../functions/vector/measures.js';
import { pack, packInto, type Vector } from '../../../functions/vector/packed.js';
import { storedOf, withStoredRecord } from '../../../records/stored.js';
import { withNote } from '../../../runtime/candidates.js';
import type { Frame } from '../../../runtime/frame.js';
import { compare } from '../../../value/order.js';
import { float, isArray, isObject, type Value } from '../../../value/value.js';
import { comparesSets, type Distance, distanceOf } from '../../../vectors/distances.js';
import type { Metric, MetricName } from '../../../vectors/metric.js';
import { Nearest, type Neighbour } from '../../../vectors/nearest.js';
import type { Visit } from '../operator.js';

/** A row with the vector that was measured. */
interface Measured {
  readonly row: Value;
  readonly vector: Vector;
}

/** So many components are measured between two checkpoints: about half a millisecond. */
const COMPONENTS_AT_ONCE = 2 ** 18;

/** Rows that are passed on at a time. */
const PASSED = 256;
/** What is held of a row besides itself, in bytes. */
const HELD = 128;

export class NearestRows {
  readonly frame: Frame;
  readonly #metric: Metric;
  readonly packed: Float64Array;
  readonly #point: Vector;
  readonly #distance: Distance;
  readonly #nearest: Nearest<Measured>;
  /** Where the vector of a row is packed to be measured. */
  readonly #scratch: Float64Array;

  constructor(frame: Frame, point: Vector, k: number, metric: Metric) {
    this.frame = frame;
    this.#metric = metric;
    this.packed = pack(point);
    this.#point = point;
    this.#distance = distanceOf(metric);
    this.#nearest = new Nearest(k, compareRows);
    this.#scratch = new Float64Array(point.length);
  }

  /** Measures rows; those without a vector of this length are left out. Returns that it wants more. */
  add(rows: readonly Value[], vectors: readonly Value[]): PromiseOrValue<false> {
    const { interrupt } = this.frame.execution;
    const { size } = this.#nearest;
    const step = Math.max(1, Math.floor(COMPONENTS_AT_ONCE / (this.#point.length + 1)));
    let at = 0;
    const measureSome = (): boolean => {
      const end = Math.min(at + step, rows.length);
      for (; at < end; at++) this.#measure(rows[at], vectors[at]);
      return at === rows.length;
    };
    const done = measureSome() ? undefined : untilTrue(() => andThen(interrupt.checkpoint(), measureSome));
    return andThen(done, () => this.#charge(rows, size));
  }

  #measure(row: Value, vector: Value): void {
    if (!isArray(vector)) return;
    const packed = this.pack(vector);
    if (packed === undefined) return;
    const distance = this.#distance(packed, this.packed);
    if (!(distance > this.#nearest.bound)) this.#nearest.offer(distance, { row, vector: vector as Vector });
  }

  /** The packed vector, until the next is packed; `undefined` if it can't be compared. */
  pack(vector: readonly Value[]): Float64Array | undefined {
    const isOwn = comparesSets(this.#metric) && vector.length !== this.#scratch.length;
    const scratch = isOwn ? new Float64Array(vector.length) : this.#scratch;
    return packInto(scratch, vector) ? scratch : undefined;
  }

  /** Accounts for rows that are held, of which there were `before`. What replaces others takes no more. */
  #charge(rows: readonly Value[], before: number): false {
    const more = this.#nearest.size - before;
    if (more <= 0) return false;
    const { memory } = this.frame.execution.request;
    memory.chargeRows(rows.slice(0, more));
    memory.charge(more * HELD);
    return false;
  }

  /** Passes them on, some at a time: nearest first, at the same distance in the order of ids. */
  pass(visit: Visit): PromiseOrValue<unknown> {
    const { interrupt } = this.frame.execution;
    const nearest = this.#nearest;
    return andThen(sortItems(nearest.items(), this.frame.execution.interrupt, nearest.compare), (sorted) => {
      let at = 0;
      return untilTrue(() => {
        const rows = sorted.slice(at, at + PASSED).map((neighbour) => this.#noted(neighbour));
        at += rows.length;
        return andThen(visit(rows), (stop) =>
          stop === true || at === sorted.length ? true : andThen(interrupt.checkpoint(), () => false),
        );
      });
    });
  }

  #noted({ distance, item: { row, vector } }: Neighbour<Measured>): Value {
    if (!isObject(row)) return row;
    const exact = IN_KIND[this.#metric.name]?.(vector, this.#point) ?? float(distance);
    return withStoredRecord(withNote(row, { distance: exact }), storedOf(row));
  }
}

/** Distances that keep the kind of the numbers, as the functions of their names do. */
const IN_KIND: { readonly [Name in MetricName]?: (a: Vector, b: Vector) => Value } = {
  HAMMING: hamming,
  MANHATTAN: manhattan,
};

function compareRows({ row: a }: Measured, { row: b }: Measured): number {
  return isObject(a) && isObject(b) ? compare(a['id'], b['id']) : 0;
}
