/** The compiled sources of rows. */
import { andThen } from '../../../base/promise-or-value.js';
import type { Expression } from '../../../language/ast.js';
import {
  type Access,
  isAccess,
  type NamedRange,
  type NamedRecord,
  type SourceNode,
  type Union,
} from '../../../plan/nodes.js';
import { compileSources, compileTarget, type Target, targetOf } from '../../expression/targets.js';
import type { OperatorContext, Stream } from '../operator.js';
import { compileReadTable, oneByOne } from './read-table.js';
import { requireTable } from './require-table.js';
import { TargetsWalk } from './targets-walk.js';

type ByKind = {
  readonly [Kind in SourceNode['kind']]: (
    node: Extract<SourceNode, { readonly kind: Kind }>,
    context: OperatorContext,
  ) => Stream;
};

export const SOURCES: ByKind = {
  'table-scan': tableStream,
  'point-lookup': tableStream,
  'list-lookup': tableStream,
  'range-scan': tableStream,
  'index-scan': tableStream,
  'full-text-scan': tableStream,
  'union-scan': tableStream,
  'knn-scan': tableStream,
  'named-record': namedStream,
  'named-range': namedStream,
  values: ({ expression }, context) => valuesStream([expression], [], context),
  'graph-expand': ({ expression }, context) => valuesStream([expression], [], context),
  subquery: ({ expression }, context) => valuesStream([expression], [], context),
  union: unionStream,
  changes: () => changeStream,
};

function tableStream(access: Access, context: OperatorContext): Stream {
  if (context.reading.purpose !== 'select') return foundStream([access], context);
  const read = compileReadTable(access, context);
  return oneByOneIfWriting(context, (frame, demand, visit) =>
    andThen(requireTable(frame.execution, access.table), ({ catalog, entry }) =>
      read(frame, catalog, entry, demand, visit),
    ),
  );
}

function namedStream(node: NamedRecord | NamedRange, context: OperatorContext): Stream {
  if (context.reading.purpose !== 'select') return foundStream([], context);
  const named = compileTarget(node.kind === 'named-record' ? node.id : node.range, context.compiler);
  const walk = new TargetsWalk(context, []);
  return oneByOneIfWriting(context, (frame, demand, visit) =>
    andThen(named(frame), (value) => walk.one(frame, targetOf(value), demand, visit)),
  );
}

function unionStream({ targets, inputs }: Union, context: OperatorContext): Stream {
  return valuesStream(targets, inputs.filter(isAccess), context);
}

/** The rows of evaluated expressions: all are evaluated before the first row is read. */
function valuesStream(
  expressions: readonly Expression[],
  accesses: readonly Access[],
  context: OperatorContext,
): Stream {
  if (context.reading.purpose !== 'select') return foundStream(accesses, context);
  const targets = compileSources(expressions, context.compiler);
  const walk = new TargetsWalk(context, accesses);
  return oneByOneIfWriting(context, (frame, demand, visit) =>
    andThen(targets(frame), (found) => walk.walk(frame, found, demand, visit)),
  );
}

/** The rows of targets that the statement has found out itself. */
function foundStream(accesses: readonly Access[], context: OperatorContext): Stream {
  const walk = new TargetsWalk(context, accesses);
  return (frame, demand, visit) => walk.walk(frame, demand.targets ?? NO_TARGETS, demand, visit);
}

const NO_TARGETS: readonly Target[] = [];

/** The changed record, for each change and each live query. */
const changeStream: Stream = (_, { targets = NO_TARGETS }, visit) => {
  const [target] = targets;
  return target?.kind === 'value' ? visit([target.value]) : undefined;
};

/** Row by row, if the effects of one row may change the next. */
function oneByOneIfWriting({ reading }: OperatorContext, stream: Stream): Stream {
  return reading.writes ? (frame, demand, visit) => stream(frame, demand, oneByOne(visit)) : stream;
}
