/** Computed fields, and the records on which clauses are evaluated: as stored, with their computed fields. */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure, TesseraError } from '../errors/error.js';
import { withDefinerRightsCap } from '../runtime/authorization/definer-rights-cap.js';
import { isQueryError, withErrorRedaction } from '../runtime/authorization/error-redaction.js';
import { admits, type Judge, judgeOf, type Rule, withJudge } from '../runtime/authorization/permission.js';
import { deeper, withStackGuard } from '../runtime/depth.js';
import type { Execution } from '../runtime/execution.js';
import { Frame } from '../runtime/frame.js';
import { Scope } from '../runtime/scope.js';
import { Variants } from '../runtime/variants.js';
import { withField } from '../value/paths.js';
import type { ObjectValue, RecordId, Value } from '../value/value.js';
import { coerceField } from './coerce-field.js';
import type { MaskJudge } from './mask.js';
import type { PreparedField, PreparedTable } from './table.js';

/** The record with some of its table's computed fields, which are computed with the rights of the reader. */
export function computeFields(
  execution: Execution,
  table: PreparedTable,
  raw: ObjectValue,
  fields: readonly PreparedField[],
): PromiseOrValue<ObjectValue> {
  if (fields.length === 0) return raw;
  const inner = notJudging(deeper(withDefinerRightsCap(execution)));
  let record = raw;
  const done = forEachInOrder(fields, (field) => {
    const { name, computed } = field;
    if (computed === undefined) return undefined;
    const compute = () =>
      andThen(
        withStackGuard(() => computed(new Frame(inner, new Scope(), record))),
        (found) => ofItsType(field, record, found),
      );
    const value = table.mask === undefined ? compute() : withErrorRedaction(execution, `field '${name}'`, compute);
    return andThen(value, (found) => {
      record = withField(record, name, found) as ObjectValue;
      return undefined;
    });
  });
  return andThen(done, () => record);
}

/** @throws TesseraError `computed_coercion`, whose cause is what a statement that writes the record says of it */
function ofItsType(field: PreparedField, record: ObjectValue, value: Value): Value {
  try {
    return coerceField(field, record['id'] as RecordId, value);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'field_coercion') throw error;
    throw failure('computed_coercion', { field: field.name }, { cause: error });
  }
}

/** The same execution without permissions: a clause sees a computed field as queries do. */
function notJudging(execution: Execution): Execution {
  if (!execution.judging) return execution;
  const variants = Variants.of(execution);
  variants.computing ??= { ...execution, judging: false, variants: new Variants() };
  return variants.computing;
}

/**
 * Whether a clause admits a record, evaluated with the computed fields that the clause names, whatever the
 * query selects. If one of those fails, access is denied.
 */
export function admitsRecord(
  rule: Rule,
  execution: Execution,
  table: PreparedTable,
  raw: ObjectValue,
  variables?: Readonly<Record<string, Value>>,
): PromiseOrValue<boolean> {
  if (rule.kind !== 'where') return rule.kind === 'full';
  const needed = table.computed.needed(rule.reads);
  if (needed.length === 0) return admits(rule, execution, raw, variables);
  return andThen(judgedRecord(execution, table, raw, needed), (judged) =>
    judged === undefined ? false : admits(rule, execution, judged, variables),
  );
}

/** The same for many records (`withJudge`). */
export function withRecordJudge<T>(
  rule: Rule,
  execution: Execution,
  table: PreparedTable,
  judgeAll: (judge: Judge<ObjectValue>) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  return rule.kind !== 'where' || table.computed.needed(rule.reads).length === 0
    ? withJudge(rule, execution, judgeAll)
    : judgeAll((raw) => admitsRecord(rule, execution, table, raw));
}

/** For records of which the rules of fields judge parts: the same, computing once what any of them looks at. */
export function judgeOfRecord(execution: Execution, table: PreparedTable, raw: ObjectValue): MaskJudge {
  let judged: { readonly record: PromiseOrValue<ObjectValue | undefined> } | undefined;
  return (rule, value) => {
    if (rule.kind !== 'where') return rule.kind === 'full';
    if (table.computed.needed(rule.reads).length === 0) return admits(rule, execution, raw, { value });
    judged ??= { record: judgedRecord(execution, table, raw, table.computed.needed(table.maskReads)) };
    return andThen(judged.record, (document) =>
      document === undefined ? false : admits(rule, execution, document, { value }),
    );
  };
}

/** The record as clauses see it; `undefined` if a computed field fails. */
function judgedRecord(
  execution: Execution,
  table: PreparedTable,
  raw: ObjectValue,
  needed: readonly PreparedField[],
): PromiseOrValue<ObjectValue | undefined> {
  return otherwise<ObjectValue | undefined>(
    () => computeFields(judgeOf(execution), table, raw, needed),
    (error) => {
      if (isQueryError(error)) return undefined;
      throw error;
    },
  );
}
