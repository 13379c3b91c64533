/** The value at the path of an index, from the record alone. */
import type { Part } from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import { geometryToObject } from '../value/geometry.js';
import { MAX_UNFOLDED } from '../value/limits.js';
import { toNumber } from '../value/number.js';
import {
  Geometry,
  isArray,
  isNumber,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  SetValue,
  type Value,
} from '../value/value.js';
import { tooLarge } from '../value/walk.js';

/**
 * Marks a value that can't be indexed from the record alone: one behind a link, which may change without the record, or
 * one that a path through elements (`tags.*`) can't list by its elements, such as a text, of which any part is
 * contained in it.
 */
export const UNINDEXABLE = Symbol('unindexable');

/**
 * The value to which a path leads, as the executor would evaluate it.
 * @throws TesseraError `value_too_large`
 */
export function valueAt(record: ObjectValue, parts: readonly Part[]): Found {
  const [first] = parts;
  if (first?.kind === 'field' && parts.length === 1) return record[first.name];
  return new Walk(parts).from(record, 0);
}

type Found = Value | typeof UNINDEXABLE;

class Walk {
  #unfolded = 0;

  constructor(readonly parts: readonly Part[]) {}

  /**
   * The rest of the path, from `at` on. Only the first part that goes into an array takes the rest along into each
   * element.
   */
  from(value: Value, at: number, inElement = false): Found {
    const part = this.parts[at];
    if (part === undefined) return value;
    switch (part.kind) {
      case 'field': {
        const { name } = part;
        if (isArray(value) && !inElement && at + 1 < this.parts.length) {
          return this.#map(value, (item) => this.#onward(this.#field(item, name), at, true));
        }
        return this.#onward(this.#ofOwnKey(value, at, name) ?? this.#field(value, name), at, inElement);
      }
      case 'all':
        return isArray(value) ? this.#elements(value, at, inElement) : this.#onlyElement(value, at, inElement);
      case 'flatten':
        // At its end a path with it leads to the array as it is.
        return at + 1 === this.parts.length || !isArray(value)
          ? this.from(value, at + 1, inElement)
          : this.from(this.#flattened(value), at + 1, inElement);
      case 'last':
        return this.#onward(isArray(value) ? value.at(-1) : value, at, inElement);
      case 'index': {
        const known = constantValue(part.index);
        return known === undefined ? UNINDEXABLE : this.#onward(elementAt(value, known.value), at, inElement);
      }
      case 'optional':
        return value === undefined || value === null ? value : this.from(value, at + 1, inElement);
      default:
        return UNINDEXABLE;
    }
  }

  #onward(found: Found, at: number, inElement: boolean): Found {
    return found === UNINDEXABLE ? UNINDEXABLE : this.from(found, at + 1, inElement);
  }

  #field(value: Value, name: string): Found {
    if (isObject(value)) return value[name];
    if (value instanceof Geometry) return geometryToObject(value)[name];
    if (isArray(value)) return this.#map(value, (item) => this.#field(item, name));
    return value instanceof RecordId && !(value.key instanceof Range) ? UNINDEXABLE : undefined;
  }

  /**
   * `id.tenant` of `doc:{tenant: 'a'}`: that a key is unique in a part of it can't be got round by a field of that
   * name.
   */
  #ofOwnKey(value: Value, at: number, name: string): Value {
    const [first] = this.parts;
    const isOwn = at === 1 && first?.kind === 'field' && first.name === 'id';
    return isOwn && value instanceof RecordId && isObject(value.key) ? value.key[name] : undefined;
  }

  /** A path that ends with `.*` lists the elements as they are, since that is what CONTAINS looks for. */
  #elements(items: readonly Value[], at: number, inElement: boolean): Found {
    if (at + 1 === this.parts.length) return items;
    if (items.some((item) => item instanceof RecordId)) return UNINDEXABLE;
    return inElement ? this.from(items, at + 1, true) : this.#map(items, (item) => this.from(item, at + 1, true));
  }

  #flattened(items: readonly Value[]): readonly Value[] {
    for (const item of items) this.#count(isArray(item) ? item.length : 1);
    return items.flatMap((item) => (isArray(item) ? [...item] : [item]));
  }

  #onlyElement(value: Value, at: number, inElement: boolean): Found {
    if (!containsNothing(value)) return UNINDEXABLE;
    return at + 1 === this.parts.length ? undefined : this.from([value], at + 1, inElement);
  }

  #count(elements: number): void {
    this.#unfolded += elements;
    if (this.#unfolded > MAX_UNFOLDED) throw tooLarge(MAX_UNFOLDED);
  }

  /** Paths map into arrays and never flatten them. */
  #map(items: readonly Value[], read: (item: Value) => Found): Found {
    this.#count(items.length);
    const mapped: Value[] = [];
    for (const item of items) {
      const value = read(item);
      if (value === UNINDEXABLE) return UNINDEXABLE;
      mapped.push(value);
    }
    return mapped;
  }
}

function elementAt(value: Value, index: Value): Found {
  const holder = value instanceof RecordId ? (value.key as Value) : value;
  const items = holder instanceof SetValue ? holder.items : holder;
  if (!isNumber(index) || isObject(items)) return UNINDEXABLE;
  return isArray(items) ? items[Math.trunc(toNumber(index))] : undefined;
}

/** Whether CONTAINS finds nothing in a value that has no elements. */
function containsNothing(value: Value): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || isNumber(value);
}
