/** `v <|3,EUCLIDEAN|> $point`: measures all rows, and passes on the nearest, with their distances. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Expression } from '../../language/ast.js';
import { fieldNameOf } from '../../language/field-name-of.js';
import { printExpression } from '../../language/print.js';
import type { KnnTopK } from '../../plan/nodes.js';
import { isObject, type Value } from '../../value/value.js';
import { isScreened } from '../../vectors/screen.js';
import { fieldReader } from '../expression/field-reader.js';
import type { Compiler, Frame } from '../runtime/frame.js';
import { rowFrames } from '../runtime/row-frames.js';
import { NearestRows, ScreenedRows } from './nearest-rows.js';
import type { OperatorContext, Stream } from './operator.js';
import { oneByOne } from './read-table.js';
import { compileVector } from './vector-operand.js';

/** The `k` rows nearest to a vector, by measuring each row (a bounded heap). */
export function compileKnnTopK(node: KnnTopK, context: OperatorContext): Stream {
  const { compiler, reading } = context;
  const { k, metric, packed } = node;
  const input = context.stream(node.input);
  const operand = compileVector(node.vector, compiler);
  const vectorsOf = compileVectors(node.field, compiler);
  const name = printExpression(node.field);
  return (frame, { targets }, visit) =>
    andThen(operand(frame), (point) => {
      if (k === 0) return undefined;
      const nearest = new NearestRows(frame, point, k, metric);
      const table = isScreened(metric, point.length) ? packed : undefined;
      const searched = andThen(table && keyOf(frame, table), (key) => {
        const rows = key === undefined ? nearest : new ScreenedRows(nearest, `${key} ${name} ${point.length}`);
        const read = vectorsOf(frame);
        return input(frame, { targets }, (batch) => andThen(read(batch), (vectors) => rows.add(batch, vectors)));
      });
      return andThen(searched, () =>
        andThen(nearest.found(), (found) => (reading.writes ? oneByOne(visit)(found) : visit(found))),
      );
    });
}

/** What no other table has, nor one that is defined in its place. */
function keyOf({ execution }: Frame, table: string): PromiseOrValue<string | undefined> {
  return andThen(execution.context.catalog(), (catalog) => catalog?.tables.get(table)?.keys.records.from);
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
