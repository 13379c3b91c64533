/** The memory that values take, approximately. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { runSteps, type Stepwise } from '../base/work/stepwise.js';
import type { Work } from '../base/work/work.js';
import { Closure, FileReference, isArray, isObject, type ObjectValue, Regex, SetValue, type Value } from './value.js';
import { addWalked, membersOf } from './walk.js';

/** The least weight of a value in bytes. */
const CELL = 16;

/** Overhead of an object or a list besides its members. */
const CONTAINER = 32;

/** A closure retains its captured variables, which cannot be inspected. */
const FUNCTION = 2 ** 20;

/**
 * The approximate memory of values together in bytes, for memory bounds. Shared parts count once. Never
 * fails.
 *
 *     weightOf(rows, note)   // bytes of both
 */
export function weightOf(...values: Value[]): number {
  return weigh(values, Number.POSITIVE_INFINITY);
}

/** The weight of a value, or `limit` if it weighs more. Parts beyond the limit aren't visited. */
export function weightWithin(value: Value, limit: number): number {
  return weigh([value], limit);
}

function weigh(values: readonly Value[], limit: number): number {
  const weighing = new Weighing(values, { limit });
  weighing.upTo(Number.MAX_SAFE_INTEGER);
  addWalked(weighing.visited);
  return weighing.result;
}

/** Parts that are weighed in one step: some hundred microseconds. */
const PARTS = 4096;

/** `weightOf` with yields; `work` is called for large values only. */
export function weighInSteps(values: readonly Value[], work: () => Work): PromiseOrValue<number> {
  const weighing = new Weighing(values);
  return weighing.step() ? weighing.result : runSteps(weighing, work());
}

/** `weightOf` in pieces. */
export class Weighing implements Stepwise<number> {
  readonly #limit: number;
  /** Visited parts, which count once. */
  readonly #known: Set<Value> | undefined;
  /** Met, and not looked into yet. */
  readonly #open: Value[] = [];
  /** Those that are being looked at, and the next of them. */
  #members: readonly Value[];
  #at = 0;
  #weight: number;
  /** Parts that were looked at so far. */
  visited = 0;

  /**
   * `isTree` says that the values share nothing, as what was decoded: a set of a million of them takes long to grow.
   */
  constructor(values: readonly Value[], { limit = Number.POSITIVE_INFINITY, isTree = false } = {}) {
    this.#members = values;
    this.#known = isTree ? undefined : new Set();
    this.#limit = limit;
    this.#weight = CELL * values.length;
  }

  step(): boolean {
    return this.upTo(PARTS);
  }

  get result(): number {
    return Math.min(this.#weight, this.#limit);
  }

  /** Weighs so many parts more; returns whether all are weighed, or weigh as much as the limit. */
  upTo(parts: number): boolean {
    for (let left = parts; left > 0 && this.#weight < this.#limit; left--) {
      this.visited++;
      if (this.#at < this.#members.length) {
        this.#meet(this.#members[this.#at++]);
      } else {
        if (this.#open.length === 0) return true;
        this.#enter(this.#open.pop());
      }
    }
    return this.#weight >= this.#limit;
  }

  #meet(value: Value): void {
    if (typeof value === 'string') this.#weight += 2 * value.length;
    if (typeof value !== 'object' || value === null || this.#known?.has(value)) return;
    this.#known?.add(value);
    if (value instanceof Uint8Array) this.#weight += value.byteLength;
    else if (value instanceof Regex) this.#weight += 2 * value.source.length;
    else if (value instanceof FileReference) this.#weight += 2 * value.key.length;
    else if (value instanceof Closure) this.#weight += FUNCTION;
    else this.#open.push(value);
  }

  #enter(value: Value): void {
    this.#members = membersOf(value);
    if (isObject(value)) for (const name in value) this.#weight += name.length;
    this.#at = 0;
    this.#weight += CONTAINER + CELL * this.#members.length;
  }
}

function hasWeight(value: Value): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** Bytes per member of a list, in addition to the member. */
export const SLOT = 8;

/** Texts and lists of no more characters and members count for nothing where they are made: most are. */
const SMALL_TEXT = 64;
const SMALL_LIST = 16;

/**
 * So many members are sampled to estimate the weight of a list's members, each up to this weight: larger ones were
 * counted when they were created.
 */
const SAMPLES = 4;
const LARGEST_SAMPLE = 512;

/**
 * Estimated bytes that the result of a function or operator has allocated: 0 for small ones. Lists are estimated from a
 * few members, so that it takes constant time.
 */
export function weightOfResult(value: Value): number {
  if (typeof value === 'string') return value.length > SMALL_TEXT ? 2 * value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (isArray(value)) return value.length > SMALL_LIST ? weightOfRows(value, LARGEST_SAMPLE) : 0;
  if (value instanceof Uint8Array) return value.byteLength;
  if (isObject(value)) return weightOfFields(value);
  return value instanceof SetValue && value.items.length > SMALL_LIST ? weightOfRows(value.items, LARGEST_SAMPLE) : 0;
}

/** The bytes of a result whose members are those of its operands: its slots alone count. */
export function weightOfJoined(value: Value): number {
  if (isArray(value)) return value.length > SMALL_LIST ? SLOT * value.length : 0;
  if (value instanceof SetValue) return value.items.length > SMALL_LIST ? SLOT * value.items.length : 0;
  return weightOfResult(value);
}

function weightOfFields(object: ObjectValue): number {
  const { length } = Object.keys(object);
  return length > SMALL_LIST ? 2 * CELL * length : 0;
}

/** A heavier record doesn't predict the weight of others. */
const LARGEST_ROW = 2 ** 24;

/** Roughly how many bytes a list takes with its members, of which a few are weighed, each up to `limit`. */
export function weightOfRows(rows: readonly Value[], limit = LARGEST_ROW): number {
  return weightBySamples(rows, (row) => (hasWeight(row) ? weightWithin(row, limit) : 0));
}

/**
 * `weightOf`, in bytes, of objects whose members belong to others: containers and cells alone count, judged by
 * samples.
 */
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
