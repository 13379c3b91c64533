/** What a record holds at the path of an index, told from the record alone. */

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
 * Stands for a value that the record alone doesn't tell: one behind a link, which may change without the record, or one that a path
 * through elements (`tags.*`) can't list by its elements, such as a text, of which any part is contained in it.
 */
export const ELSEWHERE = Symbol('elsewhere');

/**
 * The value to which a path leads, as the executor would evaluate it.
 * @throws TesseraError `value_too_large`
 */
export function valueAt(record: ObjectValue, parts: readonly Part[]): Value | typeof ELSEWHERE {
  const [first] = parts;
  if (first?.kind === 'field' && parts.length === 1) return record[first.name];
  return new Walk(parts).from(record, 0);
}

class Walk {
  #unfolded = 0;

  constructor(readonly parts: readonly Part[]) {}

  from(value: Value, at: number): Value | typeof ELSEWHERE {
    const part = this.parts[at];
    if (part === undefined) return value;
    switch (part.kind) {
      case 'field':
        return this.#field(value, part.name, at);
      case 'all':
        return this.#all(value, at);
      case 'last':
        return this.from(
          isArray(value) ? value.at(-1) : value instanceof SetValue ? value.items.at(-1) : value,
          at + 1,
        );
      case 'index': {
        const known = constantValue(part.index);
        return known === undefined ? ELSEWHERE : this.#element(value, known.value, at);
      }
      case 'optional':
        return value === undefined || value === null ? value : this.from(value, at + 1);
      default:
        return ELSEWHERE;
    }
  }

  #field(value: Value, name: string, at: number): Value | typeof ELSEWHERE {
    if (isObject(value)) return this.from(value[name], at + 1);
    if (value instanceof Geometry) return this.from(geometryToObject(value)[name], at + 1);
    if (isArray(value)) return this.#map(value, at);
    if (value instanceof SetValue) return this.#map(value.items, at);
    if (!(value instanceof RecordId)) return this.from(undefined, at + 1);
    if (isObject(value.key) && value.key[name] !== undefined) return this.from(value.key[name], at + 1);
    return value.key instanceof Range ? this.from(undefined, at + 1) : ELSEWHERE;
  }

  #all(value: Value, at: number): Value | typeof ELSEWHERE {
    if (isArray(value)) return this.#map(value, at);
    return containsNothing(value) ? this.from(undefined, at + 1) : ELSEWHERE;
  }

  #element(value: Value, index: Value, at: number): Value | typeof ELSEWHERE {
    const holder = value instanceof RecordId ? (value.key as Value) : value;
    const items = holder instanceof SetValue ? holder.items : holder;
    if (!isNumber(index) || isObject(items)) return ELSEWHERE;
    return this.from(isArray(items) ? items[Math.trunc(toNumber(index))] : undefined, at + 1);
  }

  /** Paths map into arrays and never flatten them. */
  #map(items: readonly Value[], at: number): Value | typeof ELSEWHERE {
    this.#unfolded += items.length;
    if (this.#unfolded > MAX_UNFOLDED) throw tooLarge(MAX_UNFOLDED);
    const mapped: Value[] = [];
    for (const item of items) {
      const value = this.parts[at]?.kind === 'all' ? this.#item(item, at) : this.from(item, at);
      if (value === ELSEWHERE) return ELSEWHERE;
      mapped.push(value);
    }
    return mapped;
  }

  /** A path that ends with `.*` lists the elements as they are, since that is what CONTAINS looks for. */
  #item(item: Value, at: number): Value | typeof ELSEWHERE {
    if (at === this.parts.length - 1) return item;
    if (item instanceof RecordId) return ELSEWHERE;
    return isArray(item) ? this.#map(item, at) : this.from(item, at + 1);
  }
}

/** Whether CONTAINS finds nothing in a value that has no elements. */
function containsNothing(value: Value): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || isNumber(value);
}
