/** The table of compile functions for every kind of plan node. */
import { isStream, type ListNode, type RowNode, type StreamNode } from '../../plan/nodes.js';
import type { Compiler } from '../../runtime/frame.js';
import { compileAggregate } from './groups/aggregate.js';
import type { List, OperatorContext, RecordReading, Stream } from './operator.js';
import { compileFirstRows } from './order/first-rows.js';
import { compileKnnTopK } from './order/knn-top-k.js';
import { compileLimit } from './order/limit.js';
import { compileSort, compileTopN } from './order/sort.js';
import { compileDiff } from './rows/diff.js';
import { compileFetchNode } from './rows/fetch.js';
import { compileFilter } from './rows/filter.js';
import { gather } from './rows/gather.js';
import { compileInitPlan } from './rows/init-plan.js';
import { compileOmitNode } from './rows/omit.js';
import { compileProject } from './rows/project.js';
import { compileSplitNode } from './rows/split.js';
import { compileCountEntries } from './sources/count-entries.js';
import { compileCountRecords } from './sources/count-records.js';
import { compileOneRecord } from './sources/named-record.js';
import { SOURCES } from './sources/sources.js';
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
