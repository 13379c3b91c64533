/** Vectors of values as packed numbers. */
import { toNumber } from '../../value/number.js';
import { isNumber, type NumberValue, type Value } from '../../value/value.js';

export type Vector = readonly NumberValue[];

/** The components as 64-bit floats; decimals and integers beyond 2^53 are rounded. */
export function pack(vector: Vector): Float64Array {
  const packed = new Float64Array(vector.length);
  for (let at = 0; at < vector.length; at++) {
    const component = vector[at] as NumberValue;
    packed[at] = typeof component === 'number' ? component : toNumber(component);
  }
  return packed;
}

/** Packs an array of just so many numbers; returns false where it isn't one. */
export function packInto(packed: Float64Array, vector: readonly Value[]): boolean {
  const { length } = packed;
  if (vector.length !== length) return false;
  for (let at = 0; at < length; at++) {
    const component = vector[at];
    // Almost all components are bare numbers, and this loop is where exact searches spend their time.
    if (typeof component === 'number') packed[at] = component;
    else if (isNumber(component)) packed[at] = toNumber(component);
    else return false;
  }
  return true;
}
