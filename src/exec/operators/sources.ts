/** Where rows come from, compiled. */
import { andThen } from '../../base/promise-or-value.js';
import type { Expression } from '../../language/ast.js';
import {
  type Access,
  isAccess,
  type NamedRange,
  type NamedRecord,
  type SourceNode,
  type Union,
} from '../../plan/nodes.js';
import { compileSources, compileTarget, targetOf } from '../targets.js';
import type { Making, Stream } from './operator.js';
import { compileReadTable, oneByOne } from './read-table.js';
import { requireTable } from './require-table.js';
import { TargetsWalk } from './targets-walk.js';

type ByKind = {
  readonly [Kind in SourceNode['kind']]: (node: Extract<SourceNode, { readonly kind: Kind }>, making: Making) => Stream;
};

export const SOURCES: ByKind = {
  'table-scan': tableStream,
  'point-lookup': tableStream,
  'range-scan': tableStream,
  'index-scan': tableStream,
  'union-scan': tableStream,
  'named-record': namedStream,
  'named-range': namedStream,
  values: ({ expression }, making) => valuesStream([expression], [], making),
  'graph-expand': ({ expression }, making) => valuesStream([expression], [], making),
  subquery: ({ expression }, making) => valuesStream([expression], [], making),
  union: unionStream,
  changes: (_, making) => foundStream([], making),
};

function tableStream(access: Access, making: Making): Stream {
  if (making.reading.purpose !== 'select') return foundStream([access], making);
  const read = compileReadTable(access, making);
  return inTurnsIfWriting(making, (frame, demand, visit) =>
    andThen(requireTable(frame.execution, access.table), ({ catalog, entry }) =>
      read(frame, catalog, entry, demand, visit),
    ),
  );
}

function namedStream(node: NamedRecord | NamedRange, making: Making): Stream {
  if (making.reading.purpose !== 'select') return foundStream([], making);
  const named = compileTarget(node.kind === 'named-record' ? node.id : node.range, making.compiler);
  const walk = new TargetsWalk(making, []);
  return inTurnsIfWriting(making, (frame, demand, visit) =>
    andThen(named(frame), (value) => walk.one(frame, targetOf(value), demand, visit)),
  );
}

function unionStream({ targets, inputs }: Union, making: Making): Stream {
  return valuesStream(targets, inputs.filter(isAccess), making);
}

/** The rows of what expressions turn out to be: all are evaluated before the first is read. */
function valuesStream(expressions: readonly Expression[], accesses: readonly Access[], making: Making): Stream {
  if (making.reading.purpose !== 'select') return foundStream(accesses, making);
  const targets = compileSources(expressions, making.compiler);
  const walk = new TargetsWalk(making, accesses);
  return inTurnsIfWriting(making, (frame, demand, visit) =>
    andThen(targets(frame), (found) => walk.walk(frame, found, demand, visit)),
  );
}

/** The rows of targets that the statement has found out itself. */
function foundStream(accesses: readonly Access[], making: Making): Stream {
  const walk = new TargetsWalk(making, accesses);
  return (frame, { targets = [], ...demand }, visit) => walk.walk(frame, targets, demand, visit);
}

/** Row by row, where what is done with one may change what is found of the next. */
function inTurnsIfWriting({ reading }: Making, stream: Stream): Stream {
  return reading.writes ? (frame, demand, visit) => stream(frame, demand, oneByOne(visit)) : stream;
}
