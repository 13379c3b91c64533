/** The columns of a grouped view, as each change of a source updates them. */
import { invariant } from '../../base/invariant.js';
import { findIncrementalAggregate, type IncrementalAggregate } from '../../functions/incremental-aggregates.js';
import type { Call } from '../../language/ast.js';
import type { MaterializeGroups } from '../../plan/nodes.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { fieldPath } from '../expression/projection-name.js';

/** The parts of a group, compiled. */
export interface Columns {
  readonly keys: readonly Evaluate[];
  readonly aggregates: readonly TotalColumn[];
  readonly fields: readonly FieldColumn[];
}

export interface TotalColumn {
  /** The function, for errors. */
  readonly path: string;
  readonly aggregate: IncrementalAggregate;
  /** What each row contributes. */
  readonly argument: Evaluate;
}

/** A field of a group's record, over the params of its keys and aggregates. */
export interface FieldColumn {
  readonly path: readonly string[];
  readonly evaluate: Evaluate;
}

/** Compiles the columns of a grouped view: its keys, its incremental aggregates and plain fields. */
export function compileGroupColumns({ keys, aggregates, columns }: MaterializeGroups, compiler: Compiler): Columns {
  return {
    keys: keys.map((key) => compiler.expression(key)),
    aggregates: aggregates.map((call) => compileAggregate(call, compiler)),
    fields: columns.map(({ item, value }) => ({ path: fieldPath(item), evaluate: compiler.expression(value) })),
  };
}

function compileAggregate({ path, args: [argument] }: Call, compiler: Compiler): TotalColumn {
  const aggregate = findIncrementalAggregate(path);
  invariant(aggregate !== undefined, `no incremental aggregate is called ${path}`);
  return { path, aggregate, argument: argument === undefined ? () => true : compiler.expression(argument) };
}
