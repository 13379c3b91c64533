/**
 * What the fields of a table do to a record that is written: DEFAULT, TYPE, VALUE, ASSERT, READONLY and the fields' own
 * permissions, in the order of the fields' names (`reference/language.md` §8.2).
 */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { ErrorCode } from '../errors/catalogue.js';
import { failure, type TesseraError } from '../errors/error.js';
import { NO_FIELDS } from '../plan/fields-read.js';
import type { DeniedWrite } from '../runtime/audit-recorder.js';
import { withDefinerRightsCap } from '../runtime/authorization/definer-rights-cap.js';
import { denyWrite, skipWrite } from '../runtime/authorization/denied-writes.js';
import { isQueryError, isSafeToExpose } from '../runtime/authorization/error-redaction.js';
import { admits } from '../runtime/authorization/permission.js';
import { deeperByWrite, withStackGuard } from '../runtime/depth.js';
import type { Execution } from '../runtime/execution.js';
import { type Evaluate, Frame } from '../runtime/frame.js';
import { Scope } from '../runtime/scope.js';
import { equals } from '../value/order.js';
import { withField } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import { isTruthy } from '../value/truthiness.js';
import { type ObjectValue, Range, type RecordId, type Value } from '../value/value.js';
import { addWalked } from '../value/walk.js';
import { coerceField } from './coerce-field.js';
import { assertDeclared } from './declared-fields.js';
import type { ElementNumbers } from './element-numbers.js';
import { keepEmptied } from './hidden.js';
import { mayHide } from './mask.js';
import { type PathRewrite, rewriteAtPath } from './path-rewrite.js';
import type { PreparedField, PreparedTable } from './table.js';

export interface FieldChange {
  readonly execution: Execution;
  readonly table: PreparedTable;
  readonly id: RecordId;
  /** The record as it was; `undefined` when it is being created. */
  readonly before: ObjectValue | undefined;
  /** The record as the statement would have it. */
  readonly draft: ObjectValue;
  /** Where elements of arrays in the draft come from. */
  readonly origins: ElementNumbers;
  /**
   * Whether a readonly field that the statement leaves out keeps its value (CONTENT) rather than counting as removed.
   */
  readonly keepsReadonly: boolean;
}

/** Work for each declared field, in values visited. */
const WALKED_PER_FIELD = 16;

/** Runs a draft through the fields of its table. */
export function processFields(given: FieldChange): PromiseOrValue<ObjectValue> {
  const { table, before } = given;
  const only = given.execution.checks.edit ? table.mask?.only : undefined;
  const draft = only === undefined ? given.draft : withOpenFields(given, only);
  const change: FieldChange = draft === given.draft ? given : { ...given, draft };
  let record: Value = draft;
  addWalked(WALKED_PER_FIELD * table.fields.length);
  const done = forEachInOrder(table.fields, (field) => {
    if (field.name === 'id') {
      checkId(field, change.id);
      return undefined;
    }
    const { parts, optionalParents } = field;
    const places: PathRewrite = {
      parts,
      optionalParents,
      keeps: isGuarded(field, change),
      origins: change.origins,
      execution: change.execution,
      rewrite: (value, [old, input], isAsked) =>
        isAsked
          ? settle(field, change, record, value, old, input)
          : // Its parent is gone: what may not be changed may not be removed that way either.
            permitField(field, change, value, old, input),
    };
    const rewritten = () => rewriteAtPath(record, [before, draft], places);
    return andThen(redacting(field, change, rewritten), (fresh) => {
      record = fresh;
      return undefined;
    });
  });
  return andThen(done, () => {
    const result = withEmptied(change, record as ObjectValue);
    if (table.entry.definition.schemafull) assertDeclared(result, table.shape, table.entry.definition.name);
    return result;
  });
}

/** The record in which objects that may hold what is hidden and fixed are still there, if only empty. */
function withEmptied(
  { execution: { checks }, table: { mask }, before, origins }: FieldChange,
  record: ObjectValue,
): ObjectValue {
  return mask === undefined || before === undefined || !checks.view || !checks.edit
    ? record
    : keepEmptied(mask, record, before, origins);
}

/** The draft in which fields outside `only` are as they were before. */
function withOpenFields({ execution, table, before, draft }: FieldChange, only: ReadonlySet<string>): ObjectValue {
  const action = before === undefined ? 'create' : 'update';
  let result = draft;
  for (const name of new Set([...Object.keys(draft), ...Object.keys(before ?? {})])) {
    if (only.has(name)) continue;
    if (draft[name] !== undefined && !equals(draft[name], before?.[name])) {
      const refusal = { action, table: table.entry.definition.name, field: name } as const;
      // What a record that is there holds in it is hidden.
      if (before === undefined) denyWrite(execution, refusal);
      else skipWrite(execution, refusal);
    }
    result = withField(result, name, before?.[name]) as ObjectValue;
  }
  return result;
}

/** Whether a rule may refuse what a statement makes of a field. */
function isGuarded(field: PreparedField, { execution, before }: FieldChange): boolean {
  const rule = before === undefined ? field.rules.create : field.rules.update;
  return execution.checks.edit && rule.kind !== 'full';
}

/** Whether the principal can see a field of the record as it was, unless it wasn't there. */
function isSeen(field: PreparedField, { execution, table, before }: FieldChange): PromiseOrValue<boolean> {
  if (!execution.checks.view) return true;
  if (table.mask !== undefined && mayHide(table.mask, field.parts)) return false;
  if (before === undefined) return true;
  const seen = execution.services.reader.present(execution, table.entry, before, 'select', NO_FIELDS);
  return andThen(seen, (record) => record !== undefined);
}

/** Runs the clauses of a field; their errors don't quote values from those who may not see them. */
function redacting<T>(field: PreparedField, change: FieldChange, work: () => PromiseOrValue<T>): PromiseOrValue<T> {
  if (!change.execution.checks.view) return work();
  return otherwise(work, (error) => {
    if (isSafeToExpose(error) || !isQueryError(error)) throw error;
    return andThen(isSeen(field, change), (seen) => {
      const redact = REDACTED[error.code];
      const isQuoting = redact !== undefined ? !seen : change.table.mask !== undefined || !seen;
      if (!isQuoting) throw error;
      throw (redact ?? failedClause)(field, change.id, error);
    });
  });
}

type Redaction = (field: PreparedField, id: RecordId, cause: TesseraError) => TesseraError;

const failedClause: Redaction = ({ name }, _, cause) =>
  failure('stored_code_failed', { what: `field '${name}'` }, { cause });

/** Errors that say what is wrong with a value, without it. */
const REDACTED: { readonly [C in ErrorCode]?: Redaction } = {
  field_assert: ({ name, assertText }, id, cause) =>
    failure('field_assert', { field: name, id: toText(id), value: HIDDEN, condition: assertText }, { cause }),
  field_coercion: ({ name }, id, cause) =>
    failure('field_coercion', { field: name, id: toText(id), reason: `${HIDDEN} is not of its type` }, { cause }),
};

const HIDDEN = 'a hidden value';

/** What is declared of `id` is said of the key of the record. */
function checkId(field: PreparedField, id: RecordId): void {
  const { type } = field.definition;
  if (type !== undefined && type.kind !== 'record' && !(id.key instanceof Range)) coerceField(field, id, id.key);
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
  const start = definition.readonly && !creating ? readonlyField(field, change, supplied, old) : supplied;
  const evaluate = (expression: Evaluate, value: Value): PromiseOrValue<Value> => {
    const scope = new Scope();
    scope.set('value', value);
    scope.set('input', input);
    scope.set('before', old);
    scope.set('after', value);
    const inner = withDefinerRightsCap(change.execution);
    if (!field.mayWrite) return expression(new Frame(inner, scope, record));
    return withStackGuard(() => expression(new Frame(deeperByWrite(inner), scope, record)));
  };
  const defaulted = andThen(start, (given) => {
    const wantsDefault = given === undefined && (creating || definition.default?.always === true);
    return field.default !== undefined && wantsDefault ? evaluate(field.default, undefined) : given;
  });
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

/**
 * A readonly field keeps its value. A principal who can't see it gets no error, which would reveal whether the supplied
 * value is equal.
 */
function readonlyField(field: PreparedField, change: FieldChange, supplied: Value, old: Value): PromiseOrValue<Value> {
  if (equals(supplied, old) || (supplied === undefined && change.keepsReadonly)) return old;
  return andThen(isSeen(field, change), (seen) => {
    if (seen) throw failure('field_readonly', { field: field.name, id: toText(change.id) });
    return old;
  });
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

/**
 * A value that the principal may not set is dropped when the record is created, and stays as it was when it is changed.
 * As with rules of records, that of an update holds of the record before and after it: else the change could write what
 * allows it.
 */
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
  const judged = (record: ObjectValue) => admits(rule, change.execution, record, variables);
  const wasAllowed = change.before === undefined || judged(change.before);
  const isAllowed = andThen(wasAllowed, (was) => was && judged(change.draft));
  return andThen(isAllowed, (allowed) => {
    if (allowed) return value;
    return isMeant(field, change, old, input) ? andThen(refuseField(field, change), () => refused) : refused;
  });
}

/**
 * No error for a principal who can't see the field or the record: it would reveal whether the supplied value is the
 * stored one.
 */
function refuseField(field: PreparedField, change: FieldChange): PromiseOrValue<undefined> {
  const { execution, table, before } = change;
  const action = before === undefined ? 'create' : 'update';
  const refusal: DeniedWrite = { action, table: table.entry.definition.name, field: field.name };
  if (!execution.request.strict || before === undefined) return denyWrite(execution, refusal);
  return andThen(isSeen(field, change), (seen) =>
    seen ? denyWrite(execution, refusal) : skipWrite(execution, refusal),
  );
}

/**
 * Whether the statement itself wants the field to have another value, rather than leaving it out or a clause computing
 * one.
 */
function isMeant({ parts }: PreparedField, { table, keepsReadonly }: FieldChange, old: Value, input: Value): boolean {
  if (equals(input, old)) return false;
  return input !== undefined || !(keepsReadonly || (table.mask !== undefined && mayHide(table.mask, parts)));
}
