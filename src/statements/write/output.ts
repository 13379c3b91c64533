/** The RETURN clause of statements that write: the visible forms of a record before and after. */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { CALL } from '../../base/work/work.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Output } from '../../language/ast.js';
import { type FieldsRead, fieldsReturned, type OutputReads } from '../../plan/fields-read.js';
import { fieldPath } from '../../query/expression/projection-name.js';
import { applyOnly } from '../../query/operators/rows/only.js';
import { compileProjections } from '../../query/operators/rows/projections.js';
import type { Execution } from '../../runtime/execution.js';
import { type Compiler, Frame } from '../../runtime/frame.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { Scope } from '../../runtime/scope.js';
import { diff } from '../../value/patch/diff.js';
import type { ObjectValue, Value } from '../../value/value.js';

/** `undefined` for a record of which nothing is to be returned. */
export type ReturnValue = { readonly value: Value } | undefined;

export type CompiledOutput = (frame: Frame, written: WrittenRecord) => PromiseOrValue<ReturnValue>;

/** The value of each form, from the visible record before and after the change. */
const FORMS: Readonly<
  Record<
    Exclude<Output['kind'], 'project'>,
    (before: ObjectValue | undefined, after: ObjectValue | undefined) => ReturnValue
  >
> = {
  none: () => undefined,
  null: () => ({ value: null }),
  before: (before) => ({ value: before }),
  after: (_, after) => ({ value: after }),
  diff: (before, after) => ({ value: diff(before, after) }),
};

/** Compiles the RETURN clause of a statement that writes; `otherwise`: what it returns without one. */
export function compileOutput(
  output: Output | undefined,
  otherwise: 'after' | 'none',
  compiler: Compiler,
): CompiledOutput {
  const form: Output = output ?? { kind: otherwise };
  const reads = fieldsReturned(form);
  if (form.kind === 'none') return () => undefined;
  if (form.kind !== 'project') {
    const make = FORMS[form.kind];
    return (frame, written) =>
      andThen(seenOf(frame.execution, written, reads), (seen) =>
        seen === undefined ? undefined : make(seen.before, seen.after),
      );
  }
  const project = compileProjections(form.projections, compiler, fieldPath);
  return (frame, written) =>
    andThen(seenOf(frame.execution, written, reads), (seen) => {
      if (seen === undefined) return undefined;
      const scope = new Scope(frame.scope);
      scope.set('before', seen.before);
      scope.set('after', seen.after);
      const value = project(new Frame(frame.execution, scope, seen.after, frame));
      return andThen(value, (projected) => ({ value: projected }));
    });
}

/**
 * The record before and after as the principal sees it, with the computed fields that are read of it; `undefined` when
 * its present state (or last, if deleted) is hidden.
 */
function seenOf(
  execution: Execution,
  { table, before, after }: WrittenRecord,
  reads: OutputReads,
): PromiseOrValue<{ before: ObjectValue | undefined; after: ObjectValue | undefined } | undefined> {
  const {
    services: { reader },
  } = execution;
  const see = (record: ObjectValue | undefined, fields: FieldsRead) =>
    record && otherwise(() => reader.present(execution, table, record, 'select', fields), rethrowFieldError);
  return andThen(see(before, reads.before), (seenBefore) =>
    andThen(see(after, reads.after), (seenAfter) => {
      const hidden = after === undefined ? before !== undefined && seenBefore === undefined : seenAfter === undefined;
      return hidden ? undefined : { before: seenBefore, after: seenAfter };
    }),
  );
}

/** A computed field of a wrong type has the same error as any other field of a written record. */
function rethrowFieldError(error: unknown): never {
  throw error instanceof TesseraError && error.code === 'computed_coercion' ? error.cause : error;
}

/**
 * The result of a statement that wrote records: the value of RETURN for each, in order. Imports return no
 * rows.
 * @throws TesseraError `only_one` when a statement with ONLY wrote several, whatever it returns of them
 */
export function answerWritten(
  frame: Frame,
  written: readonly (WrittenRecord | undefined)[],
  output: CompiledOutput,
  only: boolean,
): PromiseOrValue<Value> {
  if (frame.execution.importing) return applyOnly([], only);
  if (only && written.filter((each) => each !== undefined).length > 1) throw failure('only_one');
  const outputs = mapItems(written, frame.execution.interrupt, (each) =>
    // Forms of large records are much work.
    each === undefined ? undefined : andThen(frame.execution.interrupt.checkpoint(CALL), () => output(frame, each)),
  );
  return andThen(outputs, (all) =>
    applyOnly(
      all.filter((each) => each !== undefined).map((each) => each.value),
      only,
    ),
  );
}
