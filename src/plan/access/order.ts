/** In which order accesses find rows. */
import type { Idiom } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Access, Direction, OrderKeyWanted } from '../nodes.js';
import type { AccessFacts } from './facts.js';

export const ID_PATH: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] };

/** In which direction an access gives rows in the order that is wanted; `undefined` where it doesn't. */
export function orderOf(access: Access, { order, mayHide, mayHideRecords }: AccessFacts): Direction | undefined {
  if (order === undefined) return undefined;
  if (order.score !== undefined) {
    const isBest = access.kind === 'full-text-scan' && access.condition === order.score.condition && !mayHideRecords;
    return isBest ? 'forward' : undefined;
  }
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

/**
 * Whether entries that stand in the order of fields, and those of equal values in that of ids, stand in the order of
 * keys.
 */
export function lists(
  fields: readonly Idiom[],
  keys: readonly OrderKeyWanted[],
  mayHide: AccessFacts['mayHide'],
): boolean {
  const wanted = keys.map((key) => printIdiom(key.path)).join();
  const list = (some: readonly Idiom[]): boolean => some.map((field) => printIdiom(field)).join() === wanted;
  return list(fields) || (list([...fields, ID_PATH]) && !mayHide(ID_PATH));
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
