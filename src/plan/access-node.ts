/** Access paths as steps of a plan. */
import type { Idiom } from '../language/ast.js';
import { printExpression, printIdiom } from '../language/print.js';
import { type AccessPath, type Bounds, type Direction, ID, type IndexScan, type Operand } from './access-path.js';
import type { PlanNode } from './query-plan.js';

/**
 * How the records of a table are found. Those who are subject to permissions aren't told what a rule makes of it, only what their own
 * condition does.
 */
export function accessNode(path: AccessPath, isChecked: boolean): PlanNode {
  if (isChecked && !isByQuery(path)) return permittedScan(path.table);
  switch (path.kind) {
    case 'table-scan':
      return { operator: 'TableScan', attributes: { table: path.table, ...ordered(path) } };
    case 'record-lookup':
      return { operator: 'RecordLookup', attributes: { table: path.table, id: printExpression(path.id.value) } };
    case 'record-range':
      return {
        operator: 'RangeScan',
        attributes: { table: path.table, access: boundsText(ID, path).join(' AND '), ...ordered(path) },
      };
    case 'index-scan':
      return indexNode(path);
    case 'index-union':
      return { operator: 'IndexUnion', attributes: { table: path.table }, children: path.branches.map(indexNode) };
  }
}

/** Whatever the permissions leave of a table, however it is found. */
export function permittedScan(table: string): PlanNode {
  return { operator: 'PermittedScan', attributes: { table } };
}

/** Whether the path was chosen by nothing but the condition of the query. */
function isByQuery(path: AccessPath): boolean {
  switch (path.kind) {
    case 'table-scan':
      return false;
    case 'record-lookup':
      return path.id.from === 'query';
    case 'record-range':
      return [path.from, path.to].every((limit) => limit === undefined || limit.from === 'query');
    case 'index-scan':
      return operandsOf(path).every(({ from }) => from === 'query');
    case 'index-union':
      return path.branches.every(isByQuery);
  }
}

function operandsOf({ equal, from, to, anyOf }: IndexScan): readonly Operand[] {
  return [...equal, from, to, anyOf].filter((operand) => operand !== undefined);
}

function indexNode(scan: IndexScan): PlanNode {
  return {
    operator: 'IndexScan',
    attributes: {
      table: scan.table,
      index: scan.index.name,
      ...(operandsOf(scan).length > 0 && { access: accessText(scan) }),
      ...ordered(scan),
    },
  };
}

function ordered({ direction }: { readonly direction?: Direction }): { order?: Direction } {
  return direction === undefined ? {} : { order: direction };
}

function accessText(scan: IndexScan): string {
  const { index, equal, anyOf } = scan;
  const fields = [...index.fields, ID];
  const next = fields[equal.length] ?? ID;
  return [
    ...equal.map((operand, at) => comparisonText(fields[at] ?? ID, '=', operand)),
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
  return `${printIdiom(field)} ${operator} ${printExpression(value)}`;
}
