/**
 * What the fields of a table do to a record that is written: DEFAULT, TYPE, VALUE, ASSERT, READONLY and the fields' own permissions, in the
 * order of the fields' names (`reference/language.md` §8.2).
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { CoercionError, coerce } from '../value/coerce.js';
import { equals } from '../value/order.js';
import { toText } from '../value/text/text.js';
import { isTruthy } from '../value/truthiness.js';
import { isObject, type ObjectValue, Range, type RecordId, type Value } from '../value/value.js';
import { type Evaluate, type Execution, Frame, Scope } from './execution.js';
import { rewriteAt } from './occurrence.js';
import { admits } from './permission.js';
import { checkShape } from './schema.js';
import type { PreparedField, PreparedTable } from './table.js';

export interface FieldChange {
  readonly execution: Execution;
  readonly table: PreparedTable;
  readonly id: RecordId;
  /** The record as it was; `undefined` when it is being created. */
  readonly before: ObjectValue | undefined;
  /** The record as the statement would have it. */
  readonly draft: ObjectValue;
  /** Whether a readonly field that the statement leaves out keeps its value (CONTENT) rather than counting as removed. */
  readonly keepsReadonly: boolean;
}

/** Runs a draft through the fields of its table. */
export function processFields(change: FieldChange): PromiseOrValue<ObjectValue> {
  const { table, draft, before } = change;
  let record: Value = draft;
  const done = forEachInOrder(table.fields, (field) => {
    if (field.name === 'id') {
      checkId(field, change.id);
      return undefined;
    }
    if (!hasParents(field, record)) return undefined;
    const rewritten = rewriteAt(record, [before, draft], field.parts, (value, [old, input]) =>
      settle(field, change, record, value, old, input),
    );
    return andThen(rewritten, (fresh) => {
      record = fresh;
      return undefined;
    });
  });
  return andThen(done, () => {
    const result = record as ObjectValue;
    if (table.entry.definition.schemafull) checkShape(result, table.shape, table.entry.definition.name);
    return result;
  });
}

/** What is declared of `id` is said of the key of the record. */
function checkId(field: PreparedField, id: RecordId): void {
  const { type } = field.definition;
  if (type !== undefined && type.kind !== 'record' && !(id.key instanceof Range)) coerceField(field, id, id.key);
}

/** A field below an absent optional object isn't asked for: `address.city TYPE string` says nothing of records without an address. */
function hasParents(field: PreparedField, record: Value): boolean {
  return field.optionalParents.every((depth) => {
    let value = record;
    for (const part of field.parts.slice(0, depth)) {
      value = part.kind === 'field' && isObject(value) ? value[part.name] : undefined;
    }
    return value !== undefined;
  });
}

function settle(
  field: PreparedField,
  change: FieldChange,
  record: Value,
  supplied: Value,
  old: Value,
  input: Value,
): PromiseOrValue<Value> {
  const { definition } = field;
  const creating = change.before === undefined;
  // Computed fields exist only when they are read; what is supplied for them is ignored.
  if (field.computed !== undefined) return undefined;
  let start = supplied;
  if (definition.readonly && !creating) {
    if (start === undefined && change.keepsReadonly) start = old;
    else if (!equals(start, old)) {
      throw failure('field_readonly', { field: field.name, id: toText(change.id) });
    }
  }
  const evaluate = (expression: Evaluate, value: Value): PromiseOrValue<Value> => {
    const scope = new Scope();
    scope.set('value', value);
    scope.set('input', input);
    scope.set('before', old);
    scope.set('after', value);
    return expression(new Frame(change.execution, scope, record));
  };
  const wantsDefault = start === undefined && (creating || definition.default?.always === true);
  const defaulted = field.default !== undefined && wantsDefault ? evaluate(field.default, undefined) : start;
  return andThen(defaulted, (given) => {
    // A VALUE clause may fill in what is missing; only what is there has to be of the type before it.
    const typed = field.value !== undefined && given === undefined ? given : coerceField(field, change.id, given);
    const valued =
      field.value === undefined
        ? typed
        : andThen(evaluate(field.value, typed), (value) => coerceField(field, change.id, value));
    return andThen(valued, (value) =>
      andThen(assertField(field, change, value, evaluate), () => permitField(field, change, value, old, input)),
    );
  });
}

function coerceField(field: PreparedField, id: RecordId, value: Value): Value {
  const type = field.definition.type;
  if (type === undefined) return value;
  try {
    return coerce(value, type);
  } catch (error) {
    if (error instanceof CoercionError) {
      throw failure('field_coercion', { field: field.name, id: toText(id), reason: error.message });
    }
    throw error;
  }
}

function assertField(
  field: PreparedField,
  change: FieldChange,
  value: Value,
  evaluate: (expression: Evaluate, value: Value) => PromiseOrValue<Value>,
): PromiseOrValue<void> {
  if (field.assert === undefined) return;
  if (value === undefined && field.optional) return;
  return andThen(evaluate(field.assert, value), (verdict) => {
    if (isTruthy(verdict)) return;
    throw failure('field_assert', {
      field: field.name,
      id: toText(change.id),
      value: toText(value),
      condition: field.assertText,
    });
  });
}

/** A value that the principal may not set is dropped when the record is created, and stays as it was when it is changed. */
function permitField(
  field: PreparedField,
  change: FieldChange,
  value: Value,
  old: Value,
  input: Value,
): PromiseOrValue<Value> {
  const creating = change.before === undefined;
  const rule = creating ? field.rules.create : field.rules.update;
  if (!change.execution.checks.edit || rule.kind === 'full' || equals(value, old)) return value;
  const refused = creating ? undefined : old;
  const variables = { value, before: old, after: value, input };
  return andThen(admits(rule, change.execution, change.draft, variables), (allowed) => (allowed ? value : refused));
}
