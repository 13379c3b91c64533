import { Closure, FileReference, isArray, isObject, type ObjectValue, Regex, SetValue, type Value } from './value.js';
import { membersOf } from './walk.js';

/** What a value takes at least, in bytes. */
const CELL = 16;

/** What an object or a list takes besides its members. */
const CONTAINER = 32;

/** A function keeps the variables that it could see, which nobody can look into. */
const FUNCTION = 2 ** 20;

/** Roughly how many bytes of memory values take together, for bounds on what is kept. What they share counts once. Never fails. */
export function weightOf(...values: Value[]): number {
  return weigh(values, Number.POSITIVE_INFINITY);
}

/** The weight of a value, or `limit` if it weighs more. What stands beyond the limit isn't looked at. */
export function weightWithin(value: Value, limit: number): number {
  return weigh([value], limit);
}

function weigh(open: Value[], limit: number): number {
  const known = new Set<Value>();
  let weight = CELL * open.length;
  while (open.length > 0 && weight < limit) {
    const value = open.pop();
    if (typeof value === 'string') weight += 2 * value.length;
    if (typeof value !== 'object' || value === null || known.has(value)) continue;
    known.add(value);
    if (value instanceof Uint8Array) weight += value.byteLength;
    else if (value instanceof Regex) weight += 2 * value.source.length;
    else if (value instanceof FileReference) weight += 2 * value.key.length;
    else if (value instanceof Closure) weight += FUNCTION;
    else {
      if (isObject(value)) for (const name in value) weight += name.length;
      const members = membersOf(value);
      weight += CONTAINER + CELL * members.length;
      if (weight >= limit) break;
      for (const member of members) if (hasWeight(member)) open.push(member);
    }
  }
  return Math.min(weight, limit);
}

function hasWeight(value: Value): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** What a list takes for each member, whoever else has that, too. */
export const SLOT = 8;

/** Texts and lists of no more characters and members count for nothing where they are made: most are. */
const SMALL_TEXT = 64;
const SMALL_LIST = 16;

/** So many members of a list tell how large its members are, each as far as to this weight: what is larger was counted when it was made. */
const SAMPLES = 4;
const LARGEST_SAMPLE = 512;

/**
 * Roughly how many bytes a function or an operator has taken up for its result: none for what is small. Lists are judged by a few of their
 * members, so that it takes no time.
 */
export function weightOfResult(value: Value): number {
  if (typeof value === 'string') return value.length > SMALL_TEXT ? 2 * value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (isArray(value)) return value.length > SMALL_LIST ? weightOfRows(value, LARGEST_SAMPLE) : 0;
  if (value instanceof Uint8Array) return value.byteLength;
  if (isObject(value)) return weightOfFields(value);
  return value instanceof SetValue && value.items.length > SMALL_LIST ? weightOfRows(value.items, LARGEST_SAMPLE) : 0;
}

/** The same where the members of the result are those of the operands. */
export function weightOfJoined(value: Value): number {
  if (isArray(value)) return value.length > SMALL_LIST ? SLOT * value.length : 0;
  if (value instanceof SetValue) return value.items.length > SMALL_LIST ? SLOT * value.items.length : 0;
  return weightOfResult(value);
}

function weightOfFields(object: ObjectValue): number {
  const { length } = Object.keys(object);
  return length > SMALL_LIST ? 2 * CELL * length : 0;
}

/** A record of more weight tells no more of the others. */
const LARGEST_ROW = 2 ** 24;

/** Roughly how many bytes a list takes with its members, of which a few are weighed, each up to `limit`. */
export function weightOfRows(rows: readonly Value[], limit = LARGEST_ROW): number {
  return weightBySamples(rows, (row) => (hasWeight(row) ? weightWithin(row, limit) : 0));
}

/** The same of objects that have their members from elsewhere. */
export function weightOfCopies(rows: readonly Value[]): number {
  return weightBySamples(rows, (row) => (isObject(row) ? CONTAINER + CELL * Object.keys(row).length : 0));
}

function weightBySamples(rows: readonly Value[], weigh: (row: Value) => number): number {
  const { length } = rows;
  const samples = Math.min(length, SAMPLES);
  let sampled = 0;
  for (let at = 0; at < samples; at++) sampled += weigh(rows[Math.floor((at * length) / samples)]);
  return SLOT * length + (samples === 0 ? 0 : Math.ceil((sampled * length) / samples));
}
