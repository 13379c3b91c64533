/**
 * The total order of all values and the equality that follows from it: kinds in the order of `KINDS`, numbers by value
 * whatever their kind, everything else within its kind.
 */
import { Buffer } from 'node:buffer';
import { RUN, StepwiseSort } from '../base/work/sort.js';
import type { Stepwise } from '../base/work/stepwise.js';
import type { KindTypes } from './by-kind.js';
import { MAX_COMPARED } from './limits.js';
import { compareNumbers } from './number.js';
import { compareStrings, sortedKeys } from './strings.js';
import {
  type ArrayValue,
  type Bound,
  KINDS,
  type Kind,
  kindOf,
  type ObjectValue,
  SetValue,
  type Shape,
  type Value,
} from './value.js';
import { Walk } from './walk.js';

export { compareStrings } from './strings.js';

const walk = new Walk();

/** Negative if `a` comes before `b`, positive if after, 0 if they are equal. @throws TesseraError `value_too_large` */
export function compare(a: Value, b: Value): number {
  return compareAt(a, b, walk.begin());
}

/**
 * Whether two values are the same in the total order: `1 = 1f`, `[1] = [1dec]`, but never across other kinds.
 *
 *     equals(1, new Float(1))   // true
 *     equals(1, '1')            // false
 */
export function equals(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string') return false;
  return compareAt(a, b, walk.begin()) === 0;
}

/** Nodes that each of many comparisons may visit for free, so that sorting many small values never fails. */
const FREE_NODES = 64;

/**
 * Comparisons that make up one piece of work, such as a sort. What they meet of large values is bounded for all of them
 * together: each alone may be at its limit, but not thousands of them.
 */
export class Comparisons {
  #left = MAX_COMPARED;

  /** @throws TesseraError `value_too_large` */
  readonly compare = (a: Value, b: Value): number => {
    if (typeof a === 'number' && typeof b === 'number') {
      if (a < b) return -1;
      if (a > b) return 1;
    }
    walk.resume(this.#left + FREE_NODES);
    const order = compareAt(a, b, 0);
    if (walk.left < this.#left) this.#left = walk.left;
    return order;
  };

  equals(a: Value, b: Value): boolean {
    return this.compare(a, b) === 0;
  }
}

/**
 * An ordered set of the given items: sorted, of equal ones the first.
 *
 *     setFrom([2, 1, 2]).items   // [1, 2]
 */
export function setFrom(items: Iterable<Value>): SetValue {
  const comparisons = new Comparisons();
  const ascending = sorted([...items], comparisons);
  return new SetValue(
    ascending.filter((item, index) => index === 0 || !comparisons.equals(ascending[index - 1], item)),
  );
}

/** The items of one set that another doesn't have; both in order. */
export function missingFrom(items: ArrayValue, others: ArrayValue): Value[] {
  const { compare: compareItems } = new Comparisons();
  let at = 0;
  return items.filter((item) => {
    while (at < others.length && compareItems(others[at], item) < 0) at++;
    return at >= others.length || compareItems(others[at], item) !== 0;
  });
}

/** A set of many items, made in pieces. */
export class StepwiseSet implements Stepwise<SetValue> {
  readonly #comparisons = new Comparisons();
  readonly #sort: StepwiseSort<Value>;
  #isSorted = false;
  #at = 0;
  readonly #distinct: Value[] = [];

  constructor(items: ArrayValue) {
    // `sort` puts `undefined` last whatever the comparator says, and NONE is the lowest.
    const others = items.filter((item) => item !== undefined);
    if (others.length < items.length) this.#distinct.push(undefined);
    this.#sort = new StepwiseSort<Value>(others, this.#comparisons.compare);
  }

  step(): boolean {
    if (!this.#isSorted) {
      this.#isSorted = this.#sort.step();
      return false;
    }
    const sorted = this.#sort.result;
    const until = Math.min(this.#at + RUN, sorted.length);
    for (; this.#at < until; this.#at++) {
      const item = sorted[this.#at];
      if (this.#at === 0 || !this.#comparisons.equals(sorted[this.#at - 1], item)) this.#distinct.push(item);
    }
    return this.#at === sorted.length;
  }

  get result(): SetValue {
    return new SetValue(this.#distinct);
  }
}

/**
 * Sorts a copy. (`Array.prototype.sort` puts `undefined` last whatever the comparator says, and NONE is the lowest.)
 */
export function sorted(items: ArrayValue, comparisons = new Comparisons()): Value[] {
  const nones = items.filter((item) => item === undefined);
  const others = items.filter((item) => item !== undefined).sort(comparisons.compare);
  return [...nones, ...others];
}

function compareAt(a: Value, b: Value, depth: number): number {
  // The same object is equal to itself, however large. (Of bare values only NaN isn't the same as itself.)
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : compareNumbers(a, b);
  const kind = kindOf(a);
  const other = kindOf(b);
  const rank = RANKS[kind] - RANKS[other];
  return rank === 0 ? (COMPARE[kind] as (a: Value, b: Value, depth: number) => number)(a, b, depth) : rank;
}

/** The three kinds of numbers share a rank. */
const RANKS = Object.fromEntries(
  KINDS.map((kind, index) => [kind, kind === 'float' || kind === 'decimal' ? KINDS.indexOf('int') : index]),
) as Readonly<Record<Kind, number>>;

type Comparator<T> = (a: T, b: T, depth: number) => number;

const COMPARE: { readonly [K in Kind]: Comparator<KindTypes[K]> } = {
  none: () => 0,
  null: () => 0,
  bool: (a, b) => Number(a) - Number(b),
  int: compareNumbers,
  float: compareNumbers,
  decimal: compareNumbers,
  string: compareTexts,
  duration: (a, b) => sign(a.nanoseconds, b.nanoseconds),
  datetime: (a, b) => sign(a.seconds, b.seconds) || a.nanoseconds - b.nanoseconds,
  uuid: (a, b) => sign(a.text, b.text),
  array: compareItems,
  set: (a, b, depth) => compareItems(a.items, b.items, depth),
  object: compareObjects,
  geometry: (a, b) => compareShapes(a.shape, b.shape),
  bytes: compareBytes,
  table: (a, b) => compareStrings(a.name, b.name),
  record: (a, b, depth) => compareStrings(a.table, b.table) || compareAt(a.key, b.key, walk.enter(depth, 1)),
  file: (a, b) => compareStrings(a.bucket, b.bucket) || compareStrings(a.key, b.key),
  regex: (a, b) => compareStrings(a.source, b.source),
  range: (a, b, depth) => compareBounds(a.start, b.start, depth) || compareBounds(a.end, b.end, depth),
  function: (a, b) => compareStrings(a.text, b.text),
};

function sign<T extends number | bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Code units or bytes that are compared in about the time of one value. */
const UNITS_OF_NODE = 32;

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  if (length > UNITS_OF_NODE) walk.count(Math.floor(length / UNITS_OF_NODE));
  return compareStrings(a, b);
}

// Compared members are counted: large values that differ at once cost nothing.

function compareItems(a: ArrayValue, b: ArrayValue, depth: number): number {
  const below = walk.enter(depth, 0);
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const order = compareAt(a[index], b[index], below);
    if (order !== 0) {
      walk.count(index);
      return order;
    }
  }
  walk.count(length);
  return a.length - b.length;
}

function compareObjects(a: ObjectValue, b: ObjectValue, depth: number): number {
  const keys = sortedKeys(a);
  const others = sortedKeys(b);
  // The names of all fields were looked at already.
  const below = walk.enter(depth, keys.length);
  const length = Math.min(keys.length, others.length);
  for (let index = 0; index < length; index++) {
    const key = keys[index] as string;
    const other = others[index] as string;
    const order = compareStrings(key, other) || compareAt(a[key], b[other], below);
    if (order !== 0) return order;
  }
  return keys.length - others.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  walk.count(Math.floor(Math.min(a.length, b.length) / UNITS_OF_NODE));
  return Buffer.compare(a, b);
}

/** Ends of ranges, by their kind first: open, included, excluded. */
function compareBounds(a: Bound | undefined, b: Bound | undefined, depth: number): number {
  const kinds = boundRank(a) - boundRank(b);
  if (kinds !== 0 || a === undefined || b === undefined) return kinds;
  return compareAt(a.value, b.value, walk.enter(depth, 1));
}

function boundRank(bound: Bound | undefined): number {
  if (bound === undefined) return 0;
  return bound.inclusive ? 1 : 2;
}

/** Shapes in the order in which they are compared and encoded as keys. */
export const SHAPE_TYPES = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const satisfies readonly Shape['type'][];

function compareShapes(a: Shape, b: Shape): number {
  if (a.type !== b.type) return SHAPE_TYPES.indexOf(a.type) - SHAPE_TYPES.indexOf(b.type);
  if (a.type === 'GeometryCollection' && b.type === 'GeometryCollection') {
    return compareLists(a.geometries, b.geometries, compareShapes);
  }
  if (a.type === 'GeometryCollection' || b.type === 'GeometryCollection') return 0;
  return compareCoordinates(a.coordinates, b.coordinates);
}

/** Coordinates of a shape: numbers, or lists of such, all nested equally deep. */
export type Coordinates = number | readonly Coordinates[];

function compareCoordinates(a: Coordinates, b: Coordinates): number {
  if (typeof a === 'number' || typeof b === 'number') return compareNumbers(Number(a), Number(b));
  return compareLists(a, b, compareCoordinates);
}

function compareLists<T>(a: readonly T[], b: readonly T[], compareItem: (a: T, b: T) => number): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  walk.count(length);
  for (let index = 0; index < length; index++) {
    const order = compareItem(a[index] as T, b[index] as T);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
