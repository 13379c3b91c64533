/**
 * Lower bounds of the distances of packed vectors, so that few have to be measured exactly.
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
  /** Less than the distance, by what the kernel has measured. */
  lowerBound(measured: number, norm: number, query: Query, block: PackedBlock): number;
}

interface Query {
  readonly norm: number;
  /** How far a sum may be off, of itself. */
  readonly sumError: number;
}

const SCREENINGS: { readonly [Name in MetricName]?: Screening } = {
  EUCLIDEAN: {
    kernel: 'squaredEuclidean',
    lowerBound: (measured, _, { norm, sumError }, { greatestNorm }) =>
      Math.sqrt(measured) * (1 - sumError) - UNIT * (norm + greatestNorm) - TINY,
  },
  MANHATTAN: {
    kernel: 'manhattan',
    // ‖x‖₁ ≤ √n ‖x‖₂
    lowerBound: (measured, _, { norm, sumError }, { greatestNorm, width }) =>
      measured * (1 - sumError) - UNIT * Math.sqrt(width) * (norm + greatestNorm) - TINY,
  },
  COSINE: {
    kernel: 'dotProduct',
    lowerBound: (measured, norm, query) => 1 - measured / (norm * query.norm) - 2 * query.sumError - TINY,
  },
};

/** Whether there is a kernel for a metric. */
export function isScreened({ name }: Metric): boolean {
  return SCREENINGS[name] !== undefined;
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

  /** A number for each vector, beneath its distance; NaN where nothing is known of it. */
  lowerBounds(block: PackedBlock): Float64Array {
    const { count, width } = block;
    const bounds = new Float64Array(count);
    if (!block.isSound || !isInRange(this.#facts.norm)) return bounds.fill(Number.NaN);
    const { kernel, lowerBound } = this.#screening;
    const measured = new Float32Array(count);
    this.#kernels[kernel](this.#query, block.vectors.subarray(0, count * width), measured);
    for (let at = 0; at < count; at++) {
      bounds[at] = lowerBound(measured[at] as number, block.norms[at] as number, this.#facts, block);
    }
    return bounds;
  }
}
