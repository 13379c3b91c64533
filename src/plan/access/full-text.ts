/** What full-text indexes find: the records whose texts match a query. */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { IndexHints } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Comparison } from './comparisons.js';
import type { AccessFacts } from './facts.js';
import type { IndexMatch, IndexMatching } from './index-matching.js';

export const fullText: IndexMatching = { match, inOrder: () => undefined };

/** More than a few fields that are equal to something, less than a unique index. */
const WORTH = 60;

function match(
  index: IndexDefinition,
  comparisons: readonly Comparison[],
  { entry, scored, mayHideRecords, isRead, with: hints }: AccessFacts,
): IndexMatch | undefined {
  for (const { path, condition, value, from } of comparisons) {
    const operator = condition?.operator;
    if (condition === undefined || typeof operator !== 'object' || operator.kind !== 'matches') continue;
    if (fullTextIndexOn(entry.answering, path, hints) !== index) continue;
    const query = { value, from };
    const table = entry.definition.name;
    const isScored = scored === true && !mayHideRecords;
    const isUncertain = mayHideRecords && !isRead;
    return {
      access: { kind: 'full-text-scan', table, index, condition, operator, query, scored: isScored, isUncertain },
      worth: WORTH,
    };
  }
  return undefined;
}

/** The full-text index on a path: of several the last one by name, of those that WITH INDEX names. */
export function fullTextIndexOn(
  indexes: TableEntry['indexes'],
  path: string,
  hints?: IndexHints,
): IndexDefinition | undefined {
  let found: IndexDefinition | undefined;
  for (const index of indexes) {
    const [field] = index.fields;
    if (index.indexKind.kind !== 'fulltext' || field === undefined || printIdiom(field) !== path) continue;
    if (hints?.kind === 'index' && !hints.names.includes(index.name)) continue;
    if (found === undefined || found.name <= index.name) found = index;
  }
  return found;
}
