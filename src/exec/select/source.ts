/** Where the rows of a SELECT, UPDATE or DELETE come from. */
import { andThen, forEachInOrder, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import type { Id } from '../../catalog/definition.js';
import { indexPrefix, prefixRange } from '../../catalog/keys.js';
import { failure } from '../../errors/error.js';
import { elsewherePrefix } from '../../index/entries.js';
import type { Expression, Select } from '../../language/ast.js';
import {
  type AccessPath,
  chooseAccessPath,
  type Direction,
  type IndexScan,
  type Operand,
  type OrderHint,
  type RecordLookup,
} from '../../plan/access-path.js';
import type { KeyRange } from '../../storage/contract.js';
import { encodeOrder } from '../../value/key-codec.js';
import { isArray, RecordId, Regex, SetValue, type Value } from '../../value/value.js';
import { isVerdict } from '../discretion.js';
import { type Compiler, type Evaluate, type Execution, Frame, type Purpose, Scope } from '../execution.js';
import { judgeOf } from '../permission.js';
import type { Target } from '../targets.js';

/** `direction` is there when the rows come in the order that is wanted, or in the opposite one. */
export type RowVisitor = (batch: Value[], direction?: Direction) => PromiseOrValue<boolean | undefined>;

/** How many rows will be taken, if that is known: of any, or of those that come in order. */
export interface Wanted {
  readonly rows?: number | undefined;
  readonly inOrder?: number | undefined;
}

export interface SourceHints {
  readonly where?: Expression | undefined;
  readonly with?: Select['with'] | undefined;
  readonly order?: OrderHint | undefined;
  /** Whether what is done with one row may change the next. */
  readonly writes?: boolean;
}

/** Records that a list names one after the other, to be read together. */
interface Listed {
  readonly kind: 'listed';
  readonly ids: readonly RecordId[];
}

/** Paths by the state of the table's definition, for those who are subject to PERMISSIONS and for others. */
interface ChosenPaths {
  readonly checked: WeakMap<TableEntry, CompiledPath>;
  readonly free: WeakMap<TableEntry, CompiledPath>;
}

/** Walks the rows of targets. One is made for each statement and keeps the access paths that were chosen. */
export class RowSource {
  readonly #compiler: Compiler;
  readonly #hints: SourceHints;
  #paths: ChosenPaths | undefined;

  constructor(compiler: Compiler, hints: SourceHints) {
    this.#compiler = compiler;
    this.#hints = compiler.tuning.indexes ? hints : { ...hints, with: { kind: 'noindex' } };
  }

  /** The path by which a table's rows are found, for EXPLAIN. */
  pathOf(entry: TableEntry, execution: Execution, purpose: Purpose): AccessPath {
    return this.#path(entry, execution, purpose).path;
  }

  /** Hands over the rows target by target; `true` from `visit` ends the walk. */
  walk(
    frame: Frame,
    targets: readonly Target[],
    purpose: Purpose,
    wanted: Wanted,
    visit: RowVisitor,
  ): PromiseOrValue<void> {
    let stopped = false;
    const watch: RowVisitor = (batch, direction) =>
      andThen(visit(batch, direction), (stop) => {
        stopped = stop === true;
        return stopped;
      });
    const size = this.#hints.writes && frame.execution.unit.transaction.writable ? 1 : this.#compiler.tuning.batch;
    return forEachInOrder(gathered(targets, Math.min(size, wanted.rows ?? size)), (target) =>
      andThen(this.#rows(frame, target, purpose, wanted, watch), () => stopped),
    );
  }

  #rows(
    frame: Frame,
    target: Target | Listed,
    purpose: Purpose,
    { rows: limit, inOrder }: Wanted,
    visit: RowVisitor,
  ): PromiseOrValue<unknown> {
    const { execution } = frame;
    switch (target.kind) {
      case 'record':
        return andThen(this.#requireTable(frame, target.id.table), () =>
          andThen(execution.reader.read(execution, target.id, purpose), (record) =>
            record === undefined ? undefined : visit([record]),
          ),
        );
      case 'listed':
        return andThen(execution.reader.readMany(execution, target.ids, purpose), visit);
      case 'range':
        return execution.reader.scan(
          execution,
          { table: target.id.table, range: target.id, purpose, ...(limit !== undefined && { limit }) },
          visit,
        );
      case 'value':
        return target.value === undefined || target.value === null ? undefined : visit([target.value]);
      case 'table':
        return andThen(this.#requireTable(frame, target.table), ({ catalog, entry }) => {
          const compiled = this.#path(entry, execution, purpose);
          return andThen(compiled.narrow(frame, catalog), (narrowed) => {
            if (narrowed?.kind === 'record') return readOne(execution, target.table, narrowed.id, purpose, visit);
            const direction = narrowed?.direction;
            const most = direction === undefined ? limit : inOrder;
            return execution.reader.scan(
              execution,
              {
                table: target.table,
                purpose,
                reverse: direction === 'backward',
                ...(most !== undefined && { limit: most }),
                ...(narrowed?.kind === 'index' && { index: narrowed.ranges }),
              },
              direction === undefined ? visit : (batch) => visit(batch, direction),
            );
          });
        });
    }
  }

  #requireTable(
    frame: Frame,
    name: string,
  ): PromiseOrValue<{ readonly catalog: DatabaseCatalog; readonly entry: TableEntry }> {
    return andThen(frame.execution.unit.catalog(), (catalog) => {
      const entry = catalog?.tables.get(name);
      if (catalog === undefined || entry === undefined) {
        const { namespace, database } = frame.execution.identity.place;
        if (namespace === undefined) throw failure('namespace_empty');
        if (database === undefined) throw failure('database_empty');
        throw failure('table_missing', { name });
      }
      return { catalog, entry };
    });
  }

  #path(entry: TableEntry, { checks, reader }: Execution, purpose: Purpose): CompiledPath {
    // Statements about records alone, which are made by the thousand, never get here.
    this.#paths ??= { checked: new WeakMap(), free: new WeakMap() };
    const paths = checks.view ? this.#paths.checked : this.#paths.free;
    let compiled = paths.get(entry);
    if (compiled === undefined) {
      const path = chooseAccessPath(entry, {
        ...this.#hints,
        rule: checks.view && purpose === 'select' ? entry.definition.permissions.select : undefined,
        mayHide: checks.view ? ({ parts }) => reader.mayHide(entry, parts) : nothingHidden,
      });
      compiled = compilePath(path, entry, this.#compiler);
      paths.set(entry, compiled);
    }
    return compiled;
  }
}

/** The targets, of which those records are joined that a list names one after the other: at most `size` of them. */
function gathered(targets: readonly Target[], size: number): readonly (Target | Listed)[] {
  const [first, ...others] = targets;
  if (others.length === 0 && (first?.kind !== 'record' || !first.listed)) return targets;
  const all: (Target | Listed)[] = [];
  let ids: RecordId[] | undefined;
  for (const target of targets) {
    if (target.kind !== 'record' || !target.listed) {
      ids = undefined;
      all.push(target);
    } else if (ids === undefined || ids.length >= size) {
      ids = [target.id];
      all.push({ kind: 'listed', ids });
    } else {
      ids.push(target.id);
    }
  }
  return all;
}

/** Hands over the one record whose id the condition names; whatever isn't the id of a record of the table names none. */
function readOne(
  execution: Execution,
  table: string,
  id: Value,
  purpose: Purpose,
  visit: RowVisitor,
): PromiseOrValue<unknown> {
  if (!(id instanceof RecordId) || id.table !== table) return undefined;
  return andThen(execution.reader.read(execution, id, purpose), (record) =>
    record === undefined ? undefined : visit([record]),
  );
}

const nothingHidden = (): boolean => false;

/** The part of a table that holds everything that can meet the condition. */
type Narrowed =
  | { readonly kind: 'record'; readonly id: Value }
  | { readonly kind: 'table'; readonly direction: Direction }
  /** Of the keys of an index. */
  | { readonly kind: 'index'; readonly ranges: readonly KeyRange[]; readonly direction?: Direction };

interface CompiledPath {
  readonly path: AccessPath;
  /** `undefined` for the whole table. */
  narrow(frame: Frame, catalog: DatabaseCatalog): PromiseOrValue<Narrowed | undefined>;
}

function compilePath(path: AccessPath, entry: TableEntry, compiler: Compiler): CompiledPath {
  const narrow = compileNarrow(path, entry, compiler);
  if (narrow === undefined) return { path, narrow: () => undefined };
  return {
    path,
    // Where a value can't be computed the condition or the rule will say what that means, record by record.
    narrow: (frame, catalog) =>
      otherwise<Narrowed | undefined>(
        () => narrow(frame, catalog),
        (error) => {
          if (isVerdict(error)) return undefined;
          throw error;
        },
      ),
  };
}

function compileNarrow(path: AccessPath, entry: TableEntry, compiler: Compiler): CompiledPath['narrow'] | undefined {
  switch (path.kind) {
    case 'table-scan': {
      const { direction } = path;
      return direction && (() => ({ kind: 'table', direction }));
    }
    case 'record-lookup':
      return compileLookup(path, compiler);
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
  const equal = path.equal.map((operand) => compileOperand(operand, compiler));
  const others = [path.from, path.to, path.anyOf].map((operand) => compileOperand(operand, compiler));
  return (frame, database) =>
    andThen(
      mapInOrder([...equal, ...others], (evaluate) => evaluate(frame)),
      (values) => {
        const fixed = values.slice(0, equal.length);
        const [from, to, list] = values.slice(equal.length);
        // A regex equals what it matches.
        if (fixed.some(isRegex)) return undefined;
        const start =
          indexPrefix(database, entry.definition.id, path.index.id) + fixed.map((value) => encodeOrder(value)).join('');
        if (path.anyOf === undefined) return [bounded(start, path, from, to)];
        const items = list instanceof SetValue ? list.items : list;
        if (!isArray(items) || items.some(isRegex)) return undefined;
        return items.map((item) => prefixRange(start + encodeOrder(item)));
      },
    );
}

function isRegex(value: Value): boolean {
  return value instanceof Regex;
}

function compileOperand(operand: Operand | undefined, compiler: Compiler): Evaluate {
  if (operand === undefined) return () => undefined;
  const evaluate = compiler.expression(operand.value);
  return operand.from === 'query' ? evaluate : ({ execution }) => evaluate(new Frame(judgeOf(execution), new Scope()));
}

/** The keys below `fixed` whose next value lies between the bounds. */
function bounded(fixed: string, path: IndexScan, from: Value, to: Value): KeyRange {
  const all = prefixRange(fixed);
  const below = (value: Value) => fixed + encodeOrder(value);
  return {
    from: path.from === undefined ? all.from : path.from.inclusive ? below(from) : prefixRange(below(from)).to,
    to: path.to === undefined ? all.to : path.to.inclusive ? prefixRange(below(to)).to : below(to),
  };
}
