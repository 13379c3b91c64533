/** What stands after FROM, CREATE, UPDATE …: tables, records, ranges of records, or plain values. */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Expression } from '../language/ast.js';
import { innerElements } from '../value/elements.js';
import { Range, RecordId, Table, type Value } from '../value/value.js';
import type { Compiler, Evaluate, Frame } from './execution.js';

export type Target =
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'record'; readonly id: RecordId }
  | { readonly kind: 'range'; readonly id: RecordId }
  | { readonly kind: 'value'; readonly value: Value };

/** Evaluates targets in order. Arrays and sets stand for their elements. */
export function compileTargets(
  targets: readonly Expression[],
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<readonly Target[]> {
  if (targets.every((target) => target.kind === 'table')) {
    const fixed = targets.map((target): Target => ({ kind: 'table', table: target.name }));
    return () => fixed;
  }
  const compiled = targets.map((target) => compileTarget(target, compiler));
  return (frame) =>
    andThen(
      mapInOrder(compiled, (evaluate) => evaluate(frame)),
      (values) => innerElements(values).map(targetOf),
    );
}

function compileTarget(target: Expression, compiler: Compiler): Evaluate {
  if (target.kind !== 'table') return compiler.expression(target);
  const table = new Table(target.name);
  return () => table;
}

function targetOf(value: Value): Target {
  if (value instanceof Table) return { kind: 'table', table: value.name };
  if (value instanceof RecordId) return { kind: value.key instanceof Range ? 'range' : 'record', id: value };
  return { kind: 'value', value };
}
