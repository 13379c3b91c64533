/** Which index narrows a table most, for what a condition demands. */
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { Expression } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Access, FullTextScan, IndexAccess, IndexScan } from '../nodes.js';
import { type Comparison, comparisonOf, operandsOf } from './comparisons.js';
import type { AccessFacts } from './facts.js';
import { INDEX_MATCHING } from './index-kinds.js';
import { orderOf } from './order.js';

/** The index that narrows most by comparisons, if any narrows at all. */
export function bestIndex(facts: AccessFacts, comparisons: readonly Comparison[]): IndexAccess | undefined {
  let best: IndexAccess | undefined;
  let most = 0;
  for (const index of facts.entry.answering) {
    if (!isAllowed(index, facts)) continue;
    const match = INDEX_MATCHING[index.indexKind.kind].match(index, comparisons, facts);
    if (match === undefined) continue;
    // Of two that narrow alike, the one that finds rows in the order that is wanted.
    const value = match.worth + (orderOf(match.access, facts) === undefined ? 0 : 1);
    if (value > most) {
      best = match.access;
      most = value;
    }
  }
  return best;
}

/** The first index that lists all records in the order that is wanted. */
export function indexInOrder(facts: AccessFacts): IndexAccess | undefined {
  for (const index of facts.entry.answering) {
    const access = isAllowed(index, facts) ? INDEX_MATCHING[index.indexKind.kind].inOrder(index, facts) : undefined;
    if (access !== undefined) return access;
  }
  return undefined;
}

/** Whether the WITH clause lets an index be used. */
function isAllowed({ name }: IndexDefinition, { with: hint }: AccessFacts): boolean {
  return hint?.kind !== 'index' || hint.names.includes(name);
}

/**
 * Whether the entries of an index that an access finds are those of the records that meet the condition, neither more
 * nor fewer, provided that none is listed several times: each part of the condition is one of its bounds, and no field
 * of the index is left open behind them.
 */
export function answersAlone(access: Access, where: Expression): access is IndexScan | FullTextScan {
  if (access.kind === 'full-text-scan') return access.condition === where;
  if (access.kind !== 'index-scan' || access.anyOf !== undefined) return false;
  const { equal, from, to, index } = access;
  const bounds = [from, to].filter((bound) => bound !== undefined);
  if (equal.length + Math.min(bounds.length, 1) !== index.fields.length) return false;
  const used = new Set([...equal, ...bounds].map(({ value }) => value));
  const parts = operandsOf(where, '&&').map((part) => comparisonOf(part, 'query'));
  return (
    parts.length === used.size &&
    parts.every((part) => part !== undefined && used.has(part.value) && part.path === printIdiom(part.field))
  );
}
