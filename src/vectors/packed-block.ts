/** Vectors of one length as 32-bit floats, one after the other, to be screened. */
import type { BlockMemory } from './block-memory.js';
import { type Floats, magnitude } from './distances.js';
import { type KernelName, type Kernels, LANES } from './kernels.js';

/** Beyond it squares and their sums might not be finite in 32 bits, below it they might vanish. */
const GREATEST = 2 ** 40;
const LEAST = 2 ** -40;
const FLOAT = 4;
/** A magnitude. */
const BESIDE = 8;

/** Whether vectors of a magnitude can be screened: not those with NaN or infinities. */
export function isInRange(norm: number): boolean {
  return norm === 0 || (norm > LEAST && norm < GREATEST);
}

/** Where a block lies in a memory that it shares with others. */
export interface BlockPlace {
  readonly memory: BlockMemory;
  readonly at: number;
}

export class PackedBlock {
  /** Components a vector, those that pad it among them. */
  readonly width: number;
  readonly place: BlockPlace | undefined;
  /** Where it has no place. */
  readonly #vectors: Float32Array;
  /** The magnitudes of the vectors. */
  readonly norms: Float64Array;
  count = 0;
  greatestNorm = 0;
  /** Whether what is measured of it says something: nothing is out of the range of 32 bits. */
  isSound = true;

  /** @param capacity the most vectors that are added */
  constructor(capacity: number, dimension: number, place?: BlockPlace) {
    this.width = paddedLength(dimension);
    this.place = place;
    this.#vectors = new Float32Array(place === undefined ? capacity * this.width : 0);
    this.norms = new Float64Array(capacity);
  }

  /** What so many vectors take, in bytes. */
  static sizeOf(vectors: number, dimension: number): number {
    return vectors * (FLOAT * paddedLength(dimension) + BESIDE);
  }

  /** In bytes, without its place. */
  get size(): number {
    return this.#vectors.byteLength + this.norms.byteLength;
  }

  add(vector: Floats): void {
    const { count } = this;
    const norm = magnitude(vector);
    if (this.place === undefined) this.#vectors.set(vector, count * this.width);
    else this.place.memory.set(this.place.at, count, vector);
    this.norms[count] = norm;
    this.count++;
    if (!isInRange(norm)) this.isSound = false;
    this.greatestNorm = Math.max(this.greatestNorm, norm);
  }

  /** Measures all vectors against one as wide. What it answers holds until the next are measured. */
  measure(kernel: KernelName, query: Float32Array, kernels: Kernels): Float32Array {
    const { count, width, place } = this;
    if (place !== undefined) return place.memory.measure(kernel, query, place.at, count);
    const measured = new Float32Array(count);
    kernels[kernel](query, this.#vectors.subarray(0, count * width), measured);
    return measured;
  }
}

export function paddedLength(dimension: number): number {
  return Math.max(LANES, Math.ceil(dimension / LANES) * LANES);
}
