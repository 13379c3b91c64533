/** CONTENT, MERGE, REPLACE, PATCH, SET and UNSET: how a statement turns a record into its draft. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Assignment, Data } from '../language/ast.js';
import { patch } from '../value/patch.js';
import { deepMerge } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import { isArray, isObject, newObject, type ObjectValue, type Value } from '../value/value.js';
import type { Compiler, Draft, Frame, WriteOptions } from './execution.js';
import { compileAssign, unsetPath } from './expression/assign.js';
import { withField } from './occurrence.js';

export interface CompiledData {
  readonly options: WriteOptions;
  /**
   * The draft for one record. Expressions of the statement are evaluated in `frame`, whose document is the record as the principal may
   * see it, while the changes are made to the stored one.
   */
  draft(frame: Frame): Draft;
}

export function compileData(data: Data | undefined, compiler: Compiler): CompiledData {
  if (data === undefined) return { options: {}, draft: () => (before) => before ?? newObject() };
  switch (data.kind) {
    case 'content':
    case 'replace': {
      const value = compiler.expression(data.value);
      return {
        options: { keepsReadonly: data.kind === 'content' },
        draft: (frame) => () => andThen(value(frame), (content) => asContent(content)),
      };
    }
    case 'merge': {
      const value = compiler.expression(data.value);
      return {
        options: {},
        draft: (frame) => (before) =>
          andThen(value(frame), (changes) => {
            if (!isObject(changes)) throw failure('invalid_merge', { value: toText(changes) });
            return deepMerge(before ?? newObject(), changes) as ObjectValue;
          }),
      };
    }
    case 'patch': {
      const value = compiler.expression(data.value);
      return {
        options: {},
        draft: (frame) => (before) =>
          andThen(value(frame), (operations) => {
            const seen = isObject(frame.current) ? frame.current : newObject();
            return keepHidden(patch(seen, operations), seen, before);
          }),
      };
    }
    case 'set': {
      const assign = compileAssignments(data.assignments, compiler);
      return { options: {}, draft: (frame) => (before) => assign(frame, before ?? newObject()) };
    }
    case 'unset':
      return {
        options: {},
        draft: () => (before) => data.paths.reduce(unsetPath, before ?? newObject()),
      };
  }
}

/** Assignments see the record as it was before the statement, whatever their order: `SET a = 1, b = a` uses the old `a`. */
export function compileAssignments(
  assignments: readonly Assignment[],
  compiler: Compiler,
): (frame: Frame, record: ObjectValue) => PromiseOrValue<ObjectValue> {
  const compiled = assignments.map(({ path, operator, value }) => ({
    assign: compileAssign(path, compiler),
    operator,
    value: compiler.expression(value),
  }));
  return (frame, record) =>
    andThen(
      mapInOrder(compiled, (each) => each.value(frame)),
      (values) => {
        let draft = record;
        const done = forEachInOrder(compiled, ({ assign, operator }, index) =>
          andThen(assign(draft, operator, values[index], frame), (fresh) => {
            draft = fresh;
            return undefined;
          }),
        );
        return andThen(done, () => draft);
      },
    );
}

function asContent(content: Value): ObjectValue {
  if (!isObject(content)) throw failure('invalid_content', { value: toText(content) });
  return withoutNone(content) as ObjectValue;
}

/** NONE members, also nested ones, are not there. */
function withoutNone(value: Value): Value {
  if (!isObject(value)) return value;
  let result: Value = value;
  for (const name of Object.keys(value)) result = withField(result, name, withoutNone(value[name]));
  return result;
}

/**
 * A patch is made to what the principal sees, so that no operation can copy or test what is hidden; then the hidden parts are put
 * back where the patch hasn't written something of its own.
 */
function keepHidden(patched: Value, seen: ObjectValue, before: ObjectValue | undefined): ObjectValue {
  if (!isObject(patched)) throw failure('invalid_content', { value: toText(patched) });
  return before === undefined || before === seen ? patched : (restore(patched, seen, before) as ObjectValue);
}

function restore(patched: Value, seen: Value, before: Value): Value {
  if (!isObject(patched) || !isObject(before)) return patched;
  let result: Value = patched;
  for (const name of Object.keys(before)) {
    const wasSeen = isObject(seen) ? seen[name] : undefined;
    if (wasSeen === undefined) {
      if (patched[name] === undefined) result = withField(result, name, before[name]);
    } else if (isObject(before[name])) {
      result = withField(result, name, restore(patched[name], wasSeen, before[name]));
    } else if (isArray(before[name]) && patched[name] === wasSeen) {
      result = withField(result, name, before[name]);
    }
  }
  return result;
}
