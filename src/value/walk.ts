/** Bounded walks: values share parts, so that a small one may unfold into billions; every walk over them is counted. */
import { failure } from '../errors/error.js';
import { MAX_COMPARED, MAX_ENCODED, MAX_NODES } from './limits.js';
import { nextDepth } from './nesting.js';
import { Geometry, isArray, isObject, Range, RecordId, SetValue, type Value } from './value.js';

/** Values visited by walks since the last `takeWalked`, which determines when a statement yields. */
let walked = 0;

/** Counts values that were visited other than by a `Walk`. */
export function addWalked(visited: number): void {
  walked += visited;
}

/** The number of values visited since the last call; the very last walk may be counted in the next one. */
export function takeWalked(): number {
  const taken = walked;
  walked = 0;
  return taken;
}

/**
 * Bounds a walk over values in depth and number of nodes. Each recursive function has one and restarts it each time:
 * walks are synchronous.
 */
export class Walk {
  readonly #limit: number;
  /** Number of values that may still be visited. */
  left: number;
  /** The value of `left` when the count was last taken. */
  #reported: number;

  constructor(limit = MAX_COMPARED) {
    this.#limit = limit;
    this.left = limit;
    this.#reported = limit;
  }

  /** Begins at the root, at depth 0. */
  begin(): 0 {
    this.#report();
    this.left = this.#limit;
    return 0;
  }

  /** Goes on with what several walks may meet together. */
  resume(left: number): void {
    this.#report();
    this.left = left;
    this.#reported = left;
  }

  #report(): void {
    if (this.left < this.#reported) walked += this.#reported - this.left;
    this.#reported = this.#limit;
  }

  /**
   * Enters a value with so many members; the depth that they have.
   * @throws TesseraError `nesting_too_deep`, `value_too_large`
   */
  enter(depth: number, members: number): number {
    this.count(members + 1);
    return nextDepth(depth);
  }

  /** Counts visited values. @throws TesseraError `value_too_large` */
  count(met: number): void {
    this.left -= met;
    if (this.left < 0) this.exhausted();
  }

  protected exhausted(): void {
    throw tooLarge(this.#limit);
  }
}

/** Visited values before the whole is measured: a millisecond's work. */
export const UNMEASURED = 2 ** 14;

/**
 * A walk that creates something of each part, which costs more than visiting. A large value is measured first, in time
 * proportional to its distinct parts rather than to how often they are shared, so that an oversized one fails before
 * anything is created.
 */
export class MeasuredWalk extends Walk {
  #root: Value;
  #most = MAX_NODES;

  constructor() {
    super(UNMEASURED);
  }

  /**
   * Begins at `root`, at depth 0 unless it stands in something else, to meet `most` values at the most. `end` lets go
   * of it.
   */
  beginAt(root: Value, depth = 0, most = MAX_NODES): number {
    this.#root = root;
    this.#most = most;
    this.begin();
    return depth;
  }

  end<T>(made: T): T {
    this.#root = undefined;
    return made;
  }

  protected override exhausted(): void {
    if (new Measurement(this.#most).sizeOf(this.#root, 0) > this.#most) throw tooLarge(this.#most);
    this.resume(Number.MAX_SAFE_INTEGER);
  }
}

const FEW = 16;

function isBare(value: Value): boolean {
  return typeof value !== 'object' || value === null;
}

/** Counts values, up to a limit. */
class Measurement {
  readonly #sizes = new Map<object, number>();

  constructor(private readonly limit: number) {}

  /**
   * The number of values in a value, shared ones counted wherever they occur.
   * @throws TesseraError `value_too_large` early, if it can
   */
  sizeOf(value: Value, depth: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    const members = membersOf(value);
    // Counting a few bare members again takes less time than remembering the sum, as it does for most records.
    if (members.length <= FEW && members.every(isBare)) return members.length + 1;
    const before = this.#sizes.get(value);
    if (before !== undefined) return before;
    const below = nextDepth(depth);
    let size = 1;
    for (let index = 0; index < members.length; index++) {
      size += this.sizeOf(members[index], below);
      if (size > this.limit) throw tooLarge(this.limit);
    }
    this.#sizes.set(value, size);
    return size;
  }
}

/** The values of which a value directly consists (items, fields, keys, bounds); none for a scalar. */
export function membersOf(value: Value): readonly Value[] {
  if (isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  if (value instanceof SetValue) return value.items;
  if (value instanceof RecordId) return [value.key];
  if (value instanceof Range) return [value.start?.value, value.end?.value];
  if (!(value instanceof Geometry)) return [];
  const { shape } = value;
  return shape.type === 'GeometryCollection'
    ? shape.geometries.map((member) => new Geometry(member))
    : shape.coordinates;
}

/** The error of a value of more than `limit` parts or bytes: `value_too_large`. */
export function tooLarge(limit: number) {
  return failure('value_too_large', { limit });
}

/**
 * A string that may grow sixfold by escaping, which must stay within V8's limit of 2^29.
 * @throws TesseraError `value_too_large`
 */
export function escapable(text: string): string {
  if (text.length > MAX_ENCODED / 2) throw tooLarge(MAX_ENCODED / 2);
  return text;
}

/** A text that grew while a value was followed down. @throws TesseraError `value_too_large` */
export function boundedText(text: string): string {
  if (text.length > MAX_ENCODED) throw tooLarge(MAX_ENCODED);
  return text;
}
