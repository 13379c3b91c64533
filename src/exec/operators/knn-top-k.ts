/** `v <|3,EUCLIDEAN|> $point`: looks at all rows, and hands on the nearest, with their distances. */
import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { sortInSteps } from '../../base/sort-in-steps.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { hamming, manhattan } from '../../functions/vector/measures.js';
import { pack, packInto, type Vector } from '../../functions/vector/packed.js';
import type { Expression } from '../../language/ast.js';
import { fieldNameOf } from '../../language/field-name-of.js';
import type { KnnTopK } from '../../plan/nodes.js';
import { CoercionError, coerce } from '../../value/coerce.js';
import { compare } from '../../value/order.js';
import { toErrorText } from '../../value/text/text.js';
import type { Type } from '../../value/type.js';
import { float, isArray, isObject, type Value } from '../../value/value.js';
import { comparesSets, type Distance, distanceOf } from '../../vectors/distances.js';
import type { Metric, MetricName } from '../../vectors/metric.js';
import { Nearest, type Neighbour } from '../../vectors/nearest.js';
import { fieldReader } from '../expression/field-reader.js';
import { withNote } from '../record/candidates.js';
import { showing, storedOf } from '../record/stored.js';
import { pausingOf } from '../runtime/cooperative-yielding.js';
import type { Compiler, Evaluate, Frame } from '../runtime/execution.js';
import { rowFrames } from '../runtime/row-frames.js';
import type { OperatorContext, Stream } from './operator.js';
import { oneByOne } from './read-table.js';

/** A row with the vector that was measured. */
interface Measured {
  readonly row: Value;
  readonly vector: Vector;
}

/** So many components are measured between two checkpoints: about half a millisecond. */
const COMPONENTS_AT_ONCE = 2 ** 18;

export function compileKnnTopK(node: KnnTopK, context: OperatorContext): Stream {
  const { compiler, reading } = context;
  const { k, metric } = node;
  const input = context.stream(node.input);
  const operand = compileVector(node.vector, compiler);
  const vectorsOf = compileVectors(node.field, compiler);
  const distance = distanceOf(metric);
  return (frame, { targets }, visit) =>
    andThen(operand(frame), (point) => {
      if (k === 0) return undefined;
      const search = new Search(frame, point, k, metric, distance);
      const read = vectorsOf(frame);
      const searched = input(frame, { targets }, (rows) => search.add(rows, read));
      return andThen(searched, () =>
        andThen(search.neighbours(), (found) => (reading.writes ? oneByOne(visit)(found) : visit(found))),
      );
    });
}

const ARRAY_OF_NUMBERS: Type = { kind: 'array', item: { kind: 'number' } };

/** The vector that is asked for, the same for all rows. @throws TesseraError `nearest_operand` */
function compileVector(vector: Expression, compiler: Compiler): (frame: Frame) => PromiseOrValue<Vector> {
  const evaluate = compiler.expression(vector);
  return (frame) =>
    andThen(evaluate(frame.entering()), (value) => {
      if (!isArray(value)) throw wrongOperand(`Expected \`array<number>\` but found \`${toErrorText(value)}\``);
      try {
        return coerce(value, ARRAY_OF_NUMBERS) as Vector;
      } catch (error) {
        if (error instanceof CoercionError) throw wrongOperand(error.message);
        throw error;
      }
    });
}

function wrongOperand(reason: string): TesseraError {
  return failure('nearest_operand', { reason });
}

/** Reads what is compared with it of rows. */
type ReadVectors = (rows: readonly Value[]) => PromiseOrValue<readonly Value[]>;

function compileVectors(field: Expression, compiler: Compiler): (frame: Frame) => ReadVectors {
  const name = fieldNameOf(field);
  if (name !== undefined) {
    const reader = fieldReader(name);
    const read: ReadVectors = (rows) => rows.map((row) => (isObject(row) ? reader.read(row) : undefined));
    return () => read;
  }
  const evaluate: Evaluate = compiler.expression(field);
  const frames = rowFrames([field]);
  return (frame) => {
    const at = frames(frame);
    return (rows) => mapInOrder(rows, (row) => evaluate(at(row)));
  };
}

class Search {
  readonly #frame: Frame;
  readonly #point: Vector;
  readonly #packed: Float64Array;
  readonly #metric: Metric;
  readonly #distance: Distance;
  readonly #nearest: Nearest<Measured>;
  /** Where the vector of a row is packed to be measured. */
  readonly #scratch: Float64Array;

  constructor(frame: Frame, point: Vector, k: number, metric: Metric, distance: Distance) {
    this.#frame = frame;
    this.#point = point;
    this.#packed = pack(point);
    this.#metric = metric;
    this.#distance = distance;
    this.#nearest = new Nearest(k, compareRows);
    this.#scratch = new Float64Array(point.length);
  }

  /** Measures rows; those without a vector of this length are left out. Answers that it wants more. */
  add(rows: readonly Value[], read: ReadVectors): PromiseOrValue<false> {
    const { interrupt } = this.#frame.execution;
    const size = Math.max(1, Math.floor(COMPONENTS_AT_ONCE / (this.#point.length + 1)));
    if (rows.length <= size) return andThen(read(rows), (vectors) => this.#measure(rows, vectors));
    let from = 0;
    const done = untilTrue(() => {
      const some = rows.slice(from, from + size);
      from += size;
      return andThen(read(some), (vectors) => {
        this.#measure(some, vectors);
        return from >= rows.length || andThen(interrupt.checkpoint(), () => false);
      });
    });
    return andThen(done, () => false as const);
  }

  /** Nearest first; at the same distance in the order of ids. */
  neighbours(): PromiseOrValue<readonly Value[]> {
    const sorted = sortInSteps(this.#nearest.items(), pausingOf(this.#frame.execution), this.#nearest.compare);
    return andThen(sorted, (found) => found.map((neighbour) => this.#noted(neighbour)));
  }

  #measure(rows: readonly Value[], vectors: readonly Value[]): false {
    const nearest = this.#nearest;
    const { size } = nearest;
    for (let at = 0; at < rows.length; at++) {
      const vector = vectors[at] as Value;
      if (!isArray(vector)) continue;
      const packed = this.#pack(vector);
      if (packed === undefined) continue;
      const distance = this.#distance(packed, this.#packed);
      if (distance > nearest.bound) continue;
      nearest.offer(distance, { row: rows[at] as Value, vector: vector as Vector });
    }
    // What is held already is replaced, and takes no more.
    if (nearest.size > size) this.#frame.execution.request.memory.chargeRows(rows.slice(0, nearest.size - size));
    return false;
  }

  #pack(vector: readonly Value[]): Float64Array | undefined {
    const scratch =
      comparesSets(this.#metric) && vector.length !== this.#scratch.length
        ? new Float64Array(vector.length)
        : this.#scratch;
    return packInto(scratch, vector) ? scratch : undefined;
  }

  #noted({ distance, item: { row, vector } }: Neighbour<Measured>): Value {
    if (!isObject(row)) return row;
    const exact = IN_KIND[this.#metric.name]?.(vector, this.#point) ?? float(distance);
    return showing(withNote(row, { distance: exact }), storedOf(row));
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
