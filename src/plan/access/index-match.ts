/** Which index narrows a table most, for what a condition demands. */
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { Expression, Idiom } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Access, Direction, IndexScan, Operand, OrderKeyWanted } from '../nodes.js';
import { boundsOf, type Comparison, comparisonOf, isEquality, operandsOf } from './comparisons.js';
import type { AccessFacts } from './facts.js';

export const ID: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] };

/** The index that narrows most by comparisons, if any narrows at all. */
export function bestIndex(facts: AccessFacts, comparisons: readonly Comparison[]): IndexScan | undefined {
  let best: IndexScan | undefined;
  let most = 0;
  for (const index of facts.entry.indexes) {
    if (!isAllowed(index, facts)) continue;
    const scan = indexScan(facts.entry.definition.name, index, comparisons);
    if (scan === undefined || index.fields.slice(scan.equal.length).some(facts.mayHide)) continue;
    // Of two that narrow alike, the one that finds rows in the order that is wanted.
    const value = worth(scan) + (orderOf(scan, facts) === undefined ? 0 : 1);
    if (value > most) {
      best = scan;
      most = value;
    }
  }
  return best;
}

/** A rough measure of how much a scan narrows: a fixed field counts more than a bound, and unique indexes win ties. */
function worth(scan: IndexScan): number {
  const unique = scan.index.indexKind.kind === 'unique' && scan.equal.length === scan.index.fields.length;
  return scan.equal.length * 10 + (scan.anyOf ? 8 : 0) + (scan.from ? 3 : 0) + (scan.to ? 3 : 0) + (unique ? 100 : 0);
}

function indexScan(table: string, index: IndexDefinition, comparisons: readonly Comparison[]): IndexScan | undefined {
  if (!isOrdered(index)) return undefined;
  const equal: Operand[] = [];
  for (const field of index.fields) {
    const path = printIdiom(field);
    const fixed = comparisons.find((each) => each.path === path && isEquality(each.operator));
    if (fixed !== undefined) {
      equal.push(fixed);
      continue;
    }
    const anyOf = comparisons.find((each) => each.path === path && each.operator === 'IN');
    if (anyOf !== undefined) return { kind: 'index-scan', table, index, equal, anyOf };
    const bounds = boundsOf(path, comparisons);
    if (equal.length === 0 && bounds === undefined) return undefined;
    return { kind: 'index-scan', table, index, equal, ...bounds };
  }
  // What a unique index lists is one record, without its id.
  const isPlain = index.indexKind.kind === 'plain';
  return { kind: 'index-scan', table, index, equal, ...(isPlain && boundsOf('id', comparisons)) };
}

/** Whether the entries of an index stand in the order of its fields, all of which are fields of the record. */
export function isOrdered({ fields, indexKind: { kind } }: IndexDefinition): boolean {
  return (kind === 'plain' || kind === 'unique') && !fields.some(isOfKey);
}

/** Whether a column is a part of the key: what a query finds by such a path is a field of the record. */
function isOfKey({ parts }: Idiom): boolean {
  const [first, second] = parts;
  return first?.kind === 'field' && first.name === 'id' && second?.kind === 'field';
}

/** Whether the WITH clause lets an index be used. */
export function isAllowed({ name }: IndexDefinition, { with: hint }: AccessFacts): boolean {
  return hint?.kind !== 'index' || hint.names.includes(name);
}

/** In which direction an access gives rows in the order that is wanted; `undefined` where it doesn't. */
export function orderOf(access: Access, { order, mayHide }: AccessFacts): Direction | undefined {
  if (order === undefined) return undefined;
  const keys = withoutFixed(order.keys, access, mayHide);
  const direction = directionOf(keys);
  if (direction === undefined) return undefined;
  switch (access.kind) {
    case 'index-scan': {
      const { equal, anyOf, index } = access;
      const rest = index.fields.slice(equal.length);
      return anyOf === undefined && lists(rest, keys, mayHide) ? direction : undefined;
    }
    case 'range-scan':
    case 'table-scan':
      return lists([], keys, mayHide) ? direction : undefined;
    default:
      return undefined;
  }
}

/** The direction of keys that have one in common. */
export function directionOf(keys: readonly OrderKeyWanted[]): Direction | undefined {
  const direction = keys[0]?.direction;
  return keys.every((key) => key.direction === direction) ? direction : undefined;
}

/** Whether entries that stand in the order of fields, and those of equal values in that of ids, stand in the order of keys. */
export function lists(
  fields: readonly Idiom[],
  keys: readonly OrderKeyWanted[],
  mayHide: AccessFacts['mayHide'],
): boolean {
  const wanted = keys.map((key) => printIdiom(key.path)).join();
  const list = (some: readonly Idiom[]): boolean => some.map((field) => printIdiom(field)).join() === wanted;
  return list(fields) || (list([...fields, ID]) && !mayHide(ID));
}

/** The keys that order anything: fields that the access holds to one value are the same in all rows. */
function withoutFixed(
  keys: readonly OrderKeyWanted[],
  access: Access,
  mayHide: AccessFacts['mayHide'],
): readonly OrderKeyWanted[] {
  if (access.kind !== 'index-scan') return keys;
  const fixed = new Set(access.index.fields.slice(0, access.equal.length).map((field) => printIdiom(field)));
  return keys.filter((key) => !fixed.has(printIdiom(key.path)) || mayHide(key.path));
}

/**
 * Whether the entries of an index that an access finds are those of the records that meet the condition, neither more nor fewer, provided
 * that none is listed several times: each part of the condition is one of its bounds, and no field of the index is left open behind them.
 */
export function answersAlone(access: Access, where: Expression): access is IndexScan {
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
