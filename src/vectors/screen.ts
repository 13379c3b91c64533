/**
 * What packed vectors say roughly of their distances, so that few have to be measured exactly.
 *
 * Vectors x̃ and q̃ of 32-bit floats differ from x and q by 2⁻²⁴ of their components, so that by the triangle
 * inequality their distance is off by no more than 2⁻²⁴(‖x‖ + ‖q‖); a sum of n terms is off by n · 2⁻²⁴ of itself. The
 * margins below are at least twice that, and what remains is less than TINY.
 */
import { magnitude } from './distances.js';
import { fastestKernels, type KernelName, type Kernels } from './kernels.js';
import type { Metric, MetricName } from './metric.js';
import { isInRange, type PackedBlock, paddedLength } from './packed-block.js';

const UNIT = 2 ** -23;
const TINY = 1e-15;

interface Screening {
  readonly kernel: KernelName;
  /**
   * A number beyond which what the kernel has measured says that a vector is farther away than `distance`; for
   * similarities below which, times the magnitude of the vector. NaN if `distance` is.
   */
  limit(distance: number, query: Query, block: PackedBlock): number;
  readonly isSimilarity: boolean;
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
    limit: (distance, { norm, sumError }, { greatestNorm }) =>
      ((distance + UNIT * (norm + greatestNorm) + TINY) / (1 - sumError)) ** 2,
  },
  MANHATTAN: {
    kernel: 'manhattan',
    isSimilarity: false,
    // ‖x‖₁ ≤ √n ‖x‖₂
    limit: (distance, { norm, sumError }, { greatestNorm, width }) =>
      (distance + UNIT * Math.sqrt(width) * (norm + greatestNorm) + TINY) / (1 - sumError),
  },
  COSINE: {
    kernel: 'dotProduct',
    isSimilarity: true,
    limit: (distance, { norm, sumError }) => norm * (1 - distance - 2 * sumError - TINY),
  },
};

/** Longer vectors aren't kept packed, so that a batch of them takes no longer than a step may. */
const MOST_PACKED = 2 ** 12;

/** Whether there is a kernel for a metric, and vectors of a length are kept packed for it. */
export function isScreened({ name }: Metric, dimension: number): boolean {
  return SCREENINGS[name] !== undefined && dimension <= MOST_PACKED;
}

/** Looks for what may lie within a distance. */
export interface Sought {
  /** The distance, which may fall with each visit; NaN while all are visited. */
  readonly bound: number;
  /** @param at the number of a vector in its block */
  visit(at: number): void;
}

export class Screen {
  readonly #screening: Screening;
  readonly #kernels: Kernels;
  readonly #query: Float32Array;
  readonly #facts: Query;

  /** @param metric one that is screened */
  constructor(metric: Metric, point: Float64Array, kernels = fastestKernels()) {
    this.#screening = SCREENINGS[metric.name] as Screening;
    this.#kernels = kernels;
    this.#query = new Float32Array(paddedLength(point.length));
    this.#query.set(point);
    this.#facts = { norm: magnitude(point), sumError: UNIT * (point.length + 16) };
  }

  /** Visits the vectors of a block that aren't known to lie beyond a distance. */
  run(block: PackedBlock, sought: Sought): void {
    const { count } = block;
    if (!block.isSound || !isInRange(this.#facts.norm)) {
      for (let at = 0; at < count; at++) sought.visit(at);
      return;
    }
    const { kernel, isSimilarity } = this.#screening;
    const measured = block.measure(kernel, this.#query, this.#kernels);
    const { norms } = block;
    let limit = this.#limit(sought, block);
    for (let at = 0; at < count; at++) {
      const each = measured[at] as number;
      if (isSimilarity ? each < limit * (norms[at] as number) : each > limit) continue;
      sought.visit(at);
      limit = this.#limit(sought, block);
    }
  }

  #limit({ bound }: Sought, block: PackedBlock): number {
    return this.#screening.limit(bound, this.#facts, block);
  }
}
