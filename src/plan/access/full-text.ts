/** Matching by full-text indexes: the records whose texts match a query. */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { IndexHints } from '../../language/ast.js';
import type { ComparisonSet } from './comparison-set.js';
import type { AccessFacts } from './facts.js';
import { indexPaths } from './facts.js';
import type { IndexMatch, IndexMatching } from './index-matching.js';

export const fullText: IndexMatching = { match, inOrder: () => undefined };

/** More than a few fields that are equal to something, less than a unique index. */
const WORTH = 60;

function match(index: IndexDefinition, comparisons: ComparisonSet, facts: AccessFacts): IndexMatch | undefined {
  const [path = ''] = indexPaths(index);
  const found = comparisons.matchOf(path);
  const operator = found?.condition?.operator;
  if (found?.condition === undefined || typeof operator !== 'object' || operator.kind !== 'matches') return undefined;
  // Among several indexes on the path one is used.
  if (fullTextIndexOn(facts.indexesLedBy(path), path, facts.with) !== index) return undefined;
  const { condition, value, from } = found;
  const { entry, scored, mayHideRecords, isRead } = facts;
  const query = { value, from };
  const table = entry.definition.name;
  const isScored = scored === true && !mayHideRecords;
  const isUncertain = mayHideRecords && !isRead;
  return {
    access: { kind: 'full-text-scan', table, index, condition, operator, query, scored: isScored, isUncertain },
    worth: WORTH,
  };
}

/** The full-text index on a path: of several the last one by name, of those that WITH INDEX names. */
export function fullTextIndexOn(
  indexes: TableEntry['indexes'],
  path: string,
  hints?: IndexHints,
): IndexDefinition | undefined {
  let found: IndexDefinition | undefined;
  for (const index of indexes) {
    if (index.indexKind.kind !== 'fulltext' || indexPaths(index)[0] !== path) continue;
    if (hints?.kind === 'index' && !hints.names.includes(index.name)) continue;
    if (found === undefined || found.name <= index.name) found = index;
  }
  return found;
}
