/** Estimates the memory of uncommitted writes, on the path of each write. */
import { isObject, RecordId, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import type { Key } from '../contract.js';

/** Overhead of an entry of a tree in bytes. */
const ENTRY = 64;
/** Overhead of a member of an object in bytes, besides its name and a text. */
const CELL = 16;

/** Roughly how many bytes of memory a written entry takes until it is committed; without a value, a deletion. */
export function writeSize(key: Key, value?: Value): number {
  return ENTRY + key.length + valueSize(value);
}

/** The same as `weightOf` for values, at once for most records: those in which nothing but links is nested. */
function valueSize(value: Value): number {
  if (!isObject(value)) return weightOf(value);
  let size = CELL;
  for (const name in value) {
    let member = value[name];
    size += CELL + name.length;
    if (member instanceof RecordId) {
      size += CELL + 2 * member.table.length;
      member = member.key as Value;
    }
    if (typeof member === 'string') size += 2 * member.length;
    else if (typeof member === 'object' && member !== null) return weightOf(value);
  }
  return size;
}
