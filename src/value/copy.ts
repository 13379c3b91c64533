/** Copies of values. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { runSteps, type Stepwise } from '../base/work/stepwise.js';
import type { Work } from '../base/work/work.js';
import { MAX_NODES } from './limits.js';
import { nextDepth } from './nesting.js';
import {
  isArray,
  isObject,
  type MutableObject,
  newObject,
  Range,
  RecordId,
  type RecordKey,
  SetValue,
  type Value,
} from './value.js';
import { MeasuredWalk, tooLarge, UNMEASURED, Walk } from './walk.js';

const measured = new MeasuredWalk();
/** Under way. */
let walk: Walk = measured;

/**
 * A copy that shares nothing changeable with the value: for values that cross the border to a program in the same
 * process, which may change what it was given, or gave.
 * @throws TesseraError `nesting_too_deep`, `value_too_large`
 */
export function copyValue(value: Value): Value {
  walk = measured;
  return measured.end(copy(value, measured.beginAt(value)));
}

function copy(value: Value, depth: number): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return copyItems(value, depth);
  if (isObject(value)) {
    const keys = Object.keys(value);
    const below = walk.enter(depth, keys.length);
    const object = newObject();
    for (const key of keys) object[key] = copy(value[key], below);
    return object;
  }
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof SetValue) return new SetValue(copyItems(value.items, depth));
  if (value instanceof RecordId) {
    if (typeof value.key !== 'object') return value;
    return new RecordId(value.table, copy(value.key, walk.enter(depth, 1)) as RecordKey | Range);
  }
  if (!(value instanceof Range)) return value;
  const { start, end } = value;
  const below = walk.enter(depth, 2);
  return new Range(
    start && { value: copy(start.value, below), inclusive: start.inclusive },
    end && { value: copy(end.value, below), inclusive: end.inclusive },
  );
}

function copyItems(items: readonly Value[], depth: number): Value[] {
  const below = walk.enter(depth, items.length);
  return items.map((item) => copy(item, below));
}

/** Thrown where a value has too many parts to be copied at once. */
const LARGE = tooLarge(UNMEASURED);

class SmallWalk extends Walk {
  protected override exhausted(): void {
    throw LARGE;
  }
}

const small = new SmallWalk(UNMEASURED);

/** Copies values, one after the other, as `copyValue` does, with checkpoints. */
export class StepwiseCopier {
  /** Parts copied since the last checkpoint. */
  #copied = 0;

  constructor(private readonly work: Work) {}

  /** @throws TesseraError `nesting_too_deep`, `value_too_large` */
  copy(value: Value): PromiseOrValue<Value> {
    if (typeof value !== 'object' || value === null) return value;
    const copied = this.#copyAtOnce(value);
    if (copied === undefined) return runSteps(new Copying(value), this.work);
    this.#copied += UNMEASURED - small.left;
    if (this.#copied < UNMEASURED) return copied;
    this.#copied = 0;
    return andThen(this.work.checkpoint(), () => copied);
  }

  #copyAtOnce(value: Value): Value {
    walk = small;
    try {
      return copy(value, small.begin());
    } catch (error) {
      if (error === LARGE) return undefined;
      throw error;
    }
  }
}

/** Parts copied in one step: less than a millisecond. */
const PARTS = 4096;

/** A list or object that is being copied. */
interface Level {
  readonly members: readonly Value[];
  /** The names of the fields, of an object. */
  readonly names: readonly string[] | undefined;
  readonly copy: Value[] | MutableObject;
  at: number;
}

/** A copy of a value of any size, in steps. */
class Copying implements Stepwise<Value> {
  /** From the outermost to the innermost. */
  readonly #levels: Level[] = [];
  readonly #root: Value[] = [];
  #left = MAX_NODES;

  constructor(value: Value) {
    this.#enter([value], undefined, this.#root);
  }

  get result(): Value {
    return this.#root[0];
  }

  step(): boolean {
    for (let left = PARTS; left > 0; left--) {
      const level = this.#levels.at(-1);
      if (level === undefined) return true;
      const { members, names, copy, at } = level;
      if (at === members.length) this.#levels.pop();
      else {
        level.at++;
        const made = this.#copyOf(members[at]);
        if (names === undefined) (copy as Value[]).push(made);
        else (copy as MutableObject)[names[at] as string] = made;
      }
    }
    return false;
  }

  /** The members of a list or object follow. */
  #copyOf(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value;
    if (isArray(value)) return this.#enter(value, undefined, []);
    if (value instanceof SetValue) return new SetValue(this.#enter(value.items, undefined, []) as Value[]);
    if (isObject(value)) return this.#enter(Object.values(value), Object.keys(value), newObject());
    return copyValue(value);
  }

  #enter(members: readonly Value[], names: readonly string[] | undefined, copy: Value[] | MutableObject): Value {
    // The root is in a list of its own.
    nextDepth(this.#levels.length - 1);
    this.#left -= members.length;
    if (this.#left < 0) throw tooLarge(MAX_NODES);
    this.#levels.push({ members, names, copy, at: 0 });
    return copy;
  }
}
