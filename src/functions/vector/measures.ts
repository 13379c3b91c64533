/** Measures of vectors of equal length: some in floats, some in the kind of their numbers. */
import { add, subtract } from '../../value/arithmetic.js';
import { toNumber } from '../../value/number.js';
import { equals } from '../../value/order.js';
import type { NumberValue, Value } from '../../value/value.js';
import * as distances from '../../vectors/distances.js';
import { absolute } from '../math.js';
import { pack, type Vector } from './packed.js';

export type { Vector } from './packed.js';

const ofPacked =
  (measure: (a: Float64Array, b: Float64Array) => number) =>
  (a: Vector, b: Vector): number =>
    measure(pack(a), pack(b));

export const dotProduct = ofPacked(distances.dotProduct);
export const chebyshev = ofPacked(distances.chebyshev);
export const euclidean = ofPacked(distances.euclidean);
/** The cosine of the angle between them; NaN if one has no direction. */
export const cosine = ofPacked(distances.cosineSimilarity);
/** Pearson correlation, from −1 to 1; NaN if one is constant. */
export const pearson = ofPacked(distances.pearsonCorrelation);

export function minkowski(a: Vector, b: Vector, order: number): number {
  return distances.minkowski(pack(a), pack(b), order);
}

export function magnitude(vector: Vector): number {
  return distances.magnitude(pack(vector));
}

/** Sums keep the kind of their numbers. */
export function total(vector: readonly Value[]): Value {
  return vector.reduce<Value>((sum, component) => add(sum, component), 0);
}

/**
 * The sum of the differences of the components.
 * @throws TesseraError `arithmetic_overflow`, `cannot_add`, `cannot_subtract`
 */
export function manhattan(a: Vector, b: Vector): Value {
  return total(a.map((component, index) => absolute(subtract(component, b[index]) as NumberValue)));
}

/** The number of components that differ. */
export function hamming(a: Vector, b: Vector): number {
  return a.filter((component, index) => !equals(component, b[index])).length;
}

/** The angle between them in radians. */
export function angle(a: Vector, b: Vector): number {
  // Rounding may carry the cosine of equal directions beyond 1.
  return Math.acos(Math.max(-1, Math.min(1, cosine(a, b))));
}

/** Pearson's measure of the ranks; equal numbers share the average of theirs. */
export function spearman(a: Vector, b: Vector): number {
  // Rounding may carry it beyond 1.
  return Math.max(-1, Math.min(1, pearson(ranks(a), ranks(b))));
}

function ranks(vector: Vector): number[] {
  const order = vector.map((component, index) => ({ component: toNumber(component), index }));
  order.sort((x, y) => x.component - y.component);
  const result = new Array<number>(vector.length);
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && order[end]?.component === order[first]?.component) end++;
    for (let at = first; at < end; at++) result[order[at]?.index as number] = (first + end - 1) / 2;
    first = end;
  }
  return result;
}
