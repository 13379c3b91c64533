import { Closure, FileReference, isObject, Regex, type Value } from './value.js';
import { membersOf } from './walk.js';

/** What a value takes at least, in bytes. */
const CELL = 16;

/** A function keeps the variables that it could see, which nobody can look into. */
const FUNCTION = 2 ** 20;

/** Roughly how many bytes of memory values take together, for bounds on what is kept. What they share counts once. Never fails. */
export function weightOf(...values: Value[]): number {
  const known = new Set<Value>();
  const open = values;
  let weight = 0;
  while (open.length > 0) {
    const value = open.pop();
    weight += CELL;
    if (typeof value === 'string') weight += 2 * value.length;
    if (typeof value !== 'object' || value === null || known.has(value)) continue;
    known.add(value);
    if (value instanceof Uint8Array) weight += value.byteLength;
    else if (value instanceof Regex) weight += 2 * value.source.length;
    else if (value instanceof FileReference) weight += 2 * value.key.length;
    else if (value instanceof Closure) weight += FUNCTION;
    else {
      if (isObject(value)) for (const name in value) weight += name.length;
      for (const member of membersOf(value)) open.push(member);
    }
  }
  return weight;
}
