/** Vectors of one length as 32-bit floats, one after the other, to be screened. */
import { type Floats, magnitude } from './distances.js';
import { LANES } from './kernels.js';

/** Beyond it squares and their sums might not be finite in 32 bits, below it they might vanish. */
const GREATEST = 2 ** 40;
const LEAST = 2 ** -40;

/** Whether vectors of a magnitude can be screened: not those with NaN or infinities. */
export function isInRange(norm: number): boolean {
  return norm === 0 || (norm > LEAST && norm < GREATEST);
}

export class PackedBlock {
  /** Components a vector, those that pad it among them. */
  readonly width: number;
  readonly vectors: Float32Array;
  /** The magnitudes of the vectors. */
  readonly norms: Float64Array;
  /** Where each vector comes from, as it was counted when it was added. */
  readonly positions: Uint32Array;
  count = 0;
  greatestNorm = 0;
  /** Whether what is measured of it says something: nothing is out of the range of 32 bits. */
  isSound = true;

  constructor(capacity: number, dimension: number) {
    this.width = paddedLength(dimension);
    this.vectors = new Float32Array(capacity * this.width);
    this.norms = new Float64Array(capacity);
    this.positions = new Uint32Array(capacity);
  }

  /** In bytes. */
  get size(): number {
    return this.vectors.byteLength + this.norms.byteLength + this.positions.byteLength;
  }

  add(vector: Floats, position: number): void {
    const { count } = this;
    const norm = magnitude(vector);
    this.vectors.set(vector, count * this.width);
    this.norms[count] = norm;
    this.positions[count] = position;
    this.count++;
    if (!isInRange(norm)) this.isSound = false;
    this.greatestNorm = Math.max(this.greatestNorm, norm);
  }
}

export function paddedLength(dimension: number): number {
  return Math.max(LANES, Math.ceil(dimension / LANES) * LANES);
}
