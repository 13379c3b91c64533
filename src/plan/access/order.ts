/** In which order accesses find rows. */
import type { Idiom } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import type { Access, IndexScan, OrderKeyWanted } from '../nodes.js';
import type { AccessFacts } from './facts.js';

export const ID_PATH: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] };

/** Access paths in the requested order. */
export type OrderGiven = Required<Pick<IndexScan, 'direction'>> & Pick<IndexScan, 'idsReversed'>;

/** `undefined` where it doesn't. */
export function orderOf(access: Access, { order, mayHide, mayHideRecords }: AccessFacts): OrderGiven | undefined {
  if (order === undefined) return undefined;
  if (order.score !== undefined) {
    const isBest = access.kind === 'full-text-scan' && access.condition === order.score.condition && !mayHideRecords;
    return isBest ? { direction: 'forward' } : undefined;
  }
  const walk = walkInOrder(withoutFixed(order.keys, access, mayHide));
  if (walk === undefined) return undefined;
  switch (access.kind) {
    case 'index-scan': {
      const { equal, anyOf, index } = access;
      const rest = index.fields.slice(equal.length);
      return anyOf === undefined && lists(rest, walk.keys, mayHide) ? walk.given : undefined;
    }
    case 'range-scan':
    case 'table-scan':
      return lists([], walk.keys, mayHide) ? walk.given : undefined;
    default:
      return undefined;
  }
}

/** A walk in one direction, and the keys in whose order it must find rows. */
interface Walk {
  readonly keys: readonly OrderKeyWanted[];
  readonly given: OrderGiven;
}

/**
 * What gives rows in the order of keys: these have one direction, but for the id as the last of them, by which equal
 * rows are sorted once they have all come.
 */
export function walkInOrder(keys: readonly OrderKeyWanted[]): Walk | undefined {
  const direction = keys[0]?.direction;
  if (direction === undefined) return undefined;
  const others = keys.findIndex((key) => key.direction !== direction);
  if (others === -1) return { keys, given: { direction } };
  const isReversedId = others === keys.length - 1 && isId(keys[others]?.path);
  return isReversedId ? { keys: keys.slice(0, -1), given: { direction, idsReversed: true } } : undefined;
}

function isId(path: Idiom | undefined): boolean {
  return path !== undefined && printIdiom(path) === 'id';
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
