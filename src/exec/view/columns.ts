/** The selection of a view with GROUP, taken apart: the keys of a group, the aggregates over it, and what is made of the two. */
import { failure } from '../../errors/error.js';
import { invalidArguments } from '../../functions/arguments.js';
import type { Call, Expression, Group, Idiom, Projections, Select } from '../../language/ast.js';
import { DOCUMENT_PARAMS } from '../../language/engine-params.js';
import { printExpression } from '../../language/print.js';
import { transformExpression } from '../../language/visitor.js';
import type { Compiler, Evaluate } from '../execution.js';
import { fieldPath } from '../expression/projection-name.js';
import { findTally, type Tally } from './tallies.js';

export interface Columns {
  readonly keys: readonly Evaluate[];
  readonly aggregates: readonly Aggregate[];
  readonly shown: readonly Column[];
}

export interface Aggregate {
  /** The function, for errors. */
  readonly path: string;
  readonly tally: Tally;
  /** What each row gives to it. */
  readonly argument: Evaluate;
}

/** A field of a group's record. It finds the keys and the results of the aggregates in params. */
export interface Column {
  readonly path: readonly string[];
  readonly evaluate: Evaluate;
}

// No param of a query can have such names.
export const keyParam = (at: number): string => `\0key ${at}`;
export const aggregateParam = (at: number): string => `\0aggregate ${at}`;

/** @throws TesseraError `view_value`, `view_all_fields`, `view_field`, `view_document`, `invalid_arguments` */
export function compileColumns({ projections }: Select, group: Group, compiler: Compiler): Columns {
  if (projections.kind === 'value') throw failure('view_value', { grouped: true });
  const keys = (group.kind === 'all' ? [] : group.paths).map((path) => keyOf(path, projections));
  const aggregates: Aggregate[] = [];
  const shown = projections.items.map((item): Column => {
    if (item.kind === 'all') throw failure('view_all_fields');
    const path = fieldPath(item);
    const named = keys.findIndex((key) => item.alias !== undefined && key.text === printExpression(item.alias));
    const expression: Expression =
      named === -1 ? rewrite(item.expression, keys, aggregates, compiler) : { kind: 'param', name: keyParam(named) };
    return { path, evaluate: compiler.expression(expression) };
  });
  return { keys: keys.map((key) => compiler.expression(key.expression)), aggregates, shown };
}

interface Key {
  readonly text: string;
  readonly expression: Expression;
}

/** A key may name a projection by its alias; otherwise it is a path in the row. */
function keyOf(path: Idiom, projections: Extract<Projections, { kind: 'fields' }>): Key {
  const text = printExpression(path);
  for (const item of projections.items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === text) {
      return { text, expression: item.expression };
    }
  }
  return { text, expression: path };
}

/** The expression over params, with its aggregates added to `aggregates`. */
function rewrite(
  expression: Expression,
  keys: readonly Key[],
  aggregates: Aggregate[],
  compiler: Compiler,
): Expression {
  return transformExpression(expression, (each) => {
    // A group has no document.
    if (each.kind === 'param' && DOCUMENT_PARAMS.has(each.name)) throw failure('view_document', { param: each.name });
    if (each.kind === 'call') {
      const tally = findTally(each.path);
      if (tally === undefined) return undefined;
      aggregates.push({ path: each.path, tally, argument: argumentOf(each, compiler) });
      return { kind: 'param', name: aggregateParam(aggregates.length - 1) };
    }
    if (each.kind !== 'idiom' || each.start !== undefined) return undefined;
    const text = printExpression(each);
    const at = keys.findIndex((key) => key.text === text);
    if (at === -1) throw failure('view_field', { path: text });
    return { kind: 'param', name: keyParam(at) };
  });
}

function argumentOf({ path, args }: Call, compiler: Compiler): Evaluate {
  const [argument] = args;
  if (argument === undefined && path === 'count') return () => true;
  if (argument === undefined || args.length > 1) throw invalidArguments(path, 'Expected 1 argument');
  return compiler.expression(argument);
}
