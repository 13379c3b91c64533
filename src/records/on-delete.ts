/** ON DELETE: what happens to records that refer to a deleted one. */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Reference } from '../language/ast.js';
import { readOfField } from '../plan/fields-read.js';
import { withDefinerRightsCap } from '../runtime/authorization/definer-rights-cap.js';
import { isQueryError, isSafeToExpose } from '../runtime/authorization/error-redaction.js';
import { UNCHECKED } from '../runtime/authorization/permission.js';
import { deeperByWrite } from '../runtime/depth.js';
import type { Execution } from '../runtime/execution.js';
import { Frame } from '../runtime/frame.js';
import type { Referrer } from '../runtime/links.js';
import { Scope } from '../runtime/scope.js';
import { equals } from '../value/order.js';
import { withField } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import { isArray, type ObjectValue, RecordId, SetValue, type Value } from '../value/value.js';
import { forgetReferrers, referredBy, referrersAt, topName } from './references.js';
import type { PreparedField, TablePreparer } from './table.js';

type Action = (
  execution: Execution,
  deleted: RecordId,
  referrer: Referrer,
  field: PreparedField,
) => PromiseOrValue<unknown>;

const ACTIONS: Readonly<Record<Reference['onDelete'], Action>> = {
  ignore: () => undefined,
  // References that reject have been checked; only a record that refers to itself is left.
  reject: () => undefined,
  cascade: (execution, _, { id }) => execution.services.writer.delete(execution, id),
  unset: (execution, deleted, { id, field }) =>
    execution.services.writer.update(
      execution,
      id,
      (before = {}) => withField(before, field, without(before[field], deleted)) as ObjectValue,
    ),
  then: (execution, deleted, { id }, { onDelete }) => {
    const scope = new Scope();
    scope.set('reference', deleted);
    return onDelete?.(new Frame(execution, scope, id));
  },
};

/** The clauses of all fields that refer to the records a writer deletes. */
export class OnDelete {
  readonly #tables: TablePreparer;

  constructor(tables: TablePreparer) {
    this.#tables = tables;
  }

  /** @throws TesseraError `record_referenced` when another record's field rejects it */
  check(execution: Execution, id: RecordId): PromiseOrValue<void> {
    return andThen(referrersAt(execution, id, []), (referrers) => {
      if (referrers.length === 0) return;
      return forEachInOrder(referrers, (referrer) =>
        andThen(this.#fieldOf(execution, referrer), (field) => {
          const isRejecting = field?.definition.reference?.onDelete === 'reject' && !equals(referrer.id, id);
          return isRejecting ? reject(execution, id, referrer) : undefined;
        }),
      );
    });
  }

  /**
   * Applies the clauses after the record was deleted. It runs like events do, with permissions off, since the owner of
   * the schema defined them.
   * @throws TesseraError `references_failed`
   */
  settle(execution: Execution, id: RecordId): PromiseOrValue<void> {
    return andThen(referrersAt(execution, id, []), (referrers) => {
      if (referrers.length === 0) return;
      const inner: Execution = { ...deeperByWrite(withDefinerRightsCap(execution)), checks: UNCHECKED };
      const settled = otherwise(
        () => forEachInOrder(referrers, (referrer) => andThen(this.#act(inner, id, referrer), () => undefined)),
        (error) => {
          if (!isQueryError(error)) throw error;
          const reason = execution.checks.view && !isSafeToExpose(error) ? 'it failed' : error.message;
          throw failure('references_failed', { id: toText(id), reason }, { cause: error });
        },
      );
      return andThen(settled, () => forgetReferrers(execution, id));
    });
  }

  #act(execution: Execution, deleted: RecordId, referrer: Referrer): PromiseOrValue<unknown> {
    return andThen(this.#fieldOf(execution, referrer), (field) => {
      const action = field?.definition.reference?.onDelete;
      if (field === undefined || action === undefined) return;
      // One that refers by two fields, or that another has deleted, may be gone by now.
      return andThen(execution.services.writer.exists(execution, referrer.id), (exists) =>
        exists ? ACTIONS[action](execution, deleted, referrer, field) : undefined,
      );
    });
  }

  #fieldOf({ context }: Execution, { id, field }: Referrer): PromiseOrValue<PreparedField | undefined> {
    return andThen(context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(id.table);
      const isMeant = ({ definition }: PreparedField) =>
        definition.reference !== undefined && topName(definition) === field;
      return entry && this.#tables.prepare(entry).fields.find(isMeant);
    });
  }
}

/** The error names the referring record only if the principal can see the reference. */
function reject(execution: Execution, id: RecordId, { id: by, field }: Referrer): PromiseOrValue<never> {
  const isSeen =
    !execution.checks.view ||
    andThen(execution.services.reader.read(execution, by, 'select', readOfField(field)), (record) =>
      referredBy(record?.[field]).some((each) => equals(each, id)),
    );
  return andThen(isSeen, (seen) => {
    throw failure('record_referenced', { id: toText(id), ...(seen && { by: toText(by) }) });
  });
}

function without(value: Value, id: RecordId): Value {
  if (isArray(value)) return value.filter((item) => !equals(item, id));
  if (value instanceof SetValue) return new SetValue(value.items.filter((item) => !equals(item, id)));
  return value instanceof RecordId && equals(value, id) ? undefined : value;
}
