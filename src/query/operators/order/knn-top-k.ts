/** `v <|3,EUCLIDEAN|> $point`: measures all rows, and passes on the nearest, with their distances. */
import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import { sortItems } from '../../../base/work/sort.js';
import type { TableEntry } from '../../../catalog/definitions/database-catalog.js';
import { hamming, manhattan } from '../../../functions/vector/measures.js';
import { pack, packInto, type Vector } from '../../../functions/vector/packed.js';
import type { Expression } from '../../../language/ast.js';
import { fieldNameOf } from '../../../language/field-name-of.js';
import { readOfField } from '../../../plan/fields-read.js';
import type { KnnTopK } from '../../../plan/nodes.js';
import { storedOf, withStoredRecord } from '../../../records/stored.js';
import { withNote } from '../../../runtime/candidates.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { rowFrames } from '../../../runtime/row-frames.js';
import type { Key } from '../../../storage/contract.js';
import { compare } from '../../../value/order.js';
import { float, isArray, isObject, type Value } from '../../../value/value.js';
import { comparesSets, type Distance, distanceOf } from '../../../vectors/distances.js';
import type { Metric, MetricName } from '../../../vectors/metric.js';
import { Nearest, type Neighbour } from '../../../vectors/nearest.js';
import { Screen } from '../../../vectors/screen.js';
import { fieldReader } from '../../expression/field-reader.js';
import { canSearchPacked, searchPacked } from '../../nearest/packed-search.js';
import type { OperatorContext, RecordReading, Stream, Visit } from '../operator.js';
import { oneByOne } from '../sources/read-table.js';
import { compileVector } from '../sources/vector-operand.js';

/** Of more neighbours than these, all rows are read: most of them would be anyway. */
const MOST_BY_KEYS = 1_024;
/** Records that are read together, and numbers of their vectors: a few milliseconds of a store on disk. */
const BATCH = { records: 64, components: 2 ** 16 };

/** The `k` rows nearest to a vector, by measuring each row (a bounded heap). */
export function compileKnnTopK(node: KnnTopK, context: OperatorContext): Stream {
  const { compiler, reading } = context;
  const { k, metric } = node;
  const input = context.stream(node.input);
  const operand = compileVector(node.vector, compiler);
  const vectorsOf = compileVectors(node.field, compiler);
  const packed = k > MOST_BY_KEYS ? undefined : compilePackedSearch(node, reading);
  return (frame, { targets }, visit) =>
    andThen(operand(frame), (point) => {
      if (k === 0) return undefined;
      const nearest = new NearestRows(frame, point, k, metric);
      const read = vectorsOf(frame);
      const add = (rows: readonly Value[]) => andThen(read(rows), (vectors) => nearest.add(rows, vectors));
      const searched = andThen(packed?.(frame, nearest, add), (isFound) =>
        isFound === true ? undefined : input(frame, { targets }, add),
      );
      return andThen(searched, () => nearest.pass(reading.writes ? oneByOne(visit) : visit));
    });
}

type AddRows = (rows: readonly Value[]) => PromiseOrValue<unknown>;

/** Adds the rows that may be among the nearest; answers whether it could. */
type SearchRows = (frame: Frame, nearest: NearestRows, add: AddRows) => PromiseOrValue<boolean>;

/** By the vectors of a table as they are kept packed (the rule `packed-vectors`), where they are as they are read. */
function compilePackedSearch(node: KnnTopK, reading: RecordReading): SearchRows | undefined {
  const { k, metric, packed: table } = node;
  const field = fieldNameOf(node.field);
  if (table === undefined || field === undefined) return undefined;
  const { read } = fieldReader(field);
  const fields = readOfField(field);
  return ({ execution }, nearest, add) => {
    if (!canSearchPacked(execution)) return false;
    const { reader } = execution.services;
    return andThen(execution.context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(table);
      if (entry === undefined) return false;
      return andThen(reader.storedRange(execution, entry, reading.purpose, fields), (range) => {
        if (range === undefined) return false;
        const vectorOf = (stored: Value) => {
          const vector = isObject(stored) ? read(stored) : undefined;
          return isArray(vector) ? nearest.pack(vector) : undefined;
        };
        const { packed: point } = nearest;
        const source = { name: field, dimension: point.length, range, read: vectorOf };
        return andThen(searchPacked(execution, source, new Screen(metric, point), k), (keys) =>
          keys === undefined ? false : andThen(addRecords(nearest, entry, keys, reading, add), () => true),
        );
      });
    });
  };
}

function addRecords(
  { frame: { execution }, packed: point }: NearestRows,
  entry: TableEntry,
  keys: readonly Key[],
  { purpose, fields }: RecordReading,
  add: AddRows,
): PromiseOrValue<unknown> {
  const { context, interrupt, services } = execution;
  const step = Math.max(1, Math.min(BATCH.records, Math.floor(BATCH.components / point.length)));
  let at = 0;
  return untilTrue(() => {
    const some = keys.slice(at, at + step);
    at += step;
    const records = andThen(context.transaction.getMany(some), (stored) =>
      mapInOrder(stored.filter(isObject), (raw) => services.reader.present(execution, entry, raw, purpose, fields)),
    );
    return andThen(records, (rows) =>
      andThen(add(rows.filter((row) => row !== undefined)), () =>
        at >= keys.length ? true : andThen(interrupt.checkpoint(), () => false),
      ),
    );
  });
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
  const evaluate = compiler.expression(field);
  const frames = rowFrames([field]);
  return (frame) => {
    const at = frames(frame);
    return (rows) => mapInOrder(rows, (row) => evaluate(at(row)));
  };
}

// The rows nearest to a vector, of those that come batch by batch.

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

class NearestRows {
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
