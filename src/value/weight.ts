import { deeper } from './nesting.js';
import { FileReference, isObject, Regex, type Value } from './value.js';
import { membersOf } from './walk.js';

/** What a value takes at least, in bytes. */
const CELL = 16;

/**
 * Roughly how many bytes of memory a value takes, for bounds on what is kept. Meant for what can be stored, whose depth and size are bounded.
 * @throws TesseraError `nesting_too_deep`
 */
export function weightOf(value: Value, depth = 0): number {
  if (typeof value === 'string') return CELL + 2 * value.length;
  if (typeof value !== 'object' || value === null) return CELL;
  if (value instanceof Uint8Array) return CELL + value.byteLength;
  if (value instanceof Regex) return CELL + 2 * value.source.length;
  if (value instanceof FileReference) return CELL + 2 * value.key.length;
  const below = deeper(depth);
  let weight = CELL;
  if (isObject(value)) for (const name in value) weight += name.length;
  for (const member of membersOf(value)) weight += weightOf(member, below);
  return weight;
}
