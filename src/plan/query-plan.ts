/** Plans as plain data, which EXPLAIN prints. */
import type { Idiom } from '../language/ast.js';
import { printExpression, printIdiom } from '../language/print.js';
import { newObject, type ObjectValue, type Value } from '../value/value.js';
import type { AccessPath, IndexScan, Operand } from './access-path.js';

/** One step, fed by its children. */
export interface PlanNode {
  readonly operator: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** What running it took; only where it was run. */
  readonly metrics?: Metrics | undefined;
  readonly children: readonly PlanNode[];
}

export interface Metrics {
  /** How many rows it handed on. */
  readonly rows: number;
  /** Milliseconds, without those of its children. */
  readonly elapsed: number;
}

/**
 * How an access path finds the records of a table. To those who are subject to permissions, what a rule says isn't shown, nor which index
 * it chose.
 */
export function accessNode(path: AccessPath, isChecked: boolean): PlanNode {
  switch (path.kind) {
    case 'table-scan':
      return { operator: 'TableScan', attributes: { table: path.table }, children: [] };
    case 'record-lookup':
      return {
        operator: 'RecordLookup',
        attributes: { table: path.table, ...(isShown(path.id, isChecked) && { id: printExpression(path.id.value) }) },
        children: [],
      };
    case 'index-scan':
      return indexNode(path, isChecked);
    case 'index-union':
      return {
        operator: 'IndexUnion',
        attributes: { table: path.table },
        children: path.branches.map((branch) => indexNode(branch, isChecked)),
      };
  }
}

function indexNode(scan: IndexScan, isChecked: boolean): PlanNode {
  const { table, index, equal, from, to, anyOf } = scan;
  const operands = [...equal, from, to, anyOf].filter((operand) => operand !== undefined);
  const isPublic = operands.every((operand) => isShown(operand, isChecked));
  return {
    operator: 'IndexScan',
    attributes: isPublic ? { table, index: index.name, access: accessText(scan) } : { table, access: 'by permission' },
    children: [],
  };
}

function isShown({ from }: Operand, isChecked: boolean): boolean {
  return !isChecked || from === 'query';
}

function accessText({ index: { fields }, equal, from, to, anyOf }: IndexScan): string {
  const compare = (field: Idiom | undefined, operator: string, { value }: Operand) =>
    `${field === undefined ? '' : printIdiom(field)} ${operator} ${printExpression(value)}`;
  const next = fields[equal.length];
  return [
    ...equal.map((operand, at) => compare(fields[at], '=', operand)),
    ...(from ? [compare(next, from.inclusive ? '>=' : '>', from)] : []),
    ...(to ? [compare(next, to.inclusive ? '<=' : '<', to)] : []),
    ...(anyOf ? [compare(next, 'IN', anyOf)] : []),
  ].join(' AND ');
}

/** One line for each step, children indented below what they feed. */
export function planText(node: PlanNode): string {
  const lines: string[] = [];
  writeLines(node, '', lines);
  if (node.metrics !== undefined) lines.push('', `Total rows: ${node.metrics.rows}`);
  return lines.join('\n');
}

function writeLines({ operator, attributes, metrics, children }: PlanNode, indent: string, lines: string[]): void {
  const told = Object.entries(attributes).map(([name, value]) => `${name}: ${value}`);
  const detail = told.length === 0 ? '' : ` [${told.join(', ')}]`;
  const measured = metrics && ` {rows: ${metrics.rows}, elapsed: ${metrics.elapsed.toFixed(3)}ms}`;
  lines.push(`${indent}${operator}${detail}${measured ?? ''}`);
  for (const child of children) writeLines(child, `${indent}    `, lines);
}

/** `{operator, attributes, metrics: {rows, elapsed_ns}, children}`; what is empty is left out. */
export function planValue({ operator, attributes, metrics, children }: PlanNode): ObjectValue {
  const plan = newObject();
  if (Object.keys(attributes).length > 0) plan['attributes'] = objectOf(attributes);
  if (children.length > 0) plan['children'] = children.map(planValue);
  if (metrics !== undefined) {
    plan['metrics'] = objectOf({ elapsed_ns: Math.round(metrics.elapsed * 1e6), rows: metrics.rows });
  }
  plan['operator'] = operator;
  return plan;
}

function objectOf(entries: Readonly<Record<string, Value>>): ObjectValue {
  const object = newObject();
  for (const name of Object.keys(entries).sort()) object[name] = entries[name];
  return object;
}
