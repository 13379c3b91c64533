/** Clauses that several statements share, as text; `undefined` for those that aren't there. */
import { formatDuration } from '../../value/time/duration.js';
import { Duration } from '../../value/value.js';
import type {
  Assignment,
  Data,
  ExplainClause,
  Expression,
  Group,
  Idiom,
  IndexHints,
  Level,
  Order,
  OrderKey,
  Output,
  Projection,
  Projections,
  Statement,
} from '../ast.js';
import { POWER } from '../precedence.js';
import { clause, clauses, list, type Printer, plainName } from './printer.js';

export function projectionsText(projections: Projections, printer: Printer): string {
  if (projections.kind === 'fields') return list(projections.items, (item) => projectionText(item, printer));
  const { expression, alias } = projections;
  return `VALUE ${printer.expression(expression)}${clauses(clause('AS', alias, printer.idiom))}`;
}

function projectionText(projection: Projection, printer: Printer): string {
  if (projection.kind === 'all') return '*';
  const { expression, alias } = projection;
  return printer.expression(expression) + clauses(clause('AS', alias, printer.idiom));
}

export function hintsText(hints: IndexHints | undefined): string | undefined {
  if (hints === undefined) return undefined;
  return hints.kind === 'noindex' ? 'WITH NOINDEX' : `WITH INDEX ${list(hints.names, plainName)}`;
}

export function splitText(split: readonly Idiom[] | undefined, printer: Printer): string | undefined {
  return clause('SPLIT ON', split, (paths) => list(paths, printer.idiom));
}

export function groupText(group: Group | undefined, printer: Printer): string | undefined {
  if (group === undefined) return undefined;
  return group.kind === 'all' ? 'GROUP ALL' : `GROUP BY ${list(group.paths, printer.idiom)}`;
}

export function orderText(order: Order | undefined, printer: Printer): string | undefined {
  if (order === undefined) return undefined;
  return `ORDER BY ${order.kind === 'random' ? 'RAND()' : list(order.keys, (key) => orderKeyText(key, printer))}`;
}

function orderKeyText({ path, collate, numeric, descending }: OrderKey, printer: Printer): string {
  return printer.idiom(path) + clauses(collate && 'COLLATE', numeric && 'NUMERIC', descending && 'DESC');
}

export function limitText(
  limit: Expression | undefined,
  start: Expression | undefined,
  printer: Printer,
): string | undefined {
  const text = clauses(clause('LIMIT', limit, printer.expression), clause('START', start, printer.expression));
  return text === '' ? undefined : text.slice(1);
}

export function expressionsText(
  keyword: string,
  expressions: readonly Expression[] | undefined,
  printer: Printer,
): string | undefined {
  return clause(keyword, expressions, (items) => list(items, printer.expression));
}

export function dataText(data: Data | undefined, printer: Printer): string | undefined {
  if (data === undefined) return undefined;
  if (data.kind === 'set') return `SET ${assignmentsText(data.assignments, printer)}`;
  if (data.kind === 'unset') return `UNSET ${list(data.paths, printer.idiom)}`;
  return `${data.kind.toUpperCase()} ${printer.expression(data.value)}`;
}

export function assignmentsText(assignments: readonly Assignment[], printer: Printer): string {
  return list(
    assignments,
    ({ path, operator, value }) => `${printer.idiom(path)} ${operator} ${printer.expression(value)}`,
  );
}

export function outputText(output: Output | undefined, printer: Printer): string | undefined {
  if (output === undefined) return undefined;
  if (output.kind !== 'project') return `RETURN ${output.kind.toUpperCase()}`;
  // As the first projection these are values, not what the clause means by them.
  return `RETURN ${projectionsText(output.projections, printer).replace(/^(?:NONE|NULL)\b/, '($&)')}`;
}

export function explainText(explain: ExplainClause | undefined): string | undefined {
  if (explain === undefined) return undefined;
  return explain === 'full' ? 'EXPLAIN FULL' : 'EXPLAIN';
}

export function levelText(level: Level): string {
  return `ON ${level.toUpperCase()}`;
}

/** Prints nanoseconds as a duration literal: `90_000_000_000n` is `1m30s`. */
export function durationText(nanoseconds: bigint): string {
  return formatDuration(new Duration(nanoseconds));
}

/**
 * An expression as the clause of a definition: what reaches far to the right, and would swallow the next clause for the
 * reader's eye, in parentheses, but `RETURN 1` and the like without.
 */
export function codeText(expression: Expression, printer: Printer): string {
  if (expression.kind === 'closure' || expression.kind === 'range') return printer.expression(expression);
  if (expression.kind !== 'subquery' || !isBare(expression.statement)) return printer.operand(expression, POWER.or);
  return printer.statement(expression.statement);
}

function isBare(statement: Statement): boolean {
  if (statement.kind === 'return') return statement.fetch === undefined;
  return statement.kind === 'throw' || statement.kind === 'break' || statement.kind === 'continue';
}
