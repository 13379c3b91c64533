/** Where the rows of a SELECT, UPDATE or DELETE come from. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { forEachInSteps, type Pausing } from '../../base/steps.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import { failure } from '../../errors/error.js';
import type { Expression, Select } from '../../language/ast.js';
import { type AccessPath, chooseAccessPath, type Direction, type OrderHint } from '../../plan/access-path.js';
import { ALL_FIELDS, type FieldsRead } from '../../plan/fields-read.js';
import type { KeyRange } from '../../storage/contract.js';
import { RecordId, type Value } from '../../value/value.js';
import type { Compiler, Execution, Frame, Purpose } from '../execution.js';
import { pace, pausingOf } from '../pace.js';
import type { Target } from '../targets.js';
import { type CompiledPath, compilePath } from './compiled-path.js';

/** `direction` is there when the rows come in the order that is wanted, or in the opposite one. */
export type RowVisitor = (batch: readonly Value[], direction?: Direction) => PromiseOrValue<boolean | undefined>;

/** How many rows will be taken, if that is known: of any, or of those that come in order. */
export interface Wanted {
  readonly rows?: number | undefined;
  readonly inOrder?: number | undefined;
}

export interface SourceHints {
  readonly where?: Expression | undefined;
  readonly with?: Select['with'] | undefined;
  readonly order?: OrderHint | undefined;
  /** What is read of the rows; everything if absent. */
  readonly fields?: FieldsRead | undefined;
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
  readonly #fields: FieldsRead;
  #paths: ChosenPaths | undefined;

  constructor(compiler: Compiler, hints: SourceHints) {
    this.#compiler = compiler;
    this.#fields = hints.fields ?? ALL_FIELDS;
    this.#hints = compiler.tuning.indexes ? hints : { ...hints, with: { kind: 'noindex' } };
  }

  /** The path by which a table's rows are found, for EXPLAIN. */
  pathOf(entry: TableEntry, execution: Execution, purpose: Purpose): AccessPath {
    return this.#path(entry, execution, purpose).path;
  }

  /** The keys of an index whose number is that of the rows of a table; `undefined` where only the rows tell. */
  countedRange(frame: Frame, catalog: DatabaseCatalog, entry: TableEntry): PromiseOrValue<KeyRange | undefined> {
    return this.#path(entry, frame.execution, 'select').counted(frame, catalog);
  }

  /** The record of an id, as it may be seen. @throws TesseraError `table_missing` */
  record({ execution }: Frame, id: RecordId, purpose: Purpose): PromiseOrValue<Value> {
    return andThen(this.#requireTable(execution, id.table), () =>
      execution.reader.read(execution, id, purpose, this.#fields),
    );
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
    const [only] = targets;
    if (only !== undefined && targets.length === 1 && isStored(only)) {
      return andThen(this.#rows(frame, only, purpose, wanted, visit), () => undefined);
    }
    const size = this.#hints.writes && frame.execution.unit.transaction.writable ? 1 : this.#compiler.tuning.batch;
    const { execution } = frame;
    const visitEach = (found: readonly (Target | Listed)[]) =>
      forEachInOrder(found, (target) => {
        const turn = target.kind === 'value' ? pace(execution) : undefined;
        return andThen(turn, () => andThen(this.#rows(frame, target, purpose, wanted, watch), () => stopped));
      });
    return andThen(gathered(targets, Math.min(size, wanted.rows ?? size), pausingOf(execution)), visitEach);
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
        return andThen(this.record(frame, target.id, purpose), (record) =>
          record === undefined ? undefined : visit([record]),
        );
      case 'listed':
        return andThen(execution.reader.readMany(execution, target.ids, purpose, this.#fields), visit);
      case 'range':
        return execution.reader.scan(
          execution,
          {
            table: target.id.table,
            range: target.id,
            purpose,
            fields: this.#fields,
            ...(limit !== undefined && { limit }),
          },
          visit,
        );
      case 'value':
        return target.value === undefined || target.value === null ? undefined : visit([target.value]);
      case 'table':
        return andThen(this.#requireTable(execution, target.table), ({ catalog, entry }) => {
          const compiled = this.#path(entry, execution, purpose);
          return andThen(compiled.narrow(frame, catalog), (narrowed) => {
            if (narrowed?.kind === 'record') return this.#readOne(frame, target.table, narrowed.id, purpose, visit);
            const direction = narrowed?.direction;
            const most = direction === undefined ? limit : inOrder;
            return execution.reader.scan(
              execution,
              {
                table: target.table,
                purpose,
                fields: this.#fields,
                reverse: direction === 'backward',
                ...(most !== undefined && { limit: most }),
                ...(narrowed?.kind === 'index' && { index: narrowed.ranges }),
                ...(narrowed?.kind === 'table' && narrowed.keys && { keys: narrowed.keys }),
              },
              direction === undefined ? visit : (batch) => visit(batch, direction),
            );
          });
        });
    }
  }

  /** Hands over the one record whose id the condition names; whatever isn't the id of a record of the table names none. */
  #readOne(
    { execution }: Frame,
    table: string,
    id: Value,
    purpose: Purpose,
    visit: RowVisitor,
  ): PromiseOrValue<unknown> {
    if (!(id instanceof RecordId) || id.table !== table) return undefined;
    return andThen(execution.reader.read(execution, id, purpose, this.#fields), (record) =>
      record === undefined ? undefined : visit([record]),
    );
  }

  #requireTable(
    { unit, identity }: Execution,
    name: string,
  ): PromiseOrValue<{ readonly catalog: DatabaseCatalog; readonly entry: TableEntry }> {
    return andThen(unit.catalog(), (catalog) => {
      const entry = catalog?.tables.get(name);
      if (catalog === undefined || entry === undefined) {
        const { namespace, database } = identity.place;
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
      compiled = compilePath(path, this.#hints.where, entry, this.#compiler);
      paths.set(entry, compiled);
    }
    return compiled;
  }
}

/** Whether a target is no member of a list. */
function isStored(target: Target): boolean {
  return target.kind === 'table' || target.kind === 'range' || (target.kind === 'record' && target.listed !== true);
}

/** The targets, of which those records are joined that a list names one after the other: at most `size` of them. */
function gathered(
  targets: readonly Target[],
  size: number,
  pausing: Pausing,
): PromiseOrValue<readonly (Target | Listed)[]> {
  const all: (Target | Listed)[] = [];
  let ids: RecordId[] | undefined;
  const done = forEachInSteps(targets, pausing, (target) => {
    if (target.kind !== 'record' || !target.listed) {
      ids = undefined;
      all.push(target);
    } else if (ids === undefined || ids.length >= size) {
      ids = [target.id];
      all.push({ kind: 'listed', ids });
    } else {
      ids.push(target.id);
    }
  });
  return andThen(done, () => all);
}

const nothingHidden = (): boolean => false;
