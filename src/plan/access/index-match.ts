/** Chooses the most selective index for the comparisons of a condition. */
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { Expression } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Access, FullTextScan, IndexAccess, IndexScan } from '../nodes.js';
import type { ComparisonSet } from './comparison-set.js';
import { comparisonOf, operandsOf } from './comparisons.js';
import type { AccessFacts } from './facts.js';
import { INDEX_MATCHING } from './index-kinds.js';
import { orderOf } from './order.js';

/**
 * The index that narrows most by comparisons, if any narrows at all. Only those are looked at whose first field is
 * compared by the set itself.
 */
export function bestIndex(facts: AccessFacts, comparisons: ComparisonSet): IndexAccess | undefined {
  let best: IndexAccess | undefined;
  let most = 0;
  for (const index of led(facts, comparisons)) {
    const match = INDEX_MATCHING[index.indexKind.kind].match(index, comparisons, facts);
    if (match === undefined) continue;
    // Among equally selective ones, the one that finds rows in the requested order.
    const value = match.worth + (orderOf(match.access, facts) === undefined ? 0 : 1);
    if (value > most) {
      best = match.access;
      most = value;
    }
  }
  return best;
}

/** The first index that lists all records in the requested order. */
export function indexInOrder(facts: AccessFacts): IndexAccess | undefined {
  for (const index of facts.entry.answering) {
    const access = facts.allows(index) ? INDEX_MATCHING[index.indexKind.kind].inOrder(index, facts) : undefined;
    if (access !== undefined) return access;
  }
  return undefined;
}

/** The indexes whose first field is compared, in their order. */
function led(facts: AccessFacts, { own }: ComparisonSet): readonly IndexDefinition[] {
  const [path, ...others] = new Set(own.map((each) => each.path));
  if (path === undefined) return [];
  if (others.length === 0) return facts.indexesLedBy(path);
  const found = new Set([path, ...others].flatMap((each) => facts.indexesLedBy(each)));
  return facts.entry.answering.filter((index) => found.has(index));
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
