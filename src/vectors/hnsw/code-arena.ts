/**
 * Vectors as whole numbers of 8 bits by slot, which measure the distance to a query roughly, with a bound of the error,
 * in less than half of the time and a quarter of the memory that 32-bit floats take.
 *
 * A vector v is s·c + e: its codes c, a scale s, and what is lost, e. With a query q = t·d + f the same way,
 *
 *     q·v = ts(d·c) + (td)·e + f·v, so that |q·v − ts(d·c)| ≤ ‖td‖‖e‖ + ‖f‖‖v‖
 *
 * and ‖q − v‖² = ‖q‖² + ‖v‖² − 2 q·v is off by no more than twice that. The query has as many bits as the sums allow,
 * so that nearly all of the error is that of the vectors' codes. For COSINE vectors are divided by their norms: their
 * distance is half of the square of the Euclidean one then.
 */
import { type Floats, magnitude } from '../distances.js';
import { growTo, type KernelModule, kernelModule } from '../kernels.js';
import type { Metric } from '../metric.js';
import { paddedLength } from '../packed-block.js';
import { grown } from './vector-arena.js';

/** So many are measured together. */
const AT_ONCE = 512;
const FIRST_CAPACITY = 64;
/** So many are measured together at least. */
const TOGETHER = 4;
const MOST_CODE = 127;
const MOST_QUERY_CODE = 2 ** 15 - 1;
/** What sums of 32-bit floats and their rounding may add to an error, of the squares they are made of. */
const ROUNDING = 2 ** -20;
const FLOAT = 4;
/** What lies before the codes of a vector: its scale, ‖e‖, ‖v‖ and ‖v‖² in 32-bit floats. */
const FACTS = 4;
/** Bytes of them, and of the factors by which a query multiplies them. */
const FACTS_SIZE = FLOAT * FACTS;

interface Encoded {
  readonly scale: number;
  /** What is lost, ‖e‖. */
  readonly loss: number;
}

export class CodeArena {
  readonly #dimension: number;
  /** Bytes of the codes of a vector; what pads them is zero. */
  readonly #width: number;
  readonly #stride: number;
  readonly #isCosine: boolean;
  readonly #module: KernelModule;
  #capacity = 0;
  #codes = new Int8Array();
  #floats = new Float32Array();
  /** The factors that a query gives the sums of products, and ‖e‖ and ‖v‖ for the error of a square: 2‖td‖ and 2‖f‖. */
  #byProduct = 0;
  #byLoss = 0;
  #byNorm = 0;
  /** ‖q‖² */
  #square = 0;

  private constructor({ name }: Metric, dimension: number, module: KernelModule) {
    this.#dimension = dimension;
    this.#width = paddedLength(dimension);
    this.#stride = this.#width + FACTS_SIZE;
    this.#isCosine = name === 'COSINE';
    this.#module = module;
  }

  /** `undefined` for metrics that codes don't measure, and where WebAssembly has no SIMD or there is no memory. */
  static open(metric: Metric, dimension: number): CodeArena | undefined {
    if (metric.name !== 'EUCLIDEAN' && metric.name !== 'COSINE') return undefined;
    const module = kernelModule(0);
    if (module === undefined) return undefined;
    const arena = new CodeArena(metric, dimension, module);
    return arena.#grow(FIRST_CAPACITY) ? arena : undefined;
  }

  /** What a vector takes, in bytes. */
  static sizeOf(dimension: number): number {
    return paddedLength(dimension) + FACTS_SIZE;
  }

  /** In bytes. */
  get size(): number {
    return this.#codes.byteLength;
  }

  /** @throws RangeError if there is no memory */
  set(slot: number, vector: Floats): void {
    if (slot >= this.#capacity) this.reserve(grown(slot + 1));
    const norm = magnitude(vector);
    const unit = this.#isCosine ? norm : 1;
    const from = this.#offsetOf(slot);
    const codes = this.#codes.subarray(from + FACTS_SIZE, from + FACTS_SIZE + this.#dimension);
    const { scale, loss } = encode(vector, codes, MOST_CODE);
    const length = norm / unit;
    this.#floats.set([scale / unit, loss / unit, length, length * length], from / FLOAT);
  }

  setQuery(vector: Floats): void {
    const norm = magnitude(vector);
    const unit = this.#isCosine ? norm : 1;
    const codes = new Int16Array(this.#codes.buffer, 0, this.#width);
    const most = Math.min(MOST_QUERY_CODE, Math.floor(2 ** 31 / MOST_CODE / this.#width) - 1);
    const { scale, loss } = encode(vector, codes, most);
    this.#byProduct = (-2 * scale) / unit;
    this.#byLoss = (2 * (norm + loss)) / unit;
    this.#byNorm = (2 * loss) / unit;
    this.#square = (norm / unit) ** 2;
    this.#floats.set([0, -this.#byLoss, -this.#byNorm, 1 - ROUNDING], this.#factors / FLOAT);
  }

  /** The squares that the distances of the vectors in `count` slots from `first` on have at least, into `out`. */
  bound(first: number, count: number, out: Float32Array): void {
    const square = this.#square * (1 - ROUNDING);
    const factors = this.#factors;
    const results = factors + FACTS_SIZE;
    for (let from = first; from < first + count; from += AT_ONCE) {
      const some = Math.min(AT_ONCE, first + count - from);
      const rows = this.#offsetOf(from);
      const all = upTo(some, TOGETHER);
      this.#module.boundRows(0, this.#byProduct, factors, square, rows, all, this.#stride, results);
      out.set(this.#floats.subarray(results / FLOAT, results / FLOAT + some), from);
    }
  }

  /** How much more than this the square for a slot may be. */
  uncertainty(slot: number): number {
    const floats = this.#floats;
    const at = this.#offsetOf(slot) / FLOAT;
    const error = this.#byLoss * (floats[at + 1] as number) + this.#byNorm * (floats[at + 2] as number);
    return 2 * (error + ROUNDING * ((floats[at + 3] as number) + this.#square));
  }

  /** Grows to this many vectors. @throws RangeError if there is no memory */
  reserve(slots: number): void {
    if (slots > this.#capacity && !this.#grow(slots)) throw new RangeError('no memory for vectors');
  }

  #grow(slots: number): boolean {
    if (!growTo(this.#module, this.#offsetOf(upTo(slots, TOGETHER)))) return false;
    this.#capacity = slots;
    this.#codes = new Int8Array(this.#module.memory.buffer);
    this.#floats = new Float32Array(this.#module.memory.buffer);
    return true;
  }

  /** The query's codes lie first, then its factors, `AT_ONCE` results, and the vectors. */
  get #factors(): number {
    return 2 * this.#width;
  }

  #offsetOf(slot: number): number {
    return this.#factors + FACTS_SIZE + FLOAT * AT_ONCE + slot * this.#stride;
  }
}

/** The least multiple of `step` that isn't less. */
function upTo(count: number, step: number): number {
  return Math.ceil(count / step) * step;
}

/** Writes a vector's codes, from −`most` to `most`. */
function encode(vector: Floats, codes: Int8Array | Int16Array, most: number): Encoded {
  let greatest = 0;
  for (let at = 0; at < vector.length; at++) greatest = Math.max(greatest, Math.abs(vector[at] as number));
  const scale = greatest / most;
  const inverse = scale === 0 ? 0 : 1 / scale;
  let lost = 0;
  for (let at = 0; at < vector.length; at++) {
    const code = Math.round((vector[at] as number) * inverse);
    codes[at] = code;
    const off = (vector[at] as number) - code * scale;
    lost += off * off;
  }
  return { scale, loss: Math.sqrt(lost) };
}
