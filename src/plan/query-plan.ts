/** Plans as plain data, and how EXPLAIN prints them. */
import { newObject, type ObjectValue, type Value } from '../value/value.js';

/** One step of a statement, fed by its children. */
export interface PlanNode {
  readonly operator: string;
  /** By their names, in the order in which the text shows them. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The step itself, by which it is measured. */
  readonly of?: object;
  readonly children?: readonly PlanNode[];
}

export interface Metrics {
  /** Number of rows that it returned. */
  readonly rows: number;
  /** Milliseconds, without those of its children; hidden from users without the right to see timings. */
  readonly elapsed?: number | undefined;
}

/** The measurements of a run. */
export interface Measured {
  readonly totalRows: number;
  /** `undefined` for a step of which nothing is shown. */
  of(step: object): Metrics | undefined;
}

/** One line for each step, what feeds it indented below. */
export function planText(node: PlanNode, measured?: Measured): string {
  const lines: string[] = [];
  writeLines(node, measured, '', lines);
  if (measured !== undefined) lines.push('', `Total rows: ${measured.totalRows}`);
  return lines.join('\n');
}

function writeLines(node: PlanNode, measured: Measured | undefined, indent: string, lines: string[]): void {
  const { operator, attributes = {}, children = [] } = node;
  const parts = Object.entries(attributes).map(([name, value]) => `${name}: ${value}`);
  const detail = parts.length === 0 ? '' : ` [${parts.join(', ')}]`;
  const metrics = metricsOf(node, measured);
  lines.push(`${indent}${operator}${detail}${metrics === undefined ? '' : ` {${metricsText(metrics)}}`}`);
  for (const child of children) writeLines(child, measured, `${indent}    `, lines);
}

function metricsText({ rows, elapsed }: Metrics): string {
  return elapsed === undefined ? `rows: ${rows}` : `rows: ${rows}, elapsed: ${elapsed.toFixed(3)}ms`;
}

/**
 * `{operator, attributes, metrics: {output_rows, elapsed_ns}, children}`, and `total_rows` at the top; what is empty is
 * left out.
 */
export function planValue(node: PlanNode, measured?: Measured): ObjectValue {
  const value = nodeValue(node, measured);
  return measured === undefined ? value : objectOf({ ...value, total_rows: measured.totalRows });
}

function nodeValue(node: PlanNode, measured: Measured | undefined): ObjectValue {
  const { operator, attributes = {}, children = [] } = node;
  const metrics = metricsOf(node, measured);
  return objectOf({
    ...(Object.keys(attributes).length > 0 && { attributes: objectOf(attributes) }),
    ...(children.length > 0 && { children: children.map((child) => nodeValue(child, measured)) }),
    ...(metrics && {
      metrics: objectOf({
        ...(metrics.elapsed !== undefined && { elapsed_ns: Math.round(metrics.elapsed * 1e6) }),
        output_rows: metrics.rows,
      }),
    }),
    operator,
  });
}

function metricsOf({ of }: PlanNode, measured: Measured | undefined): Metrics | undefined {
  return of && measured?.of(of);
}

function objectOf(entries: Readonly<Record<string, Value>>): ObjectValue {
  const object = newObject();
  for (const name of Object.keys(entries).sort()) object[name] = entries[name];
  return object;
}
