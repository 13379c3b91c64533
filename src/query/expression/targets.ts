/** The targets after FROM, CREATE, UPDATE …: tables, records, ranges of records, or plain values. */
import { andThen, forEachInOrder, isPromise, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem, mapItems } from '../../base/work/loops.js';
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import { DOCUMENT_PARAMS } from '../../language/engine-params.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { flattenDeep } from '../../value/flatten.js';
import { isArray, isObject, Range, RecordId, Table, type Value } from '../../value/value.js';

export type Target =
  | { readonly kind: 'table'; readonly table: string }
  /** `listed`: it is in a list of values, so that it counts as a row even if the record doesn't exist. */
  | { readonly kind: 'record'; readonly id: RecordId; readonly listed?: boolean }
  | { readonly kind: 'range'; readonly id: RecordId }
  | { readonly kind: 'value'; readonly value: Value };

type Targets = (frame: Frame) => PromiseOrValue<readonly Target[]>;

/**
 * The targets of a statement that writes. Arrays and sets denote their elements, an object the record of its `id`.
 * @throws TesseraError `only_one`, when it runs
 */
export function compileTargets(
  { targets, only }: { readonly targets: readonly Expression[]; readonly only: boolean },
  compiler: Compiler,
): Targets {
  if (only && targets.some(({ kind }) => kind === 'array' || kind === 'mock')) {
    return () => {
      throw failure('only_one');
    };
  }
  return compileEach(targets, compiler, (values, execution) =>
    mapItems(flattenDeep(values), execution.interrupt, (value) => targetOf(recordOf(value))),
  );
}

/** The targets of SELECT. An array denotes its elements, though not an array inside of it. */
export function compileSources(sources: readonly Expression[], compiler: Compiler): Targets {
  return compileEach(sources, compiler, (values, execution) => {
    const targets: Target[] = [];
    const listed = forEachInOrder(values, (value) => {
      if (!isArray(value)) targets.push(targetOf(value));
      else {
        const taken = eachItem(value, execution.interrupt, (element) => {
          targets.push(elementOf(element));
        });
        return andThen(taken, () => undefined);
      }
      return undefined;
    });
    return andThen(listed, () => targets);
  });
}

function compileEach(
  targets: readonly Expression[],
  compiler: Compiler,
  toTargets: (values: readonly Value[], execution: Execution) => PromiseOrValue<readonly Target[]>,
): Targets {
  if (targets.every((target) => target.kind === 'table')) {
    const fixed = targets.map((target): Target => ({ kind: 'table', table: target.name }));
    return () => fixed;
  }
  const compiled = targets.map((target) => compileTarget(target, compiler));
  const [first] = compiled;
  const several = (values: readonly Value[], frame: Frame) => toTargets(values, frame.execution);
  if (first !== undefined && compiled.length === 1) {
    // One that is a record or a table is the most frequent, and needs no list to be walked.
    const one = (value: Value, frame: Frame) =>
      value instanceof RecordId || value instanceof Table ? [targetOf(value)] : several([value], frame);
    return (frame) => {
      const value = first(frame);
      return isPromise(value) ? value.then((found) => one(found, frame)) : one(value, frame);
    };
  }
  return (frame) =>
    andThen(
      mapInOrder(compiled, (evaluate) => evaluate(frame)),
      (values) => several(values, frame),
    );
}

/** The target that one expression after FROM and the like denotes. */
export function compileTarget(target: Expression, compiler: Compiler): Evaluate {
  if (target.kind === 'record-id' && target.key.kind === 'key' && target.key.value.kind === 'literal') {
    // It is constant, and the most frequent kind.
    return compiler.expression(target);
  }
  // Nor does a variable depend on a document.
  if (target.kind === 'param' && !DOCUMENT_PARAMS.has(target.name)) return compiler.expression(target);
  if (target.kind !== 'table') {
    const evaluate = compiler.expression(target);
    return (frame) => evaluate(frame.entering());
  }
  const table = new Table(target.name);
  return () => table;
}

/** The target that an object denotes in a statement that writes. */
function recordOf(value: Value): Value {
  return isObject(value) && value['id'] instanceof RecordId ? value['id'] : value;
}

function elementOf(value: Value): Target {
  if (value instanceof RecordId && !(value.key instanceof Range)) return { kind: 'record', id: value, listed: true };
  return { kind: 'value', value };
}

/** A value as the target of a statement: a table, a record, a range of records, or the value itself. */
export function targetOf(value: Value): Target {
  if (value instanceof Table) return { kind: 'table', table: value.name };
  if (value instanceof RecordId) return { kind: value.key instanceof Range ? 'range' : 'record', id: value };
  return { kind: 'value', value };
}
