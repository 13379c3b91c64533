/** What EXPLAIN PERMISSIONS FOR says of one clause: whether it allows, and by which of its conditions. */
import { forEachInOrder } from '../../base/promise-or-value.js';
import type { Principal } from '../../catalog/principal.js';
import type { Expression, Permission } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { toText } from '../../value/text/text.js';
import type { Value } from '../../value/value.js';
import { clauseText, objectOf } from './permissions.js';

/** The verdict of one clause. */
export interface ClauseVerdict {
  readonly clause: string;
  readonly allowed: boolean;
  /** The conditions that AND and OR join in it, and whether each holds. */
  readonly conditions: readonly { readonly condition: string; readonly holds: boolean }[];
}

/** Judges a clause, and each of its conditions by itself. */
export async function judgeClause(
  clause: Permission,
  holds: (part: Permission) => Promise<boolean>,
): Promise<ClauseVerdict> {
  const allowed = await holds(clause);
  const conditions: { condition: string; holds: boolean }[] = [];
  const parts = clause.kind === 'where' ? partsOf(clause.condition) : [];
  await forEachInOrder(parts, async (condition) => {
    const verdict = await holds({ kind: 'where', condition });
    conditions.push({ condition: printExpression(condition), holds: verdict });
    return undefined;
  });
  return { clause: clauseText(clause), allowed, conditions };
}

/** The conditions that AND and OR join. */
function partsOf(condition: Expression): Expression[] {
  if (condition.kind === 'binary' && (condition.operator === '&&' || condition.operator === '||')) {
    return [...partsOf(condition.left), ...partsOf(condition.right)];
  }
  return [condition];
}

/** A verdict as members of the answer. */
export function verdictValue({ allowed, clause, conditions }: ClauseVerdict): Readonly<Record<string, Value>> {
  return { allowed, clause, conditions: conditions.map(objectOf) };
}

/** Why a clause allows or refuses, as the end of a sentence. */
export function verdictReason({ clause, allowed, conditions }: ClauseVerdict): string {
  if (conditions.length === 0) return `the clause is ${clause}`;
  const which = conditions.filter(({ holds }) => holds === allowed).map(({ condition }) => `\`${condition}\``);
  if (which.length === 0) return `the clause ${clause} ${allowed ? 'holds' : "doesn't hold"}`;
  return `${which.join(', ')} ${which.length > 1 ? (allowed ? 'hold' : "don't hold") : allowed ? 'holds' : "doesn't hold"} in ${clause}`;
}

/** A principal in a sentence. */
export function principalName(principal: Principal): string {
  switch (principal.kind) {
    case 'guest':
      return 'a guest';
    case 'record':
      return toText(principal.id);
    case 'system':
      return `a system user with the role ${principal.roles.join(', ')}`;
  }
}
