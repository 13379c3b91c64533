/** INSERT IGNORE and ON DUPLICATE KEY UPDATE: records that collide with others. */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TesseraError } from '../../errors/error.js';
import type { Insert } from '../../language/ast.js';
import { fieldsAssigned } from '../../plan/fields-read.js';
import { findByUniqueIndex } from '../../records/index/maintain.js';
import { listedRecordExists, recordExists } from '../../runtime/authorization/denied-writes.js';
import { type Compiler, Frame } from '../../runtime/frame.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { Scope } from '../../runtime/scope.js';
import { equals } from '../../value/order.js';
import { type ObjectValue, RecordId } from '../../value/value.js';
import { compileAssignments } from './data.js';

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
export function compileOnDuplicate(insert: Insert, compiler: Compiler): CreateOrUpdate | undefined {
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
export function ignoring(
  work: () => PromiseOrValue<WrittenRecord | undefined>,
): PromiseOrValue<WrittenRecord | undefined> {
  return otherwise(work, (error) => {
    if (error instanceof TesseraError && (error.code === 'record_exists' || error.code === 'index_violation')) {
      return undefined;
    }
    throw error;
  });
}
