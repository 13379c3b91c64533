/** The ranges of an index's keys in which a scan finds its entries. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { mapItems } from '../../../base/work/loops.js';
import type { TableEntry } from '../../../catalog/definitions/database-catalog.js';
import type { Id } from '../../../catalog/keys/key-bytes.js';
import { prefixRange } from '../../../catalog/keys/key-bytes.js';
import { indexPrefix } from '../../../catalog/keys/store-keys.js';
import { overflowPrefix } from '../../../index/entries.js';
import type { Direction, IndexScan } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import type { KeyRange } from '../../../storage/contract.js';
import { encodeOrder } from '../../../value/codecs/key-codec.js';
import { isArray, Regex, SetValue, type Value } from '../../../value/value.js';
import type { Narrow, Narrowed } from './narrow.js';
import { compileOperand } from './operand.js';
import { idRangeEnds, keysWithin, rangeEnds } from './range-ends.js';

/**
 * The ranges of some scans, and the positions at which their indexes list records with values that keys can't hold. If
 * there are any, records don't come in the order of the index.
 */
export function compileIndexScans(scans: readonly IndexScan[], compiler: Compiler, direction?: Direction): Narrow {
  const compiled = scans.map((scan) => compileIndexScan(scan, compiler));
  const indexes = [...new Set(scans.map(({ index }) => index.id))];
  return (frame, { database }, entry) =>
    andThen(
      mapInOrder(compiled, (ranges) => ranges(frame, entry, database.id)),
      (groups): PromiseOrValue<Narrowed | undefined> => {
        const found = groups.filter((ranges) => ranges !== undefined).flat();
        if (groups.includes(undefined)) return undefined;
        const overflow = indexes.map((index) =>
          prefixRange(overflowPrefix(indexPrefix(database.id, entry.definition.id, index))),
        );
        const all = [...found, ...overflow];
        if (direction === undefined) return { kind: 'index', ranges: all };
        const { transaction } = frame.execution.context;
        return andThen(
          mapInOrder(overflow, (range) => transaction.count(range)),
          (counts): Narrowed | undefined => {
            if (counts.every((count) => count === 0)) return { kind: 'index', ranges: found, direction };
            return scans.every(isWhole) ? undefined : { kind: 'index', ranges: all };
          },
        );
      },
    );
}

/** Whether an index is scanned only for its order. */
function isWhole({ equal, from, to, anyOf }: IndexScan): boolean {
  return equal.length === 0 && from === undefined && to === undefined && anyOf === undefined;
}

type Ranges = (frame: Frame, entry: TableEntry, database: Id) => PromiseOrValue<readonly KeyRange[] | undefined>;

/** The ranges of one scan; `undefined` if the value can't be found by the order of values. */
function compileIndexScan(scan: IndexScan, compiler: Compiler): Ranges {
  const operands = compileOperands(scan, compiler);
  return (frame, entry, database) =>
    andThen(operands(frame), (values): PromiseOrValue<readonly KeyRange[] | undefined> => {
      if (scan.anyOf !== undefined) return rangesOfList(scan, entry, values, database, frame.execution);
      const range = indexRangeOf(scan, entry, values, database);
      return range && [range];
    });
}

/** The evaluated operands of a scan. */
export interface OperandValues {
  readonly fixed: readonly Value[];
  readonly from: Value;
  readonly to: Value;
  readonly list: Value;
}

/** Compiles the operands of an index scan, which are evaluated once for each execution. */
export function compileOperands(scan: IndexScan, compiler: Compiler): (frame: Frame) => PromiseOrValue<OperandValues> {
  const equal = scan.equal.map((operand) => compileOperand(operand, compiler));
  const others = [scan.from, scan.to, scan.anyOf].map((operand) => compileOperand(operand, compiler));
  return (frame) =>
    andThen(
      mapInOrder([...equal, ...others], (evaluate) => evaluate(frame)),
      (values) => {
        const [from, to, list] = values.slice(equal.length);
        return { fixed: values.slice(0, equal.length), from, to, list };
      },
    );
}

/** The range that holds all matches of a scan; `undefined` where the compared values don't determine it. */
export function indexRangeOf(
  scan: IndexScan,
  entry: TableEntry,
  { fixed, from, to }: OperandValues,
  database: Id,
): KeyRange | undefined {
  // A regex equals what it matches, and may be a bound as well.
  if ([...fixed, from, to].some(isRegex)) return undefined;
  const start = startOf(scan, entry, fixed, database);
  const isById = fixed.length === scan.index.fields.length;
  const edges = isById ? idRangeEnds(scan, scan.table, from, to) : rangeEnds(scan, from, to);
  return keysWithin(prefixRange(start), (value) => start + encodeOrder(value), edges);
}

/** The ranges of the elements of a list, of which the next field equals one. */
function rangesOfList(
  scan: IndexScan,
  entry: TableEntry,
  { fixed, list }: OperandValues,
  database: Id,
  execution: Execution,
): PromiseOrValue<readonly KeyRange[] | undefined> {
  const items = list instanceof SetValue ? list.items : list;
  if (!isArray(items) || fixed.some(isRegex)) return undefined;
  const start = startOf(scan, entry, fixed, database);
  const ranges = mapItems(items, execution.interrupt, (item) =>
    isRegex(item) ? undefined : prefixRange(start + encodeOrder(item)),
  );
  return andThen(ranges, (found) => (found.every((range) => range !== undefined) ? found : undefined));
}

function startOf(scan: IndexScan, entry: TableEntry, fixed: readonly Value[], database: Id): string {
  return indexPrefix(database, entry.definition.id, scan.index.id) + fixed.map((value) => encodeOrder(value)).join('');
}

function isRegex(value: Value): boolean {
  return value instanceof Regex;
}
