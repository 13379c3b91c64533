/** Access paths, compiled: how a path and the values of its operands become the part of a table to be read. */
import { andThen, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import type { Id } from '../../catalog/definition.js';
import { indexPrefix, prefixRange } from '../../catalog/keys.js';
import { arraysBehind, elsewherePrefix } from '../../index/entries.js';
import type { Expression } from '../../language/ast.js';
import {
  type AccessPath,
  answersAlone,
  type Bounds,
  type Direction,
  type IndexScan,
  type Limit,
  type Operand,
  type RecordLookup,
  type RecordRange,
} from '../../plan/access-path.js';
import type { KeyRange } from '../../storage/contract.js';
import { encodeOrder } from '../../value/key-codec.js';
import { Datetime, isArray, Range, RecordId, Regex, SetValue, Uuid, type Value } from '../../value/value.js';
import { isVerdict } from '../discretion.js';
import { type Compiler, type Evaluate, Frame, Scope } from '../execution.js';
import { judgeOf } from '../permission.js';

/** The part of a table that holds everything that can meet the condition. */
type Narrowed =
  | { readonly kind: 'record'; readonly id: Value }
  /** The table, or some of its keys. */
  | { readonly kind: 'table'; readonly keys?: KeyRange; readonly direction?: Direction }
  /** Of the keys of an index. */
  | { readonly kind: 'index'; readonly ranges: readonly KeyRange[]; readonly direction?: Direction };

export interface CompiledPath {
  readonly path: AccessPath;
  /** `undefined` for the whole table. */
  narrow(frame: Frame, catalog: DatabaseCatalog): PromiseOrValue<Narrowed | undefined>;
  /**
   * Keys of an index of which there is one for each record that meets the condition, so that counting them counts those; `undefined` where
   * that can't be said.
   */
  counted(frame: Frame, catalog: DatabaseCatalog): PromiseOrValue<KeyRange | undefined>;
}

/** `where` is the condition of the query. */
export function compilePath(
  path: AccessPath,
  where: Expression | undefined,
  entry: TableEntry,
  compiler: Compiler,
): CompiledPath {
  const narrow = compileNarrow(path, entry, compiler);
  const isExact = where !== undefined && answersAlone(path, where);
  return {
    path,
    narrow: narrow === undefined ? () => undefined : unlessFailing(narrow),
    counted: isExact ? unlessFailing(compileCounted(path, entry, compiler)) : () => undefined,
  };
}

/** Where a value can't be computed the condition or the rule will say what that means, record by record. */
function unlessFailing<T>(
  work: (frame: Frame, catalog: DatabaseCatalog) => PromiseOrValue<T | undefined>,
): (frame: Frame, catalog: DatabaseCatalog) => PromiseOrValue<T | undefined> {
  return (frame, catalog) =>
    otherwise<T | undefined>(
      () => work(frame, catalog),
      (error) => {
        if (isVerdict(error)) return undefined;
        throw error;
      },
    );
}

function compileNarrow(path: AccessPath, entry: TableEntry, compiler: Compiler): CompiledPath['narrow'] | undefined {
  switch (path.kind) {
    case 'table-scan': {
      const { direction } = path;
      return direction && (() => ({ kind: 'table', direction }));
    }
    case 'record-lookup':
      return compileLookup(path, compiler);
    case 'record-range':
      return compileRange(path, entry, compiler);
    case 'index-scan':
      return compileIndexScans([path], entry, compiler, path.direction);
    case 'index-union':
      return compileIndexScans(path.branches, entry, compiler);
  }
}

function compileLookup(path: RecordLookup, compiler: Compiler): CompiledPath['narrow'] {
  const id = compileOperand(path.id, compiler);
  return (frame) => andThen(id(frame), (value): Narrowed => ({ kind: 'record', id: value }));
}

function compileRange(path: RecordRange, { keys }: TableEntry, compiler: Compiler): CompiledPath['narrow'] {
  const from = compileOperand(path.from, compiler);
  const to = compileOperand(path.to, compiler);
  const at = (key: Value) => keys.record(encodeOrder(key));
  return (frame) =>
    andThen(from(frame), (low) =>
      andThen(to(frame), (high): Narrowed => {
        const edges = idEdges(path, path.table, low, high);
        return {
          kind: 'table',
          keys: bounded(keys.records, at, edges),
          ...(path.direction && { direction: path.direction }),
        };
      }),
    );
}

/**
 * The ranges of some scans, and the places where their indexes list what the record doesn't tell. Where one lists any there, nothing comes
 * in order.
 */
function compileIndexScans(
  scans: readonly IndexScan[],
  entry: TableEntry,
  compiler: Compiler,
  direction?: Direction,
): CompiledPath['narrow'] {
  const compiled = scans.map((scan) => compileIndexScan(scan, entry, compiler));
  const indexes = [...new Set(scans.map(({ index }) => index.id))];
  return (frame, { database }) =>
    andThen(
      mapInOrder(compiled, (ranges) => ranges(frame, database.id)),
      (groups): PromiseOrValue<Narrowed | undefined> => {
        const found = groups.filter((ranges) => ranges !== undefined).flat();
        if (groups.includes(undefined)) return undefined;
        const elsewhere = indexes.map((index) =>
          prefixRange(elsewherePrefix(indexPrefix(database.id, entry.definition.id, index))),
        );
        const all = [...found, ...elsewhere];
        if (direction === undefined) return { kind: 'index', ranges: all };
        const { transaction } = frame.execution.unit;
        return andThen(
          mapInOrder(elsewhere, (range) => transaction.count(range)),
          (counts): Narrowed | undefined => {
            if (counts.every((count) => count === 0)) return { kind: 'index', ranges: found, direction };
            return scans.every(isWhole) ? undefined : { kind: 'index', ranges: all };
          },
        );
      },
    );
}

/** Whether an index is walked for nothing but its order. */
function isWhole({ equal, from, to, anyOf }: IndexScan): boolean {
  return equal.length === 0 && from === undefined && to === undefined && anyOf === undefined;
}

type Ranges = (frame: Frame, database: Id) => PromiseOrValue<readonly KeyRange[] | undefined>;

/** The ranges of one scan; `undefined` where what is looked for isn't found by its place in the order of values. */
function compileIndexScan(path: IndexScan, entry: TableEntry, compiler: Compiler): Ranges {
  const operands = compileOperands(path, compiler);
  return (frame, database) => andThen(operands(frame), (values) => rangesOf(path, entry, values, database));
}

/** What the operands of a scan are, once they are known. */
interface OperandValues {
  readonly fixed: readonly Value[];
  readonly from: Value;
  readonly to: Value;
  readonly list: Value;
}

function compileOperands(path: IndexScan, compiler: Compiler): (frame: Frame) => PromiseOrValue<OperandValues> {
  const equal = path.equal.map((operand) => compileOperand(operand, compiler));
  const others = [path.from, path.to, path.anyOf].map((operand) => compileOperand(operand, compiler));
  return (frame) =>
    andThen(
      mapInOrder([...equal, ...others], (evaluate) => evaluate(frame)),
      (values) => {
        const [from, to, list] = values.slice(equal.length);
        return { fixed: values.slice(0, equal.length), from, to, list };
      },
    );
}

function rangesOf(
  path: IndexScan,
  entry: TableEntry,
  { fixed, from, to, list }: OperandValues,
  database: Id,
): readonly KeyRange[] | undefined {
  // A regex equals what it matches, which a bound may stand for as well.
  if ([...fixed, from, to].some(isRegex)) return undefined;
  const start =
    indexPrefix(database, entry.definition.id, path.index.id) + fixed.map((value) => encodeOrder(value)).join('');
  if (path.anyOf === undefined) {
    const isById = fixed.length === path.index.fields.length;
    const edges = isById ? idEdges(path, path.table, from, to) : edgesOf(path, from, to);
    return [bounded(prefixRange(start), (value) => start + encodeOrder(value), edges)];
  }
  const items = list instanceof SetValue ? list.items : list;
  if (!isArray(items) || items.some(isRegex)) return undefined;
  return items.map((item) => prefixRange(start + encodeOrder(item)));
}

/**
 * What an index lists several times are arrays, and each of those as a whole, too; what it can't tell is listed elsewhere. Where it lists
 * neither, each record has one entry.
 */
function compileCounted(path: IndexScan, entry: TableEntry, compiler: Compiler): CompiledPath['counted'] {
  const operands = compileOperands(path, compiler);
  return (frame, { database }) =>
    andThen(operands(frame), (values): PromiseOrValue<KeyRange | undefined> => {
      const { fixed, from, to } = values;
      const wanted = [...fixed, ...(path.from ? [from] : []), ...(path.to ? [to] : [])];
      const [range] = wanted.every(isScalar) ? (rangesOf(path, entry, values, database.id) ?? []) : [];
      if (range === undefined) return undefined;
      const index = indexPrefix(database.id, entry.definition.id, path.index.id);
      const arrays = path.index.fields.map((_, at) =>
        arraysBehind(
          index +
            fixed
              .slice(0, at)
              .map((value) => encodeOrder(value))
              .join(''),
        ),
      );
      const { transaction } = frame.execution.unit;
      return andThen(
        mapInOrder([prefixRange(elsewherePrefix(index)), ...arrays], (others) => transaction.count(others)),
        (counts) => (counts.every((count) => count === 0) ? range : undefined),
      );
    });
}

/** What stands at one place in the order of values, alone. */
function isScalar(value: Value): boolean {
  return typeof value !== 'object' || value instanceof RecordId || value instanceof Datetime || value instanceof Uuid;
}

function isRegex(value: Value): boolean {
  return value instanceof Regex;
}

function compileOperand(operand: Operand | undefined, compiler: Compiler): Evaluate {
  if (operand === undefined) return () => undefined;
  const evaluate = compiler.expression(operand.value);
  return operand.from === 'query' ? evaluate : ({ execution }) => evaluate(new Frame(judgeOf(execution), new Scope()));
}

/** A bound, once its value is known. */
interface Edge {
  readonly value: Value;
  readonly inclusive: boolean;
}

interface Edges {
  readonly from: Edge | undefined;
  readonly to: Edge | undefined;
}

function edgesOf({ from, to }: Bounds, low: Value, high: Value): Edges {
  return {
    from: from && { value: low, inclusive: from.inclusive },
    to: to && { value: high, inclusive: to.inclusive },
  };
}

/** The same among the ids of a table. What isn't the id of a record of it bounds nothing: the condition tells what that means. */
function idEdges({ from, to }: Bounds, table: string, low: Value, high: Value): Edges {
  const edge = (limit: Limit | undefined, id: Value): Edge | undefined =>
    limit !== undefined && id instanceof RecordId && id.table === table && !(id.key instanceof Range)
      ? { value: id.key, inclusive: limit.inclusive }
      : undefined;
  return { from: edge(from, low), to: edge(to, high) };
}

/** Those of the keys whose next value lies between the edges; `at` tells where the keys with a value begin. */
function bounded(all: KeyRange, at: (value: Value) => string, { from, to }: Edges): KeyRange {
  const behind = (value: Value) => prefixRange(at(value)).to;
  return {
    from: from === undefined ? all.from : (from.inclusive ? at : behind)(from.value),
    to: to === undefined ? all.to : (to.inclusive ? behind : at)(to.value),
  };
}
