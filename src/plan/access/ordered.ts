/**
 * Matching by plain and unique indexes: leading fields with equal values or bounds, in the order of their
 * fields.
 */
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { Idiom } from '../../language/ast.js';
import type { IndexScan, Operand } from '../nodes.js';
import { type ComparisonSet, EQUALITIES, IN_LIST } from './comparison-set.js';
import type { AccessFacts } from './facts.js';
import { indexPaths } from './facts.js';
import type { IndexMatch, IndexMatching } from './index-matching.js';
import { lists, walkInOrder } from './order.js';

export const ordered: IndexMatching = { match, inOrder };

function match(
  index: IndexDefinition,
  comparisons: ComparisonSet,
  { entry, mayHide }: AccessFacts,
): IndexMatch | undefined {
  const access = indexScan(entry.definition.name, index, comparisons);
  if (access === undefined || index.fields.slice(access.equal.length).some(mayHide)) return undefined;
  return { access, worth: worth(access) };
}

/** A rough measure of how much a scan narrows: a fixed field counts more than a bound, and unique indexes win ties. */
function worth(scan: IndexScan): number {
  const unique = scan.index.indexKind.kind === 'unique' && scan.equal.length === scan.index.fields.length;
  return scan.equal.length * 10 + (scan.anyOf ? 8 : 0) + (scan.from ? 3 : 0) + (scan.to ? 3 : 0) + (unique ? 100 : 0);
}

function indexScan(table: string, index: IndexDefinition, comparisons: ComparisonSet): IndexScan | undefined {
  if (index.fields.some(isOfKey)) return undefined;
  const equal: Operand[] = [];
  for (const path of indexPaths(index)) {
    const fixed = comparisons.find(path, EQUALITIES);
    if (fixed !== undefined) {
      equal.push(fixed);
      continue;
    }
    const anyOf = comparisons.find(path, IN_LIST);
    if (anyOf !== undefined) return { kind: 'index-scan', table, index, equal, anyOf };
    const bounds = comparisons.boundsOf(path);
    if (equal.length === 0 && bounds === undefined) return undefined;
    return { kind: 'index-scan', table, index, equal, ...bounds };
  }
  // An entry of a unique index is one record, without its id in the key.
  const isPlain = index.indexKind.kind === 'plain';
  return { kind: 'index-scan', table, index, equal, ...(isPlain && comparisons.boundsOf('id')) };
}

/** All of an index, in the order of its fields. */
function inOrder(index: IndexDefinition, { entry, order, mayHide }: AccessFacts): IndexScan | undefined {
  const { fields } = index;
  const walk = order && walkInOrder(order.keys);
  if (walk === undefined || fields.some(isOfKey) || fields.some(mayHide)) return undefined;
  if (!lists(fields, walk.keys, mayHide)) return undefined;
  return { kind: 'index-scan', table: entry.definition.name, index, equal: [], ...walk.given };
}

/** Whether a column is a part of the record's key: in queries such a path means a field of the record. */
function isOfKey({ parts }: Idiom): boolean {
  const [first, second] = parts;
  return first?.kind === 'field' && first.name === 'id' && second?.kind === 'field';
}
