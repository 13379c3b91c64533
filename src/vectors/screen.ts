/**
 * What packed vectors say roughly of their distances, so that few have to be measured exactly.
 *
 * Vectors x̃ and q̃ of 32-bit floats differ from x and q by 2⁻²⁴ of their components, so that by the triangle
 * inequality their distance is off by no more than 2⁻²⁴(‖x‖ + ‖q‖); a sum of n terms, which is made of `LANES` sums, is
 * off by (n / LANES + 6) · 2⁻²⁴ of itself. The margins below are at least twice that, and what remains is less than
 * TINY.
 */
import { type Floats, magnitude } from './distances.js';
import { fastestKernels, type KernelName, type Kernels, LANES } from './kernels.js';
import type { Metric, MetricName } from './metric.js';
import { isInRange, type PackedBlock, paddedLength } from './packed-block.js';

const UNIT = 2 ** -23;
const TINY = 1e-15;

interface Screening {
  readonly kernel: KernelName;
  readonly isSimilarity: boolean;
  /** The distance that is measured of a vector of a magnitude. NaN where it isn't defined. */
  distance(measured: number, norm: number, query: Query): number;
  /** How far that may be off. */
  error(distance: number, query: Query, block: PackedBlock): number;
  /**
   * What is measured of a vector that lies as far away as this, or farther; of similarities times the magnitude of the
   * vector.
   */
  measure(distance: number, query: Query): number;
}

interface Query {
  readonly norm: number;
  /** How far a sum may be off, of itself. */
  readonly sumError: number;
}

const SCREENINGS: { readonly [Name in MetricName]?: Screening } = {
  EUCLIDEAN: {
    kernel: 'squaredEuclidean',
    isSimilarity: false,
    distance: (measured) => Math.sqrt(measured),
    error: (distance, { norm, sumError }, { greatestNorm }) =>
      (distance * sumError) / (1 - sumError) + UNIT * (norm + greatestNorm) + TINY,
    measure: (distance) => distance ** 2,
  },
  MANHATTAN: {
    kernel: 'manhattan',
    isSimilarity: false,
    distance: (measured) => measured,
    // ‖x‖₁ ≤ √n ‖x‖₂
    error: (distance, { norm, sumError }, { greatestNorm, width }) =>
      (distance * sumError) / (1 - sumError) + UNIT * Math.sqrt(width) * (norm + greatestNorm) + TINY,
    measure: (distance) => distance,
  },
  COSINE: {
    kernel: 'dotProduct',
    isSimilarity: true,
    distance: (measured, norm, query) => 1 - measured / (query.norm * norm),
    error: (_, { sumError }) => 2 * sumError + TINY,
    measure: (distance, { norm }) => norm * (1 - distance),
  },
};

/** Sums of more terms than a process has memory for would be off by more. */
const MOST_SUM_ERROR = 0.5;

/** Whether there is a kernel for a metric, so that its vectors are kept packed. */
export function isScreened({ name }: Metric): boolean {
  return SCREENINGS[name] !== undefined;
}

/** Takes what may lie within a distance. */
export interface Screened {
  /** The distance, which may fall with each that is taken; infinite while all are. */
  readonly bound: number;
  /**
   * @param at the number of a vector in its block
   * @param distance what it is roughly, NaN where it isn't defined
   * @param error how far that may be off
   */
  take(at: number, distance: number, error: number): void;
}

export class Screen {
  readonly #screening: Screening;
  readonly #kernels: Kernels;
  readonly #query: Float32Array;
  readonly #facts: Query;

  /** @param metric one that is screened */
  constructor(metric: Metric, point: Floats, kernels = fastestKernels()) {
    this.#screening = SCREENINGS[metric.name] as Screening;
    this.#kernels = kernels;
    this.#query = new Float32Array(paddedLength(point.length));
    this.#query.set(point);
    const sumError = Math.min(MOST_SUM_ERROR, UNIT * (Math.ceil(point.length / LANES) + 16));
    this.#facts = { norm: magnitude(point), sumError };
  }

  /** Hands over the vectors of a block that aren't known to lie beyond a distance. */
  run(block: PackedBlock, screened: Screened): void {
    const { count } = block;
    if (!block.isSound || !isInRange(this.#facts.norm)) {
      for (let at = 0; at < count; at++) screened.take(at, 0, Number.POSITIVE_INFINITY);
      return;
    }
    const { kernel, isSimilarity } = this.#screening;
    const measured = block.measure(kernel, this.#query, this.#kernels);
    const { norms } = block;
    let limit = this.#limit(screened, block);
    for (let at = 0; at < count; at++) {
      const each = measured[at] as number;
      const norm = norms[at] as number;
      if (isSimilarity ? each < limit * norm : each > limit) continue;
      const distance = this.#screening.distance(each, norm, this.#facts);
      screened.take(at, distance, this.#screening.error(distance, this.#facts, block));
      limit = this.#limit(screened, block);
    }
  }

  /** Beyond it, what is measured says that a vector lies farther away than is wanted. */
  #limit({ bound }: Screened, block: PackedBlock): number {
    const { error, measure } = this.#screening;
    return measure((bound + error(0, this.#facts, block)) / (1 - this.#facts.sumError), this.#facts);
  }
}
