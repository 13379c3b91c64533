/** INSERT: many records at once, from objects or from rows of values, as records or as edges. */
import { andThen, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { viewSources } from '../../catalog/definitions/catalog-draft.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../../catalog/definitions/definition.js';
import { ensureTable } from '../../ddl/define/ensure-table.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Expression, Insert } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { fieldsAssigned } from '../../plan/fields-read.js';
import { setPath } from '../../query/expression/assign.js';
import { compileTimeout } from '../../query/statement/timeout.js';
import { findByUniqueIndex } from '../../records/index/maintain.js';
import { mapPrefetched, type RecordReads } from '../../records/prefetch.js';
import { listedRecordExists, recordExists } from '../../runtime/authorization/denied-writes.js';
import type { Execution } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { Scope } from '../../runtime/scope.js';
import { equals } from '../../value/order.js';
import { withField } from '../../value/paths.js';
import { toErrorText } from '../../value/text/text.js';
import {
  isArray,
  isObject,
  newObject,
  type ObjectValue,
  Range,
  RecordId,
  Table,
  type Value,
} from '../../value/value.js';
import { isKeyValue, randomId, recordIdIn } from './create.js';
import { compileAssignments } from './data.js';
import { answerWritten, compileOutput } from './output.js';
import { isEnforced, writeEdge } from './relate.js';

export function compileInsert(insert: Insert, compiler: Compiler): Evaluate {
  const into = insert.into && compileInto(insert.into, compiler);
  const rows = compileRows(insert, compiler);
  const createOrUpdate = compileOnDuplicate(insert, compiler);
  const output = compileOutput(insert.output, 'after', compiler);

  const insertOne = (
    frame: Frame,
    table: string | undefined,
    given: ObjectValue,
    drawn: RecordId | undefined,
  ): PromiseOrValue<WrittenRecord | undefined> => {
    const { execution } = frame;
    const id = drawn ?? idOf(given, table, execution);
    const row = withField(given, 'id', id);
    return andThen(ensureTarget(execution, id), (takes) => {
      if (!takes) return undefined;
      const create = () => {
        const options = { inputless: true };
        if (!insert.relation) return execution.services.writer.create(execution, id, () => row, options);
        return writeEdge(execution, id, { start: endOf(row, 'in'), end: endOf(row, 'out') }, () => () => row, options);
      };
      if (createOrUpdate === undefined) {
        if (!insert.relation) return create();
        // An existing edge isn't changed; without the right to create it there is no error.
        return andThen(execution.services.writer.exists(execution, id), (there) =>
          there
            ? execution.services.writer.create(execution, id, () => row, { inputless: true, edge: true })
            : create(),
        );
      }
      return createOrUpdate(frame, { given, row, id }, create);
    });
  };

  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(into === undefined ? undefined : into(frame), (table) =>
      andThen(rows(frame), (found) => {
        const drawn: (RecordId | undefined)[] = [];
        const readsOf = (batch: readonly ObjectValue[], catalog: DatabaseCatalog) => {
          const ids = batch.map((row) => idIfValid(row, table, frame.execution));
          drawn.push(...ids);
          return readsOfTargets(catalog, batch, ids, insert.relation);
        };
        const written = mapPrefetched(frame.execution, found, readsOf, (row, at) =>
          insert.ignore
            ? ignoring(() => insertOne(frame, table, row, drawn[at]))
            : insertOne(frame, table, row, drawn[at]),
        );
        return andThen(written, (all) => answerWritten(frame, all, output, false));
      }),
    );
  return compileTimeout(insert.timeout, compiler, run);
}

/**
 * Returns whether the table accepts the insert. A view accepts from an import only records that can't be rebuilt from
 * the sources, and none at all if its sources keep their records.
 */
function ensureTarget(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  const exists = ensureTable(execution, id.table);
  if (!execution.importing) return exists;
  return andThen(exists, (there) =>
    andThen(execution.context.catalog(), (catalog) => {
      const definition = catalog?.tables.get(id.table)?.definition;
      if (!there || catalog === undefined || definition?.view === undefined) return there;
      if (isBuilt(catalog, definition)) return false;
      return andThen(execution.services.writer.exists(execution, id), (has) => !has);
    }),
  );
}

/** Whether all that a view reads is known to keep its records, so that the view can be built from them. */
function isBuilt({ tables }: DatabaseCatalog, view: TableDefinition): boolean {
  return viewSources(view).every((source) => tables.get(source)?.definition.drop === false);
}

function compileInto(into: Expression, compiler: Compiler): (frame: Frame) => PromiseOrValue<string> {
  if (into.kind === 'table') return () => into.name;
  const evaluate = compiler.expression(into);
  return (frame) =>
    andThen(evaluate(frame), (value) => {
      if (value instanceof Table) return value.name;
      if (typeof value === 'string') return value;
      throw failure('invalid_target', { statement: 'INSERT', value: printExpression(into) });
    });
}

function compileRows(
  { data, into }: Insert,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<readonly ObjectValue[]> {
  if (data.kind === 'value') {
    const isInto = into !== undefined;
    const value = compiler.expression(data.value);
    return (frame) => andThen(value(frame), (given) => objectsIn(given, isInto));
  }
  const rows = data.rows.map((row) => row.map((expression) => compiler.expression(expression)));
  return (frame) =>
    mapInOrder(rows, (row) =>
      andThen(
        mapInOrder(row, (evaluate) => evaluate(frame)),
        (values) =>
          data.fields.reduce<PromiseOrValue<ObjectValue>>(
            (record, field, at) => andThen(record, (built) => setPath(built, field, values[at], frame)),
            newObject(),
          ),
      ),
    );
}

function objectsIn(value: Value, isInto: boolean): readonly ObjectValue[] {
  if (isObject(value)) return [value];
  if (isArray(value)) {
    return value.map((item) => {
      if (isObject(item)) return item;
      if (!isInto) throw failure('insert_property', { property: 'id', value: toErrorText(undefined) });
      throw failure('invalid_merge', { value: toErrorText(item) });
    });
  }
  throw failure('invalid_target', { statement: 'INSERT', value: toErrorText(value) });
}

/** With INTO a bare key will do; without, the record says by its `id` where it belongs. */
function idOf(row: ObjectValue, table: string | undefined, execution: Execution): RecordId {
  const { id } = row;
  if (table === undefined) {
    if (id instanceof RecordId) return recordIdIn(row, id.table) ?? id;
    throw failure('insert_property', { property: 'id', value: toErrorText(id) });
  }
  if (id !== undefined && !(id instanceof RecordId) && !isKeyValue(id)) {
    throw failure('insert_property', { property: 'id', value: toErrorText(id) });
  }
  return recordIdIn(row, table) ?? randomId(execution, table);
}

/** The same ahead of the row itself, which reports its errors later. */
function idIfValid(row: ObjectValue, table: string | undefined, execution: Execution): RecordId | undefined {
  try {
    return idOf(row, table, execution);
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

/**
 * Whether a record is there, and who holds its unique values; for an edge also whether there is something at its ends.
 */
function readsOfTargets(
  catalog: DatabaseCatalog,
  rows: readonly ObjectValue[],
  ids: readonly (RecordId | undefined)[],
  isRelation: boolean,
): RecordReads {
  const ends = rows.flatMap((row, at) => {
    const id = ids[at];
    return isRelation && id !== undefined && isEnforced(catalog, id.table) ? [row['in'], row['out']] : [];
  });
  return {
    records: [...ids, ...ends].filter((id) => id instanceof RecordId),
    claims: rows.flatMap((record, at) => {
      const id = ids[at];
      return id === undefined ? [] : [{ table: id.table, record: withField(record, 'id', id) as ObjectValue }];
    }),
  };
}

function endOf(row: ObjectValue, property: 'in' | 'out'): RecordId {
  const end = row[property];
  if (end instanceof RecordId && !(end.key instanceof Range)) return end;
  throw failure('insert_property', { property, value: toErrorText(end) });
}

// INSERT IGNORE and ON DUPLICATE KEY UPDATE: records that collide with others.

/** A record to insert: as it was given, and with its id. */
interface InsertedRow {
  readonly given: ObjectValue;
  readonly row: ObjectValue;
  readonly id: RecordId;
}

type CreateOrUpdate = (
  frame: Frame,
  inserted: InsertedRow,
  create: () => PromiseOrValue<WrittenRecord | undefined>,
) => PromiseOrValue<WrittenRecord | undefined>;

/** Compiles either clause; `undefined` without them: then a record that collides is an error. */
function compileOnDuplicate(insert: Insert, compiler: Compiler): CreateOrUpdate | undefined {
  const { onDuplicate, relation } = insert;
  if (!insert.ignore && onDuplicate === undefined) return undefined;
  const update = onDuplicate && compileAssignments(onDuplicate, compiler);
  const reads = fieldsAssigned(onDuplicate ?? []);
  return (frame, { given, row, id }, create) => {
    const { execution } = frame;
    return andThen(duplicateOf(frame, id, row), (duplicate) => {
      if (duplicate === undefined) return create();
      // Errors in a record come before the error that it exists.
      if (update === undefined) return relation || !equals(duplicate, id) ? undefined : create();
      // The statement means the named record, not the holder of its unique values; creating it fails with that error.
      if (given['id'] !== undefined && !equals(duplicate, id)) return create();
      return andThen(execution.services.reader.read(execution, duplicate, 'update', reads), (seen) => {
        if (seen === undefined) return undefined;
        const scope = new Scope(frame.scope);
        scope.set('input', given);
        const inner = new Frame(execution, scope, seen, frame);
        return execution.services.writer.update(execution, duplicate, update(inner), {}, seen);
      });
    });
  };
}

/** The record that collides with a new one: the one with its id, or the holder of its unique values. */
function duplicateOf(frame: Frame, id: RecordId, row: ObjectValue): PromiseOrValue<RecordId | undefined> {
  const { execution } = frame;
  return andThen(recordExists(execution, id), (exists) => {
    if (exists) return id;
    return andThen(execution.context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(id.table);
      if (catalog === undefined || entry === undefined) return undefined;
      return andThen(findByUniqueIndex(execution.context.transaction, entry, row), (key) => {
        if (key === undefined) return undefined;
        const holder = new RecordId(id.table, key);
        return andThen(listedRecordExists(execution, holder), (there) => (there ? holder : undefined));
      });
    });
  });
}

/**
 * With IGNORE a record that collides with another is left out; what its fields compute may collide only when it is
 * written.
 */
function ignoring(work: () => PromiseOrValue<WrittenRecord | undefined>): PromiseOrValue<WrittenRecord | undefined> {
  return otherwise(work, (error) => {
    if (error instanceof TesseraError && (error.code === 'record_exists' || error.code === 'index_violation')) {
      return undefined;
    }
    throw error;
  });
}
