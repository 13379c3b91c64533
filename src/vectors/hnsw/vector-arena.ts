/** Vectors as 32-bit floats by slot, measured against a query or each other: in WebAssembly, where that has SIMD. */
import { type Distance, distanceOf, dotProduct, type Floats, magnitude, squaredEuclidean } from '../distances.js';
import { growTo, type KernelModule, type KernelName, kernelModule, kernelNumber } from '../kernels.js';
import type { Metric, MetricName } from '../metric.js';
import { isInRange, paddedLength } from '../packed-block.js';

/** Instead of a slot: the query. */
export const QUERY = -1;

/** So many vectors are measured together at most. */
const AT_ONCE = 512;
const FIRST_CAPACITY = 64;
const FLOAT = 4;

/** What orders vectors as their distance does, or is made into that. */
interface Measuring {
  readonly kernel?: KernelName;
  readonly plain: Distance;
}

const MEASURING: { readonly [Name in MetricName]?: Measuring } = {
  EUCLIDEAN: { kernel: 'squaredEuclidean', plain: squaredEuclidean },
  COSINE: { kernel: 'dotProduct', plain: dotProduct },
  MANHATTAN: { kernel: 'manhattan', plain: distanceOf({ name: 'MANHATTAN', order: 0 }) },
};

/** A capacity a little larger: vectors are large, and most graphs grow slowly. */
export function grown(capacity: number): number {
  return capacity + (capacity >> 2);
}

/** The query, `AT_ONCE` slots, `AT_ONCE` results, then the vectors, lie one after the other in one buffer. */
export class VectorArena {
  readonly #dimension: number;
  readonly #width: number;
  readonly #measuring: Measuring;
  readonly #isCosine: boolean;
  readonly #isSquared: boolean;
  readonly #distance: Distance;
  readonly #module: KernelModule | undefined;
  readonly #number: number;
  #floats: Float32Array;
  #capacity = FIRST_CAPACITY;
  #norms = new Float64Array(FIRST_CAPACITY);
  #queryNorm = 0;
  /** Which vectors are to be measured. */
  slots: Uint32Array;
  /** What was measured: less of what is nearer. */
  out: Float32Array;

  constructor(metric: Metric, dimension: number, hasSimd = true) {
    this.#dimension = dimension;
    this.#width = paddedLength(dimension);
    this.#distance = distanceOf(metric);
    this.#measuring = MEASURING[metric.name] ?? { plain: this.#distance };
    this.#isCosine = metric.name === 'COSINE';
    this.#isSquared = metric.name === 'EUCLIDEAN';
    const { kernel } = this.#measuring;
    const bytes = this.#bytesOf(FIRST_CAPACITY);
    this.#module = hasSimd && kernel !== undefined ? kernelModule(bytes) : undefined;
    this.#number = kernel === undefined ? 0 : kernelNumber(kernel);
    this.#floats = new Float32Array(this.#module?.memory.buffer ?? new ArrayBuffer(bytes));
    this.slots = this.#slotsView();
    this.out = this.#outView();
  }

  /** In bytes. */
  get size(): number {
    return this.#floats.byteLength + this.#norms.byteLength;
  }

  /** Whether 32-bit floats can measure a vector: one that they can't has no place in a graph. */
  isMeasurable(vector: Floats): boolean {
    return isInRange(magnitude(vector)) && this.hasDistance(vector);
  }

  /** Whether a vector may be nearer than others, in 64 bits: not those with NaN or infinities. */
  hasDistance(vector: Floats): boolean {
    return !Number.isNaN(this.#distance(vector, vector));
  }

  /** As it was set, in 32 bits, until another is. */
  vector(slot: number): Float32Array {
    const from = this.#offsetOf(slot);
    return this.#floats.subarray(from, from + this.#dimension);
  }

  setQuery(vector: Floats): void {
    this.#floats.set(vector, 0);
    this.#queryNorm = this.#isCosine ? magnitude(vector) : 0;
  }

  set(slot: number, vector: Floats): void {
    if (slot >= this.#capacity) this.reserve(Math.max(slot + 1, grown(this.#capacity)));
    this.#floats.set(vector, this.#offsetOf(slot));
    this.#norms[slot] = this.#isCosine ? magnitude(vector) : 0;
  }

  /** Measures the vectors of the first `count` of `slots` into `out`, against that of a slot or `QUERY`. */
  measure(from: number, count: number): void {
    if (this.#module === undefined) this.#measurePlainly(from, count);
    else {
      const stride = FLOAT * this.#width;
      const vectors = FLOAT * this.#offsetOf(0);
      const query = FLOAT * this.#offsetOf(from);
      this.#module.measureAt(this.#number, query, vectors, stride, count, stride, stride + FLOAT * AT_ONCE);
    }
    if (this.#isCosine) this.#divideByNorms(from, count);
  }

  /** Measures `count` vectors, in the slots from `first` on, into `out` against the query. */
  measureRow(first: number, count: number): void {
    if (this.#module === undefined || this.#isCosine) for (let at = 0; at < count; at++) this.slots[at] = first + at;
    if (this.#module === undefined) this.#measurePlainly(QUERY, count);
    else {
      const stride = FLOAT * this.#width;
      const rows = FLOAT * this.#offsetOf(first);
      this.#module.measureRows(this.#number, 0, rows, count, stride, stride + FLOAT * AT_ONCE);
    }
    if (this.#isCosine) this.#divideByNorms(QUERY, count);
  }

  /** The distance of which a number in `out` says how near it is, in 32 bits. */
  distanceOf(measured: number): number {
    return this.#isSquared ? Math.sqrt(measured) : measured;
  }

  #measurePlainly(from: number, count: number): void {
    const query = this.vector(from);
    for (let at = 0; at < count; at++) {
      const measured = this.#measuring.plain(query, this.vector(this.slots[at] as number));
      this.out[at] = Number.isNaN(measured) ? Number.POSITIVE_INFINITY : measured;
    }
  }

  #divideByNorms(from: number, count: number): void {
    const { slots, out } = this;
    const norms = this.#norms;
    const norm = from === QUERY ? this.#queryNorm : (norms[from] as number);
    for (let at = 0; at < count; at++)
      out[at] = 1 - (out[at] as number) / (norm * (norms[slots[at] as number] as number));
  }

  #offsetOf(slot: number): number {
    return slot === QUERY ? 0 : this.#width * (slot + 1) + 2 * AT_ONCE;
  }

  #bytesOf(capacity: number): number {
    return FLOAT * (this.#width * (capacity + 1) + 2 * AT_ONCE);
  }

  /** Grows to this many vectors. */
  reserve(slots: number): void {
    if (slots <= this.#capacity) return;
    this.#capacity = slots;
    const bytes = this.#bytesOf(this.#capacity);
    if (this.#module !== undefined) {
      if (!growTo(this.#module, bytes)) throw new RangeError('no memory for vectors');
      this.#floats = new Float32Array(this.#module.memory.buffer);
    } else {
      const floats = new Float32Array(bytes / FLOAT);
      floats.set(this.#floats);
      this.#floats = floats;
    }
    const norms = new Float64Array(this.#capacity);
    norms.set(this.#norms);
    this.#norms = norms;
    this.slots = this.#slotsView();
    this.out = this.#outView();
  }

  #slotsView(): Uint32Array {
    return new Uint32Array(this.#floats.buffer, FLOAT * this.#width, AT_ONCE);
  }

  #outView(): Float32Array {
    return new Float32Array(this.#floats.buffer, FLOAT * (this.#width + AT_ONCE), AT_ONCE);
  }
}
