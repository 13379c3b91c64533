/** CONTENT, MERGE, REPLACE, PATCH, SET and UNSET: how a statement turns a record into its draft. */
import { andThen, forEachInOrder, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Assignment, Data, Idiom } from '../../language/ast.js';
import { mayWrite } from '../../plan/effects.js';
import { type FieldsRead, fieldsOfData } from '../../plan/fields-read.js';
import { compileAssign, compileUnset } from '../../query/expression/assign.js';
import { expressionsOfData, isSpeculable } from '../../query/prefetch/speculate.js';
import { restoreFields } from '../../records/hidden.js';
import { isQueryError } from '../../runtime/authorization/error-redaction.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { Draft, WriteOptions } from '../../runtime/record-access.js';
import { patch } from '../../value/patch/patch.js';
import { deepMerge, withField, withoutNone } from '../../value/paths.js';
import { toErrorText } from '../../value/text/text.js';
import { isArray, isObject, newObject, type ObjectValue, SetValue, type Value } from '../../value/value.js';

export interface CompiledData {
  readonly options: WriteOptions;
  /** The fields of an existing record that it reads. */
  readonly reads: FieldsRead;
  /**
   * The draft for one record. Expressions of the statement are evaluated in `frame`, whose document is the record as
   * the principal may see it, while the changes are made to the stored one.
   */
  draft(frame: Frame): Draft;
  /** Whether a draft can be made in advance, to determine its reads. */
  readonly isSpeculable: boolean;
  /** Whether its expressions may write. */
  readonly writes: boolean;
}

/** Compiles CONTENT, MERGE, PATCH, REPLACE, SET or UNSET to the function from the stored record to the new one. */
export function compileData(data: Data | undefined, compiler: Compiler): CompiledData {
  const { options, draft } = compileDraft(data, compiler);
  let known: boolean | undefined;
  return {
    options,
    draft,
    reads: fieldsOfData(data),
    writes:
      data !== undefined && expressionsOfData(data).some((expression) => mayWrite({ kind: 'expression', expression })),
    // Synchronous stores don't need it.
    get isSpeculable() {
      known ??= isSpeculable(data);
      return known;
    },
  };
}

function compileDraft(data: Data | undefined, compiler: Compiler): Pick<CompiledData, 'options' | 'draft'> {
  if (data === undefined) return { options: { inputless: true }, draft: () => (before) => before ?? newObject() };
  switch (data.kind) {
    case 'content':
    case 'replace': {
      const value = compiler.expression(data.value);
      return {
        options: { keepsReadonly: data.kind === 'content' },
        draft: (frame) => {
          const given = once(value, frame);
          return () => andThen(given(), (content) => asContent(content));
        },
      };
    }
    case 'merge': {
      const value = compiler.expression(data.value);
      return {
        options: {},
        draft: (frame) => {
          const given = once(value, frame);
          return (before) =>
            andThen(given(), (changes) => {
              if (!isObject(changes)) throw failure('invalid_merge', { value: toErrorText(changes) });
              return deepMerge(before ?? newObject(), changes) as ObjectValue;
            });
        },
      };
    }
    case 'patch': {
      const value = compiler.expression(data.value);
      return {
        options: {},
        draft: (frame) => {
          const given = once(value, frame);
          return (before, shown = isObject(frame.current) ? frame.current : newObject()) =>
            andThen(given(), (operations) => {
              const patched = patch(shown, operations);
              if (!isObject(patched)) throw failure('invalid_content', { value: toErrorText(patched) });
              return restoreFields(patched, shown, before ?? shown) as ObjectValue;
            });
        },
      };
    }
    case 'set': {
      const assign = compileAssignments(data.assignments, compiler);
      return { options: {}, draft: assign };
    }
    case 'unset': {
      const unset = compileUnset(data.paths, compiler);
      const places = data.paths.map((path) => ({ path }));
      return {
        options: { inputless: true },
        draft: (outer) => (before, seen) => {
          const frame = seen === undefined ? outer : outer.within(seen);
          return onWhatIsSeen(frame, before ?? newObject(), places, (record) => unset(record, frame));
        },
      };
    }
  }
}

/** The value of an expression, evaluated when it is first asked for. */
function once(evaluate: Evaluate, frame: Frame): () => PromiseOrValue<Value> {
  let known: { readonly value: PromiseOrValue<Value> } | undefined;
  return () => {
    known ??= { value: evaluate(frame) };
    return known.value;
  };
}

/**
 * Assignments see the record as it was before the statement, whatever their order: `SET a = 1, b = a` uses the old `a`.
 */
export function compileAssignments(assignments: readonly Assignment[], compiler: Compiler): (frame: Frame) => Draft {
  const compiled = assignments.map(({ path, operator, value }) => ({
    path,
    assign: compileAssign(path, compiler),
    operator,
    value: compiler.expression(value),
  }));
  return (outer) => {
    let given: PromiseOrValue<readonly Value[]> | undefined;
    return (before, seen) => {
      const frame = seen === undefined ? outer : outer.within(seen);
      const record = before ?? newObject();
      given ??= mapInOrder(compiled, (each) => each.value(outer));
      return andThen(given, (values) =>
        onWhatIsSeen(frame, record, assignments, (shown) => {
          let draft = shown;
          const done = forEachInOrder(compiled, ({ path, assign, operator }, index) => {
            const step = () => assign(draft, operator, values[index], frame);
            // `+=` adds to hidden values, too, but its error would reveal them; as with other values that don't fit,
            // the old one stays.
            const changed = isSeenWhole(frame, record, path) ? step() : otherwise(step, keeping(draft));
            return andThen(changed, (fresh) => {
              draft = fresh;
              return undefined;
            });
          });
          return andThen(done, () => draft);
        }),
      );
    };
  };
}

/**
 * Changes a record at paths. Where one of them has to look at the record to find its place (`lines[WHERE …]`,
 * `tags[0]`), or an operator at elements (`lines -= …`), and the principal doesn't see all of the field that it leads
 * into, what it sees is changed instead, and what is hidden is put back.
 */
function onWhatIsSeen(
  frame: Frame,
  record: ObjectValue,
  places: readonly Pick<Assignment, 'path'>[] | readonly Assignment[],
  change: (record: ObjectValue) => PromiseOrValue<ObjectValue>,
): PromiseOrValue<ObjectValue> {
  if (!frame.execution.checks.view) return change(record);
  const seen = isObject(frame.current) ? frame.current : newObject();
  const partly = new Set<string>();
  for (const place of places) {
    const { path } = place;
    const [first] = path.parts;
    const isComparing = 'operator' in place && place.operator !== '=' && leadsToList(seen, path.parts);
    const isSearching = isComparing || path.parts.some((part) => part.kind !== 'field');
    if (isSearching && first?.kind === 'field' && !isSeenWhole(frame, record, path)) partly.add(first.name);
  }
  if (partly.size === 0) return change(record);
  let shown: Value = record;
  for (const name of partly) shown = withField(shown, name, seen[name]);
  return andThen(change(shown as ObjectValue), (changed) => {
    let result: Value = changed;
    for (const name of partly) {
      result = withField(result, name, restoreFields(changed[name], seen[name], record[name]));
    }
    return result as ObjectValue;
  });
}

/** Whether a path of names leads to a list or a set, perhaps through the elements of others. */
function leadsToList(value: Value, parts: Idiom['parts'], from = 0): boolean {
  const part = parts[from];
  if (part === undefined) return isArray(value) || value instanceof SetValue;
  if (isArray(value)) return value.some((item) => isObject(item) && leadsToList(item, parts, from));
  return part.kind === 'field' && isObject(value) && leadsToList(value[part.name], parts, from + 1);
}

/** Whether the principal sees all of the field into which a path leads. */
function isSeenWhole({ execution, current }: Frame, record: ObjectValue, { parts: [first] }: Idiom): boolean {
  if (!execution.checks.view || first?.kind !== 'field') return true;
  return record[first.name] === (isObject(current) ? current[first.name] : undefined);
}

function keeping(draft: ObjectValue): (error: unknown) => ObjectValue {
  return (error) => {
    if (isQueryError(error)) return draft;
    throw error;
  };
}

function asContent(content: Value): ObjectValue {
  if (!isObject(content)) throw failure('invalid_content', { value: toErrorText(content) });
  return withoutNone(content) as ObjectValue;
}
