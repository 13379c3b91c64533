/** `v <|3,EUCLIDEAN|> $point`: measures all rows, and passes on the nearest, with their distances. */
import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import type { TableEntry } from '../../../catalog/definitions/database-catalog.js';
import type { Expression } from '../../../language/ast.js';
import { fieldNameOf } from '../../../language/field-name-of.js';
import { readOfField } from '../../../plan/fields-read.js';
import type { KnnTopK } from '../../../plan/nodes.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { rowFrames } from '../../../runtime/row-frames.js';
import type { Key } from '../../../storage/contract.js';
import { isArray, isObject, type Value } from '../../../value/value.js';
import { Screen } from '../../../vectors/screen.js';
import { fieldReader } from '../../expression/field-reader.js';
import { canSearchPacked, searchPacked } from '../../nearest/packed-search.js';
import type { OperatorContext, RecordReading, Stream } from '../operator.js';
import { oneByOne } from '../sources/read-table.js';
import { compileVector } from '../sources/vector-operand.js';
import { NearestRows } from './nearest-rows.js';

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
