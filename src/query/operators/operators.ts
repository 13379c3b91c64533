/** The table of compile functions for every kind of plan node. */
import { isStream, type ListNode, type RowNode, type StreamNode } from '../../plan/nodes.js';
import type { Compiler } from '../../runtime/frame.js';
import { compileAggregate } from './aggregate.js';
import { compileCountEntries } from './count-entries.js';
import { compileCountRecords } from './count-records.js';
import { compileDiff } from './diff.js';
import { compileFetchNode } from './fetch.js';
import { compileFilter } from './filter.js';
import { compileFirstRows } from './first-rows.js';
import { gather } from './gather.js';
import { compileInitPlan } from './init-plan.js';
import { compileKnnTopK } from './knn-top-k.js';
import { compileLimit } from './limit.js';
import { compileOneRecord } from './named-record.js';
import { compileOmitNode } from './omit.js';
import type { List, OperatorContext, RecordReading, Stream } from './operator.js';
import { compileProject } from './project.js';
import { compileSort, compileTopN } from './sort.js';
import { SOURCES } from './sources.js';
import { compileSplitNode } from './split.js';
import { type Meter, UNMEASURED } from './stopwatch.js';

type Of<Node, Kind> = Extract<Node, { readonly kind: Kind }>;

const STREAMS: {
  readonly [Kind in StreamNode['kind']]: (node: Of<StreamNode, Kind>, context: OperatorContext) => Stream;
} = {
  ...SOURCES,
  filter: compileFilter,
  'knn-top-k': compileKnnTopK,
  'first-rows': compileFirstRows,
  split: compileSplitNode,
};

const LISTS: { readonly [Kind in ListNode['kind']]: (node: Of<ListNode, Kind>, context: OperatorContext) => List } = {
  aggregate: compileAggregate,
  sort: compileSort,
  'top-n': compileTopN,
  limit: compileLimit,
  project: compileProject,
  diff: compileDiff,
  omit: compileOmitNode,
  fetch: compileFetchNode,
  'count-records': compileCountRecords,
  'count-entries': compileCountEntries,
  'init-plan': compileInitPlan,
};

/** Compiles the nodes of one tree, from the root down. */
export class OperatorCompiler implements OperatorContext {
  constructor(
    readonly compiler: Compiler,
    readonly reading: RecordReading,
    private readonly meter: Meter = UNMEASURED,
  ) {}

  stream(node: StreamNode): Stream {
    const compile = STREAMS[node.kind] as (node: StreamNode, context: OperatorContext) => Stream;
    return this.meter.stream(node, compile(node, this));
  }

  list(node: RowNode): List {
    if (node.kind === 'named-record' && node.direct) return this.meter.list(node, compileOneRecord(node, this));
    if (isStream(node)) return gather(node, this);
    const compile = LISTS[node.kind] as (node: ListNode, context: OperatorContext) => List;
    return this.meter.list(node, compile(node, this));
  }
}
