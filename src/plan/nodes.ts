/**
 * The plan of a statement: a tree of plain data in the field's terms, made by `bind-*.ts`, rewritten by `rules/`,
 * printed by EXPLAIN (`describe.ts`) and run by `query/operators`. The plan is complete: nothing is decided later.
 */
import type { IndexDefinition } from '../catalog/definitions/definition.js';
import type {
  Binary,
  Call,
  Expression,
  Group,
  Idiom,
  MatchesOperator,
  Order,
  Projection,
  Projections,
  RecordIdLiteral,
  Subquery,
} from '../language/ast.js';
import type { Metric } from '../vectors/metric.js';

export type PlanTree = RowNode | ChangeNode | ViewNode;

/** Nodes that produce rows. */
export type RowNode = StreamNode | ListNode;

/** Nodes that hand rows on as they find them. */
export type StreamNode = SourceNode | Filter | KnnTopK | FirstRows | Split;

/** Nodes that produce all of their rows together. */
export type ListNode =
  | Aggregate
  | Sort
  | TopN
  | Limit
  | Project
  | Diff
  | Omit
  | Fetch
  | CountRecords
  | CountEntries
  | InitPlan;

/** Sources of rows. */
export type SourceNode = Access | NamedRecord | NamedRange | Values | GraphExpand | SubqueryRows | Union | Changes;

/** Access paths to the records of one table. */
export type Access = TableScan | PointLookup | ListLookup | RangeScan | IndexAccess | UnionScan | KnnScan;

/** Access paths by an index. */
export type IndexAccess = IndexScan | FullTextScan;

/** Nodes that change the records that they find. */
export type ChangeNode = Update | Upsert | Delete | LiveQuery;

/** Nodes that keep the records of a view, which derive from the rows of its sources. */
export type ViewNode = MaterializeRows | MaterializeGroups;

/** The direction of an access path, if it produces rows in the requested order. */
export type Direction = 'forward' | 'backward';

export interface TableScan {
  readonly kind: 'table-scan';
  readonly table: string;
  readonly direction?: Direction;
}

/** At most one record can meet the condition, since it says which: `WHERE id = $auth`. */
export interface PointLookup {
  readonly kind: 'point-lookup';
  readonly table: string;
  readonly id: Operand;
}

/** Only the records of a list can meet the condition: `WHERE id IN $followed`. Those found come in the order of ids. */
export interface ListLookup {
  readonly kind: 'list-lookup';
  readonly table: string;
  readonly ids: Operand;
}

/** Only records whose ids lie between bounds can meet the condition: `WHERE id > $last`. */
export interface RangeScan extends Bounds {
  readonly kind: 'range-scan';
  readonly table: string;
  readonly direction?: Direction;
}

/**
 * The bounds are those of the field after the ones that are equal to something; after all fields of a plain index comes
 * the id.
 */
export interface IndexScan extends Bounds {
  readonly kind: 'index-scan';
  readonly table: string;
  readonly index: IndexDefinition;
  /** The values of the leading fields of the index, in their order. */
  readonly equal: readonly Operand[];
  /** A list of which the field after them equals an element. */
  readonly anyOf?: Operand;
  readonly direction?: Direction;
  /** Rows that are equal but for their ids come in the opposite order of these: `ORDER BY name, id DESC`. */
  readonly idsReversed?: true;
}

/** The records whose texts match a query: `body @1@ 'green tea'`. */
export interface FullTextScan {
  readonly kind: 'full-text-scan';
  readonly table: string;
  readonly index: IndexDefinition;
  /** The condition, by which functions on the match know it. */
  readonly condition: Binary;
  readonly operator: MatchesOperator;
  readonly query: Operand;
  /** Scores are requested, and the reader may see everything in the index. */
  readonly scored: boolean;
  /** Hidden records may be found: each is evaluated as the reader sees it. */
  readonly isUncertain: boolean;
  /** The best matches first. */
  readonly direction?: 'forward';
  /** The scan of another index that lists all that the reader may see: if these are few, their texts are looked at. */
  readonly permitted?: IndexScan;
}

/** The records of an HNSW index by how near their vectors lie, nearest first: `v <|k,ef|> $point`. */
export interface KnnScan {
  readonly kind: 'knn-scan';
  readonly table: string;
  readonly index: IndexDefinition;
  readonly vector: Expression;
  readonly k: number;
  readonly ef: number;
  /** Scans of other indexes that list all that can meet the other conditions: if these are few, they are measured. */
  readonly within?: readonly IndexScan[];
}

/** One scan for each alternative of a condition: `a = 1 OR b = 2`. */
export interface UnionScan {
  readonly kind: 'union-scan';
  readonly table: string;
  readonly branches: readonly IndexAccess[];
}

/**
 * The operand of a comparison: of the query, or of a clause of PERMISSIONS, which is evaluated without regard to what
 * its subject may see.
 */
export interface Operand {
  readonly value: Expression;
  readonly from: 'query' | 'rule';
}

export interface Bound extends Operand {
  readonly inclusive: boolean;
}

export interface Bounds {
  readonly from?: Bound;
  readonly to?: Bound;
}

/** One record that the statement names. */
export interface NamedRecord {
  readonly kind: 'named-record';
  readonly id: Expression;
  /** It is only shown: it is read without batches (the rule `direct-lookup`). */
  readonly direct?: true;
}

/** A range of records that the statement names: `person:1..5`. */
export interface NamedRange {
  readonly kind: 'named-range';
  readonly range: RecordIdLiteral | Expression;
}

/** The values of an expression: values, records or tables, known at run time. */
export interface Values {
  readonly kind: 'values';
  readonly expression: Expression;
}

/** The records that paths of a graph lead to. */
export interface GraphExpand {
  readonly kind: 'graph-expand';
  readonly expression: Idiom;
}

/** The rows of another statement. */
export interface SubqueryRows {
  readonly kind: 'subquery';
  readonly expression: Subquery;
}

/** The rows of several sources, one after the other. */
export interface Union {
  readonly kind: 'union';
  readonly targets: readonly Expression[];
  /** One for each target. */
  readonly inputs: readonly SourceNode[];
}

/** The records of tables as they are changed, one at a time. */
export interface Changes {
  readonly kind: 'changes';
  readonly tables: readonly Expression[];
}

/** WHERE. The leading parts of an AND may be evaluated a batch at a time (the rule `batch-filter`). */
export interface Filter {
  readonly kind: 'filter';
  readonly condition: Expression;
  readonly batched?: readonly Expression[];
  /** Subqueries that are evaluated once for a batch of rows (the rule `uncorrelated-subquery`). */
  readonly shared?: readonly Subquery[];
  readonly input: StreamNode;
}

/** The rows that lie nearest to a vector, found by looking at all: nearest first. */
export interface KnnTopK {
  readonly kind: 'knn-top-k';
  readonly field: Expression;
  readonly vector: Expression;
  readonly k: number;
  readonly metric: Metric;
  /** The table of which packed vectors are kept (the rule `packed-vectors`). */
  readonly packed?: string;
  readonly input: StreamNode;
}

/** The first rows as they come. */
export interface FirstRows {
  readonly kind: 'first-rows';
  readonly most: number;
  readonly input: StreamNode;
}

export interface Split {
  readonly kind: 'split';
  readonly on: readonly Idiom[];
  readonly input: StreamNode;
}

export interface Aggregate {
  readonly kind: 'aggregate';
  readonly group: Group;
  readonly projections: Projections;
  readonly input: StreamNode;
}

export interface Sort {
  readonly kind: 'sort';
  readonly order: Order;
  /** The later projections, one of which a key may name by its alias. */
  readonly projections?: Projections;
  /** The order in which rows may come, so that enough of them can be known early. */
  readonly wanted?: OrderWanted;
  readonly input: RowNode;
}

/** The first rows of an order, as many as the LIMIT above needs. */
export interface TopN {
  readonly kind: 'top-n';
  readonly order: Order;
  readonly projections?: Projections;
  /** The order in which rows may come, so that enough of them can be known early. */
  readonly wanted?: OrderWanted;
  readonly input: RowNode;
}

export interface Limit {
  readonly kind: 'limit';
  readonly limit?: Expression;
  readonly start?: Expression;
  /** Whether rows are taken as they come from one table. */
  readonly isPlainScan: boolean;
  /** Rows before START are passed over by their keys (the rule `offset-pushdown`). */
  readonly skipsKeys?: true;
  readonly input: RowNode;
}

export interface Project {
  readonly kind: 'project';
  readonly projections: Projections;
  /** Whether a row that isn't there is left out, since nothing but its fields would be shown. */
  readonly skipsMissing: boolean;
  readonly input: RowNode;
}

/** The change of a record as a JSON patch: `LIVE SELECT DIFF`. */
export interface Diff {
  readonly kind: 'diff';
  readonly input: RowNode;
}

export interface Omit {
  readonly kind: 'omit';
  readonly fields: readonly Expression[];
  readonly input: RowNode;
}

export interface Fetch {
  readonly kind: 'fetch';
  readonly fields: readonly Expression[];
  readonly input: RowNode;
}

/** `count()` as the only projection, where keys tell the number without a record being read. */
export interface CountRecords {
  readonly kind: 'count-records';
  readonly table: string;
  readonly item: CountItem;
}

/** The same by the entries of an index, which answers the condition alone. */
export interface CountEntries {
  readonly kind: 'count-entries';
  readonly table: string;
  readonly access: IndexScan | FullTextScan;
  readonly item: CountItem;
  /** The fallback if the values are such that entries aren't records. */
  readonly otherwise: Aggregate;
}

/**
 * Subqueries that have the same value for all rows of the plan below, each computed at most once: when a row needs it
 * (the rule `uncorrelated-subquery`).
 */
export interface InitPlan {
  readonly kind: 'init-plan';
  readonly subqueries: readonly Subquery[];
  readonly input: RowNode;
}

/** The projection that counts. */
export interface CountItem {
  readonly projection: Projection & { readonly expression: Call };
  readonly isValue: boolean;
}

export interface Update {
  readonly kind: 'update';
  readonly targets: readonly Expression[];
  readonly input: StreamNode;
}

export interface Upsert {
  readonly kind: 'upsert';
  readonly targets: readonly Expression[];
  /** Without it nothing is looked for. */
  readonly input?: StreamNode;
}

export interface Delete {
  readonly kind: 'delete';
  readonly targets: readonly Expression[];
  readonly input: StreamNode;
}

/** Sends changes as they are committed. */
export interface LiveQuery {
  readonly kind: 'live';
  readonly input: RowNode;
}

/** A view without GROUP: for each row a record under the same key. */
export interface MaterializeRows {
  readonly kind: 'materialize-rows';
  readonly view: string;
  readonly projections: Projections;
  readonly input: StreamNode;
}

/** A view with GROUP: a record for each group, made of incremental aggregates. */
export interface MaterializeGroups {
  readonly kind: 'materialize-groups';
  readonly view: string;
  /** The key of a row's group. */
  readonly keys: readonly Expression[];
  /** The calls of aggregate functions. */
  readonly aggregates: readonly Call[];
  readonly columns: readonly GroupColumn[];
  readonly input: StreamNode;
}

/** A field of a group's record. */
export interface GroupColumn {
  /** Its source expression, which names it. */
  readonly item: NamedProjection;
  /** The same over params that denote keys and aggregates (`bind-view.ts`). */
  readonly value: Expression;
}

export type NamedProjection = Extract<Projection, { readonly kind: 'expression' }>;

/** The requested order of the first rows, by plain paths. */
export interface OrderWanted {
  /** In a `Sort` those by which the rows below it come in order. */
  readonly keys: readonly OrderKeyWanted[];
  /** Whether rows whose keys are equal come in another order than is wanted of them: that of their ids. */
  readonly sortsEqual?: true;
  /** Without keys: the best matches of a condition, by the score of `call`. */
  readonly score?: { readonly condition: Binary; readonly call: Call };
}

export interface OrderKeyWanted {
  readonly path: Idiom;
  readonly direction: Direction;
}

const ACCESSES: { readonly [Kind in Access['kind']]: true } = {
  'table-scan': true,
  'point-lookup': true,
  'list-lookup': true,
  'range-scan': true,
  'index-scan': true,
  'full-text-scan': true,
  'union-scan': true,
  'knn-scan': true,
};

/** Whether a node finds the records of one table. */
export function isAccess(node: PlanTree): node is Access {
  return Object.hasOwn(ACCESSES, node.kind);
}

const STREAMS: { readonly [Kind in StreamNode['kind']]: true } = {
  ...ACCESSES,
  'named-record': true,
  'named-range': true,
  values: true,
  'graph-expand': true,
  subquery: true,
  union: true,
  changes: true,
  filter: true,
  'knn-top-k': true,
  'first-rows': true,
  split: true,
};

/** Whether a node hands its rows on as it finds them. */
export function isStream(node: PlanTree): node is StreamNode {
  return Object.hasOwn(STREAMS, node.kind);
}
