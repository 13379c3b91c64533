/** Chooses the most selective index for the comparisons of a condition. */
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { Expression, Idiom, IndexKind } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Access, FullTextScan, IndexAccess, IndexScan, Operand } from '../nodes.js';
import { type ComparisonSet, EQUALITIES, IN_LIST } from './comparison-set.js';
import { comparisonOf, operandsOf } from './comparisons.js';
import { type AccessFacts, indexPaths } from './facts.js';
import { fullText } from './full-text.js';
import type { IndexMatch, IndexMatching } from './index-matching.js';
import { lists, orderOf, walkInOrder } from './order.js';

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

// The matching of each kind of index. With `records/index/kinds.ts`, which has their maintenance, this defines a kind:
// neither table type-checks while one is missing. Showing and running an index access is defined with all nodes
// (`plan/describe.ts`, `query/operators/sources/accesses.ts`).

// Matching by plain and unique indexes: leading fields with equal values or bounds, in the order of their
// fields.

const ordered: IndexMatching = { match, inOrder };

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

/** COUNT finds none: how many records there are, the keys of the table tell. */
const NOTHING: IndexMatching = { match: () => undefined, inOrder: () => undefined };

const INDEX_MATCHING: { readonly [Kind in IndexKind['kind']]: IndexMatching } = {
  plain: ordered,
  unique: ordered,
  count: NOTHING,
  fulltext: fullText,
  hnsw: NOTHING,
};
