/**
 * ON DELETE: what happens to records that refer to a deleted one, or to a deleted file. Those that refer to a renamed
 * file follow it.
 */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Reference } from '../language/ast.js';
import { readOfField } from '../plan/fields-read.js';
import { withDefinerRightsCap } from '../runtime/authorization/definer-rights-cap.js';
import { isQueryError, isSafeToExpose } from '../runtime/authorization/error-redaction.js';
import { UNCHECKED } from '../runtime/authorization/permission.js';
import { deeperByWrite } from '../runtime/depth.js';
import type { Execution, ReferenceClauses } from '../runtime/execution.js';
import { Frame } from '../runtime/frame.js';
import type { Referent, Referrer } from '../runtime/links.js';
import { Scope } from '../runtime/scope.js';
import { equals, setFrom } from '../value/order.js';
import { withField } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import {
  type ArrayValue,
  type FileReference,
  isArray,
  type ObjectValue,
  RecordId,
  SetValue,
  type Value,
} from '../value/value.js';
import { forgetReferrers, referredBy, referrersAt, topName } from './references.js';
import type { PreparedField, TablePreparer } from './table.js';

type Action = (
  execution: Execution,
  deleted: Referent,
  referrer: Referrer,
  field: PreparedField,
) => PromiseOrValue<unknown>;

const ACTIONS: Readonly<Record<Reference['onDelete'], Action>> = {
  ignore: () => undefined,
  // References that reject have been checked; only a record that refers to itself is left.
  reject: () => undefined,
  cascade: (execution, _, { id }) => execution.services.writer.delete(execution, id),
  unset: (execution, deleted, referrer) => exchange(execution, referrer, deleted, undefined),
  then: (execution, deleted, { id }, { onDelete }) => {
    const scope = new Scope();
    scope.set('reference', deleted);
    return onDelete?.(new Frame(execution, scope, id));
  },
};

/** The clauses of all fields that refer to what is deleted: records, or files. */
export class OnDelete implements ReferenceClauses {
  readonly #tables: TablePreparer;

  constructor(tables: TablePreparer) {
    this.#tables = tables;
  }

  check(execution: Execution, deleted: Referent): PromiseOrValue<void> {
    return andThen(referrersAt(execution, deleted, []), (referrers) => {
      if (referrers.length === 0) return;
      return forEachInOrder(referrers, (referrer) =>
        andThen(this.#fieldOf(execution, referrer), (field) => {
          const isRejecting = field?.definition.reference?.onDelete === 'reject' && !equals(referrer.id, deleted);
          return isRejecting ? reject(execution, deleted, referrer) : undefined;
        }),
      );
    });
  }

  settle(execution: Execution, deleted: Referent): PromiseOrValue<void> {
    const settled = this.#forReferrers(execution, deleted, (inner, referrer, field) => {
      const action = field.definition.reference?.onDelete;
      return action && ACTIONS[action](inner, deleted, referrer, field);
    });
    // What still names a file after that refers to the one that may be put there later.
    return andThen(settled, (found) =>
      found && deleted instanceof RecordId ? forgetReferrers(execution, deleted) : undefined,
    );
  }

  follow(execution: Execution, renamed: FileReference, target: FileReference): PromiseOrValue<void> {
    const followed = this.#forReferrers(execution, renamed, (inner, referrer) =>
      exchange(inner, referrer, renamed, target),
    );
    return andThen(followed, () => undefined);
  }

  /** Acts on what refers to something, for the schema. Returns whether there was anything. */
  #forReferrers(
    execution: Execution,
    of: Referent,
    act: (execution: Execution, referrer: Referrer, field: PreparedField) => PromiseOrValue<unknown>,
  ): PromiseOrValue<boolean> {
    return andThen(referrersAt(execution, of, []), (referrers) => {
      if (referrers.length === 0) return false;
      const inner: Execution = { ...deeperByWrite(withDefinerRightsCap(execution)), checks: UNCHECKED };
      const done = otherwise(
        () => forEachInOrder(referrers, (referrer) => andThen(this.#act(inner, referrer, act), () => undefined)),
        (error) => {
          if (!isQueryError(error)) throw error;
          const reason = execution.checks.view && !isSafeToExpose(error) ? 'it failed' : error.message;
          throw failure('references_failed', { id: toText(of), reason }, { cause: error });
        },
      );
      return andThen(done, () => true);
    });
  }

  #act(
    execution: Execution,
    referrer: Referrer,
    act: (execution: Execution, referrer: Referrer, field: PreparedField) => PromiseOrValue<unknown>,
  ): PromiseOrValue<unknown> {
    return andThen(this.#fieldOf(execution, referrer), (field) => {
      if (field === undefined) return;
      // One that refers by two fields, or that another has deleted, may be gone by now.
      return andThen(execution.services.writer.exists(execution, referrer.id), (exists) =>
        exists ? act(execution, referrer, field) : undefined,
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
function reject(execution: Execution, deleted: Referent, { id: by, field }: Referrer): PromiseOrValue<never> {
  const isSeen =
    !execution.checks.view ||
    andThen(execution.services.reader.read(execution, by, 'select', readOfField(field)), (record) =>
      referredBy(record?.[field]).some((each) => equals(each, deleted)),
    );
  return andThen(isSeen, (seen) => {
    throw failure('record_referenced', { id: toText(deleted), ...(seen && { by: toText(by) }) });
  });
}

/** The record refers to `target` in the place of `old`, or to nothing there. */
function exchange(
  execution: Execution,
  { id, field }: Referrer,
  old: Referent,
  target: FileReference | undefined,
): PromiseOrValue<unknown> {
  return execution.services.writer.update(
    execution,
    id,
    (before = {}) => withField(before, field, exchanged(before[field], old, target)) as ObjectValue,
  );
}

function exchanged(value: Value, old: Referent, target: FileReference | undefined): Value {
  const put = target === undefined ? [] : [target];
  const inItems = (items: ArrayValue) => items.flatMap((item): ArrayValue => (equals(item, old) ? put : [item]));
  if (isArray(value)) return inItems(value);
  if (value instanceof SetValue) return setFrom(inItems(value.items));
  return equals(value, old) ? target : value;
}
