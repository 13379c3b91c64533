/** Clauses of definitions as text. */

import { quoteString } from '../../value/text/quote.js';
import { formatDuration } from '../../value/time/duration.js';
import { Duration } from '../../value/value.js';
import type { Changefeed, ComputedClauses, Durations, Expression, InGraphql, Permission, Statement } from '../ast.js';
import { POWER } from '../precedence.js';
import { clause, clauses, type Printer, plainName } from './printer.js';

export const REDACTED_LITERAL = "'[REDACTED]'";

/** `DEFINE KIND [OVERWRITE|IF NOT EXISTS]`. */
export function head(kind: string, mode: 'overwrite' | 'if-not-exists' | undefined): string {
  return `DEFINE ${kind}${clauses(mode === 'overwrite' && 'OVERWRITE', mode === 'if-not-exists' && 'IF NOT EXISTS')}`;
}

/** `COMMENT …`, as an expression if it isn't settled yet; `undefined` without one. */
export function commentText(
  { comment, computedClauses }: { readonly comment?: string; readonly computedClauses?: ComputedClauses },
  printer: Printer,
): string | undefined {
  if (computedClauses?.comment !== undefined) return `COMMENT ${printer.expression(computedClauses.comment)}`;
  return comment === undefined ? undefined : `COMMENT ${quoteString(comment)}`;
}

/** `GRAPHQL_ALIAS` and `GRAPHQL_DEPRECATED`, each `undefined` if the definition has none. */
export function graphqlTexts({ graphqlAlias, graphqlDeprecated }: InGraphql): (string | undefined)[] {
  return [
    clause('GRAPHQL_ALIAS', graphqlAlias, quoteString),
    clause('GRAPHQL_DEPRECATED', graphqlDeprecated, quoteString),
  ];
}

/** Prints nanoseconds as a duration literal: `90_000_000_000n` is `1m30s`. */
export function durationText(nanoseconds: bigint): string {
  return formatDuration(new Duration(nanoseconds));
}

/** `CHANGEFEED 3d INCLUDE ORIGINAL`; `undefined` without a changefeed. */
export function changefeedText(changefeed: Changefeed | undefined): string | undefined {
  if (changefeed === undefined) return undefined;
  return `CHANGEFEED ${durationText(changefeed.retention)}${changefeed.original ? ' INCLUDE ORIGINAL' : ''}`;
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

/** One permission: `NONE`, `FULL` or `WHERE …`. */
export function permissionText(permission: Permission, printer: Printer): string {
  return permission.kind === 'where'
    ? `WHERE ${codeText(permission.condition, printer)}`
    : permission.kind.toUpperCase();
}

/**
 * Permissions of one action each, equal ones together, in the order of the actions. One word is enough for `uniform`
 * ones.
 */
export function permissionsText<Action extends string>(
  permissions: Readonly<Record<Action, Permission>>,
  actions: readonly Action[],
  uniform: readonly string[],
  printer: Printer,
): string {
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    const text = permissionText(permissions[action], printer);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [action]);
    else group.push(action);
  }
  const [only] = groups.keys();
  if (groups.size === 1 && only !== undefined && uniform.includes(only)) return `PERMISSIONS ${only}`;
  const parts = [...groups].map(([text, group]) => `FOR ${group.join(', ')} ${text}`);
  return `PERMISSIONS ${parts.join(', ')}`;
}

/** `DURATION FOR TOKEN 1h, FOR SESSION NONE` for the kinds that are there. */
export function durationsText(
  durations: Durations,
  computed: ComputedClauses['durations'],
  kinds: readonly (keyof Durations)[],
  printer: Printer,
): string | undefined {
  const parts: string[] = [];
  for (const kind of kinds) {
    const given = computed?.[kind];
    if (given === undefined && !(kind in durations)) continue;
    const duration = durations[kind];
    const fixed = duration === undefined ? 'NONE' : durationText(duration);
    parts.push(`FOR ${kind.toUpperCase()} ${given === undefined ? fixed : printer.expression(given)}`);
  }
  return parts.length === 0 ? undefined : `DURATION ${parts.join(', ')}`;
}

/** `fn::a::b`. */
export function functionPath(name: string): string {
  return `fn::${name.split('::').map(plainName).join('::')}`;
}
