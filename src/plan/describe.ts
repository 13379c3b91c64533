/**
 * Plans as EXPLAIN prints them: one entry for each kind of node, and what those are shown who are subject to
 * PERMISSIONS.
 */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Expression, Idiom, Statement } from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import { printExpression, printIdiom, printOrder, printProjections } from '../language/print.js';
import { isArray } from '../value/value.js';
import { metricText } from '../vectors/metric.js';
import { operandsOf as operandsJoined } from './access/comparisons.js';
import { ID_PATH } from './access/order.js';
import {
  type Access,
  type Bounds,
  type Direction,
  type IndexScan,
  type InitPlan,
  isAccess,
  type Operand,
  type PlanTree,
} from './nodes.js';
import type { PlanNode } from './query-plan.js';

export interface Describing {
  /** Whether the effects of PERMISSIONS on access paths are hidden. */
  readonly folds: boolean;
  /** Whether nothing may be seen of a table at all. */
  isClosed(table: string): boolean;
  /** The plan of a statement inside of another. */
  nested(statement: Statement): PromiseOrValue<PlanNode>;
}

interface Description {
  readonly operator: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

type Of<Kind extends PlanTree['kind']> = Extract<PlanTree, { readonly kind: Kind }>;

const DESCRIPTIONS: { readonly [Kind in PlanTree['kind']]: (node: Of<Kind>) => Description } = {
  'table-scan': ({ table, direction }) => ({ operator: 'TableScan', attributes: { table, ...ordered(direction) } }),
  'point-lookup': ({ table, id }) => ({
    operator: 'PointLookup',
    attributes: { table, id: operandText(id.value) },
  }),
  'list-lookup': ({ table, ids }) => ({
    operator: 'ListLookup',
    attributes: { table, ids: operandText(ids.value) },
  }),
  'range-scan': (scan) => ({
    operator: 'RangeScan',
    attributes: { table: scan.table, access: boundsText(ID_PATH, scan).join(' AND '), ...ordered(scan.direction) },
  }),
  'index-scan': (scan) => ({ operator: 'IndexScan', attributes: indexAttributes(scan) }),
  'full-text-scan': (scan) => ({ operator: 'FullTextScan', attributes: searchAttributes(scan) }),
  'union-scan': ({ table }) => ({ operator: 'UnionScan', attributes: { table } }),
  'named-record': ({ id, direct }) => ({
    operator: 'PointLookup',
    attributes: { ...tableOf(id), id: printExpression(id), ...(direct && { direct: 'true' }) },
  }),
  'named-range': ({ range }) => ({
    operator: 'RangeScan',
    attributes: { ...tableOf(range), range: printExpression(range) },
  }),
  values: ({ expression }) => ({ operator: 'Values', attributes: { expression: printExpression(expression) } }),
  'graph-expand': ({ expression }) => ({ operator: 'GraphExpand', attributes: { path: printIdiom(expression) } }),
  subquery: () => ({ operator: 'Subquery' }),
  union: () => ({ operator: 'Union' }),
  changes: ({ tables }) => ({ operator: 'Changes', attributes: { table: list(tables) } }),
  filter: ({ condition, batched, shared }) => ({
    operator: 'Filter',
    attributes: {
      condition: printExpression(condition),
      ...(batched && { batched: batchedText(condition, batched) }),
      ...(shared && { shared: shared.map(operandText).join(', ') }),
    },
  }),
  'knn-scan': ({ table, index, k, ef }) => ({
    operator: 'KnnScan',
    attributes: {
      table,
      index: index.name,
      field: list(index.fields),
      k: String(k),
      ef: String(ef),
      ...('dimension' in index.indexKind && { dimension: String(index.indexKind.dimension) }),
    },
  }),
  'first-rows': ({ most }) => ({ operator: 'FirstRows', attributes: { limit: String(most) } }),
  'knn-top-k': ({ field, vector, k, metric, packed }) => ({
    operator: 'KnnTopK',
    attributes: {
      field: printExpression(field),
      k: String(k),
      distance: metricText(metric),
      ...dimensionOf(vector),
      ...(packed !== undefined && { packed: 'true' }),
    },
  }),
  split: ({ on }) => ({ operator: 'Split', attributes: { on: list(on) } }),
  aggregate: ({ group, projections }) => ({
    operator: 'Aggregate',
    attributes: { by: group.kind === 'all' ? 'ALL' : list(group.paths), projections: printProjections(projections) },
  }),
  sort: ({ order }) => ({ operator: 'Sort', attributes: { by: (printOrder(order) ?? '').replace('ORDER BY ', '') } }),
  'top-n': ({ order }) => ({
    operator: 'TopN',
    attributes: { by: (printOrder(order) ?? '').replace('ORDER BY ', '') },
  }),
  limit: ({ limit, start, skipsKeys }) => ({
    operator: 'Limit',
    attributes: {
      ...(limit && { limit: printExpression(limit) }),
      ...(start && { start: printExpression(start) }),
      ...(skipsKeys && { skips: 'keys' }),
    },
  }),
  project: ({ projections }) => ({ operator: 'Project', attributes: { projections: printProjections(projections) } }),
  diff: () => ({ operator: 'Diff' }),
  omit: ({ fields }) => ({ operator: 'Omit', attributes: { fields: list(fields) } }),
  fetch: ({ fields }) => ({ operator: 'Fetch', attributes: { fields: list(fields) } }),
  'count-records': ({ table }) => ({ operator: 'CountRecords', attributes: { table } }),
  'count-entries': ({ access }) => ({
    operator: 'CountEntries',
    attributes: access.kind === 'full-text-scan' ? searchAttributes(access) : indexAttributes(access),
  }),
  'init-plan': ({ subqueries }) => ({
    operator: 'InitPlan',
    attributes: { subqueries: subqueries.map(operandText).join(', ') },
  }),
  update: ({ targets }) => ({ operator: 'Update', attributes: { targets: list(targets) } }),
  upsert: ({ targets }) => ({ operator: 'Upsert', attributes: { targets: list(targets) } }),
  delete: ({ targets }) => ({ operator: 'Delete', attributes: { targets: list(targets) } }),
  live: () => ({ operator: 'Live' }),
  'materialize-rows': ({ view, projections }) => ({
    operator: 'MaterializeRows',
    attributes: { view, projections: printProjections(projections) },
  }),
  'materialize-groups': ({ view, keys, aggregates }) => ({
    operator: 'MaterializeGroups',
    attributes: { view, by: keys.length === 0 ? 'ALL' : list(keys), aggregates: list(aggregates) },
  }),
};

/** The printed tree. */
export function describe(node: PlanTree, describing: Describing): PromiseOrValue<PlanNode> {
  if (describing.folds && isAccess(node) && (!isByQuery(node) || describing.isClosed(node.table))) {
    return { operator: 'PermittedScan', attributes: { table: node.table }, of: node };
  }
  const make = DESCRIPTIONS[node.kind] as (node: PlanTree) => Description;
  return andThen(
    childrenOf(node, describing),
    (children): PlanNode => ({
      ...make(node),
      ...(!(describing.folds && choosesByHidden(node)) && { of: node }),
      ...(children.length > 0 && { children }),
    }),
  );
}

/** Whether the number of its rows would show how many rows match that the reader may not see. */
function choosesByHidden(node: PlanTree): boolean {
  return node.kind === 'full-text-scan' && node.permitted !== undefined;
}

function childrenOf(node: PlanTree, describing: Describing): PromiseOrValue<readonly PlanNode[]> {
  if (node.kind === 'subquery') return andThen(describing.nested(node.expression.statement), (plan) => [plan]);
  if (node.kind === 'init-plan') return planWithSubqueries(node, describing);
  const below: readonly PlanTree[] =
    'input' in node && node.input !== undefined
      ? [node.input]
      : node.kind === 'union'
        ? node.inputs
        : node.kind === 'union-scan'
          ? node.branches
          : node.kind === 'knn-scan'
            ? (node.within ?? []).filter(isByQuery)
            : node.kind === 'full-text-scan' && node.permitted !== undefined
              ? [node.permitted]
              : [];
  return mapInOrder(below, (each) => describe(each, describing));
}

/** The plan that uses subqueries, and those of the subqueries. */
async function planWithSubqueries({ input, subqueries }: InitPlan, describing: Describing): Promise<PlanNode[]> {
  const plan = await describe(input, describing);
  const nested = await mapInOrder(subqueries, ({ statement }) => describing.nested(statement));
  return [plan, ...nested.map((each) => ({ operator: 'Subquery', children: [each] }))];
}

/** Whether an access was chosen by nothing but the condition of the query. */
const IS_BY_QUERY: { readonly [Kind in Access['kind']]: (access: Of<Kind>) => boolean } = {
  // The visible part of a table depends on permissions.
  'table-scan': () => false,
  'point-lookup': ({ id }) => id.from === 'query',
  'list-lookup': ({ ids }) => ids.from === 'query',
  'range-scan': ({ from, to }) => [from, to].every((bound) => bound === undefined || bound.from === 'query'),
  'index-scan': (scan) => operandsOf(scan).every(({ from }) => from === 'query'),
  'full-text-scan': ({ query }) => query.from === 'query',
  'union-scan': ({ branches }) => branches.every(isByQuery),
  'knn-scan': () => true,
};

function isByQuery(access: Access): boolean {
  return (IS_BY_QUERY[access.kind] as (access: Access) => boolean)(access);
}

function operandsOf({ equal, from, to, anyOf }: IndexScan): readonly Operand[] {
  return [...equal, from, to, anyOf].filter((operand) => operand !== undefined);
}

function searchAttributes(scan: Of<'full-text-scan'>): Readonly<Record<string, string>> {
  const { table, index, condition, operator, query, scored, direction } = scan;
  return {
    table,
    index: index.name,
    query: printExpression(query.value),
    ...(operator.operator !== undefined && { operator: operator.operator }),
    path: printExpression(condition.left),
    ...(scored && { scores: 'true' }),
    ...(direction && { order: 'best first' }),
  };
}

function indexAttributes(scan: IndexScan): Record<string, string> {
  return {
    table: scan.table,
    index: scan.index.name,
    ...(operandsOf(scan).length > 0 && { access: accessText(scan) }),
    ...ordered(scan.direction),
  };
}

/** The length of a literal vector. */
function dimensionOf(vector: Expression): { dimension?: string } {
  const known = constantValue(vector);
  return known !== undefined && isArray(known.value) ? { dimension: String(known.value.length) } : {};
}

function ordered(direction: Direction | undefined): { order?: Direction } {
  return direction === undefined ? {} : { order: direction };
}

function tableOf(id: Expression): { table?: string } {
  return id.kind === 'record-id' ? { table: id.table } : {};
}

function accessText(scan: IndexScan): string {
  const { index, equal, anyOf } = scan;
  const fields = [...index.fields, ID_PATH];
  const next = fields[equal.length] ?? ID_PATH;
  return [
    ...equal.map((operand, at) => comparisonText(fields[at] ?? ID_PATH, '=', operand)),
    ...boundsText(next, scan),
    ...(anyOf ? [comparisonText(next, 'IN', anyOf)] : []),
  ].join(' AND ');
}

function boundsText(field: Idiom, { from, to }: Bounds): string[] {
  return [
    ...(from ? [comparisonText(field, from.inclusive ? '>=' : '>', from)] : []),
    ...(to ? [comparisonText(field, to.inclusive ? '<=' : '<', to)] : []),
  ];
}

function comparisonText(field: Idiom, operator: string, { value }: Operand): string {
  return `${printIdiom(field)} ${operator} ${operandText(value)}`;
}

/** As within an expression, where subqueries stand in parentheses. */
function operandText(value: Expression): string {
  return value.kind === 'subquery' ? `(${printExpression(value)})` : printExpression(value);
}

function batchedText(condition: Expression, batched: readonly Expression[]): string {
  return batched.length === operandsJoined(condition, '&&').length ? 'all' : list(batched);
}

function list(items: readonly Expression[]): string {
  return items.map((item) => printExpression(item)).join(', ');
}
