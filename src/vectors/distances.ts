/**
 * Distances of packed vectors of equal length, summed in 64 bits. Nearest is least: of a measure that grows with
 * likeness (cosine, Jaccard's, Pearson's) it is 1 − similarity. NaN where it isn't defined.
 */
import type { Metric, MetricName } from './metric.js';

/** The components of a vector. */
export type Floats = Float64Array | Float32Array;

export type Distance = (a: Floats, b: Floats) => number;

/** √Σ(aᵢ − bᵢ)² */
export function euclidean(a: Floats, b: Floats): number {
  return Math.sqrt(squaredEuclidean(a, b));
}

/** Σ(aᵢ − bᵢ)², which orders vectors as the distance does. */
export function squaredEuclidean(a: Floats, b: Floats): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) {
    const difference = (a[at] as number) - (b[at] as number);
    sum += difference * difference;
  }
  return sum;
}

/** Σ|aᵢ − bᵢ| */
export function manhattan(a: Floats, b: Floats): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += Math.abs((a[at] as number) - (b[at] as number));
  return sum;
}

/** max|aᵢ − bᵢ| */
export function chebyshev(a: Floats, b: Floats): number {
  let greatest = 0;
  for (let at = 0; at < a.length; at++) {
    const distance = Math.abs((a[at] as number) - (b[at] as number));
    // NaN is neither less nor greater, and stays.
    if (!(distance <= greatest)) greatest = distance;
  }
  return greatest;
}

/** (Σ|aᵢ − bᵢ|ᵖ)^(1/p) */
export function minkowski(a: Floats, b: Floats, order: number): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += Math.abs((a[at] as number) - (b[at] as number)) ** order;
  return sum ** (1 / order);
}

/** The number of places that differ. */
export function hamming(a: Floats, b: Floats): number {
  let count = 0;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) count++;
  return count;
}

export function dotProduct(a: Floats, b: Floats): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

export function magnitude(vector: Floats): number {
  return Math.sqrt(dotProduct(vector, vector));
}

/** The cosine of the angle between them; NaN if one has no direction. */
export function cosineSimilarity(a: Floats, b: Floats): number {
  return dotProduct(a, b) / (magnitude(a) * magnitude(b));
}

/** The share of different components that both have, as sets; they may differ in length. */
export function jaccardSimilarity(a: Floats, b: Floats): number {
  const all = new Set<number>(a);
  const others = new Set<number>(b);
  const { size } = all;
  for (const component of others) all.add(component);
  return (size + others.size - all.size) / all.size;
}

/** Pearson's correlation: how far they rise and fall together, from −1 to 1; NaN if one is constant. */
export function pearsonCorrelation(a: Floats, b: Floats): number {
  const { length } = a;
  const meanA = sumOf(a) / length;
  const meanB = sumOf(b) / length;
  let shared = 0;
  let spreadA = 0;
  let spreadB = 0;
  for (let at = 0; at < length; at++) {
    const x = (a[at] as number) - meanA;
    const y = (b[at] as number) - meanB;
    shared += x * y;
    spreadA += x ** 2;
    spreadB += y ** 2;
  }
  return shared / length / (Math.sqrt(spreadA / length) * Math.sqrt(spreadB / length));
}

function sumOf(vector: Floats): number {
  let sum = 0;
  for (const component of vector) sum += component;
  return sum;
}

const DISTANCES: { readonly [Name in Exclude<MetricName, 'MINKOWSKI'>]: Distance } = {
  CHEBYSHEV: chebyshev,
  COSINE: (a, b) => 1 - cosineSimilarity(a, b),
  EUCLIDEAN: euclidean,
  HAMMING: hamming,
  JACCARD: (a, b) => 1 - jaccardSimilarity(a, b),
  MANHATTAN: manhattan,
  PEARSON: (a, b) => 1 - pearsonCorrelation(a, b),
};

/** The distance that a metric names. */
export function distanceOf({ name, order }: Metric): Distance {
  return name === 'MINKOWSKI' ? (a, b) => minkowski(a, b, order) : DISTANCES[name];
}

/** Whether a metric compares vectors of different lengths, since it takes them as sets. */
export function comparesSets({ name }: Metric): boolean {
  return name === 'JACCARD';
}
