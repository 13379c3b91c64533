/** Distances and similarities of vectors of equal length, in floats. */
import { toNumber } from '../../value/number.js';
import type { NumberValue } from '../../value/value.js';

export type Vector = readonly NumberValue[];

/** Almost all components are bare numbers, and these loops are where vector searches spend their time. */
function at(vector: Vector, index: number): number {
  const component = vector[index] as NumberValue;
  return typeof component === 'number' ? component : toNumber(component);
}

/** Sums a term for each pair of components. */
function total(a: Vector, b: Vector, term: (x: number, y: number) => number): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += term(at(a, index), at(b, index));
  return sum;
}

export function dotProduct(a: Vector, b: Vector): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += at(a, index) * at(b, index);
  return sum;
}

export function magnitude(vector: Vector): number {
  return Math.sqrt(dotProduct(vector, vector));
}

export function chebyshev(a: Vector, b: Vector): number {
  let greatest = 0;
  for (let index = 0; index < a.length; index++) {
    const distance = Math.abs(at(a, index) - at(b, index));
    if (!(distance <= greatest)) greatest = distance;
  }
  return greatest;
}

export function euclidean(a: Vector, b: Vector): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) {
    const difference = at(a, index) - at(b, index);
    sum += difference * difference;
  }
  return Math.sqrt(sum);
}

export function minkowski(a: Vector, b: Vector, order: number): number {
  return total(a, b, (x, y) => Math.abs(x - y) ** order) ** (1 / order);
}

/** The cosine of the angle between them; NaN if one has no direction. */
export function cosine(a: Vector, b: Vector): number {
  return dotProduct(a, b) / (magnitude(a) * magnitude(b));
}

/** The angle between them in radians. */
export function angle(a: Vector, b: Vector): number {
  // Rounding may carry the cosine of equal directions beyond 1.
  return Math.acos(Math.max(-1, Math.min(1, cosine(a, b))));
}

/** How far they rise and fall together, from −1 to 1; NaN if one is constant. */
export function pearson(a: Vector, b: Vector): number {
  const meanA = total(a, a, (x) => x) / a.length;
  const meanB = total(b, b, (x) => x) / b.length;
  const shared = total(a, b, (x, y) => (x - meanA) * (y - meanB));
  const spreadA = total(a, a, (x) => (x - meanA) ** 2);
  const spreadB = total(b, b, (x) => (x - meanB) ** 2);
  const { length } = a;
  return shared / length / (Math.sqrt(spreadA / length) * Math.sqrt(spreadB / length));
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
