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

/** The most that are measured, or compared, together. */
export const CODES_AT_ONCE = 2_048;
const FIRST_CAPACITY = 64;
/** Vectors of a group: their facts, and eight codes of each in turn, lie side by side. */
export const GROUP = 4;
const CODES_IN_TURN = 8;
const MOST_CODE = 127;
const MOST_QUERY_CODE = 2 ** 15 - 1;
/** What sums of 32-bit floats and their rounding may add to an error, of the squares they are made of. */
const ROUNDING = 2 ** -20;
const FLOAT = 4;
/** What is known of a vector beside its codes: its scale, ‖e‖, ‖v‖ and ‖v‖² in 32-bit floats. */
const FACTS = 4;

/** A query as it is measured. */
export interface CodeQuery {
  readonly codes: Int16Array;
  /** The factors of the sum of products, and of ‖e‖ and ‖v‖ for the error of a square: −2t, 2‖td‖ and 2‖f‖. */
  readonly byProduct: number;
  readonly byLoss: number;
  readonly byNorm: number;
  /** ‖q‖² */
  readonly square: number;
}

interface Encoded {
  readonly scale: number;
  /** What is lost, ‖e‖. */
  readonly loss: number;
}

/** The query's codes, its factors, `CODES_AT_ONCE` results and as many places lie before the groups, in one buffer. */
export class CodeArena {
  /** Codes of a vector; those that pad it are zero. */
  readonly #width: number;
  /** Bytes of a group. */
  readonly #groupSize: number;
  readonly #isCosine: boolean;
  readonly #module: KernelModule;
  /** Where the codes of a vector are before they are put in its group. */
  readonly #encoded: Int8Array;
  #capacity = 0;
  #codes = new Int8Array();
  #floats = new Float32Array();
  #places = new Uint32Array();

  private constructor({ name }: Metric, dimension: number, module: KernelModule) {
    this.#width = paddedLength(dimension);
    this.#groupSize = GROUP * CodeArena.sizeOf(dimension);
    this.#isCosine = name === 'COSINE';
    this.#module = module;
    this.#encoded = new Int8Array(this.#width);
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
    return paddedLength(dimension) + FLOAT * FACTS;
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
    const { scale, loss } = encode(vector, this.#encoded, MOST_CODE);
    const length = norm / unit;
    const facts = this.#factsOf(slot);
    this.#floats[facts] = scale / unit;
    this.#floats[facts + GROUP] = loss / unit;
    this.#floats[facts + 2 * GROUP] = length;
    this.#floats[facts + 3 * GROUP] = length * length;
    this.#putCodes(slot);
  }

  #putCodes(slot: number): void {
    const codes = this.#codes;
    const encoded = this.#encoded;
    let to = this.#offsetOf(slot) + FLOAT * GROUP * FACTS + CODES_IN_TURN * (slot % GROUP);
    for (let from = 0; from < this.#width; from += CODES_IN_TURN, to += GROUP * CODES_IN_TURN) {
      for (let at = 0; at < CODES_IN_TURN; at++) codes[to + at] = encoded[from + at] as number;
    }
  }

  /** A slot becomes empty: its bound is infinite, whatever is put there after it was measured. */
  clear(slot: number): void {
    this.#floats[this.#factsOf(slot) + 3 * GROUP] = Number.POSITIVE_INFINITY;
  }

  query(vector: Floats): CodeQuery {
    const norm = magnitude(vector);
    const unit = this.#isCosine ? norm : 1;
    const codes = new Int16Array(this.#width);
    const most = Math.min(MOST_QUERY_CODE, Math.floor(2 ** 31 / MOST_CODE / this.#width) - 1);
    const { scale, loss } = encode(vector, codes, most);
    return {
      codes,
      byProduct: (-2 * scale) / unit,
      byLoss: (2 * (norm + loss)) / unit,
      byNorm: (2 * loss) / unit,
      square: (norm / unit) ** 2,
    };
  }

  /**
   * The squares that the distances of the vectors in `count` slots from `first` on have at least.
   * @param first a multiple of `GROUP`
   * @param count at most `CODES_AT_ONCE`
   * @returns which holds until something else is measured or compared
   */
  bound({ codes, byProduct, byLoss, byNorm, square }: CodeQuery, first: number, count: number): Float32Array {
    const floats = this.#floats;
    const [factors, results] = [this.#factors, this.#results];
    this.#codes.set(new Int8Array(codes.buffer), 0);
    floats[factors] = byProduct;
    floats[factors + 1] = -byLoss;
    floats[factors + 2] = -byNorm;
    floats[factors + 3] = 1 - ROUNDING;
    const least = square * (1 - ROUNDING);
    const groups = Math.ceil(count / GROUP);
    const from = this.#offsetOf(first);
    this.#module.boundGroups(0, FLOAT * factors, least, from, groups, this.#groupSize, FLOAT * results);
    return floats.subarray(results, results + count);
  }

  /**
   * Where those of some numbers stand that aren't above a limit.
   * @param numbers at most `CODES_AT_ONCE`
   * @returns which holds until something else is measured or compared
   */
  upTo(limit: number, numbers: Float32Array): Uint32Array {
    const values = this.#results;
    const places = values + CODES_AT_ONCE;
    const { length } = numbers;
    const padded = Math.ceil(length / GROUP) * GROUP;
    this.#floats.set(numbers, values);
    // It isn't within any limit.
    this.#floats.fill(Number.NaN, values + length, values + padded);
    const count = this.#module.upTo(FLOAT * values, padded, limit, FLOAT * places);
    return this.#places.subarray(places, places + count);
  }

  /** The square of which a vector arena measures the distance as this. */
  squareOf(measured: number): number {
    return this.#isCosine ? 2 * measured : measured;
  }

  /** How much more than its bound the square for a slot may be. */
  uncertainty({ byLoss, byNorm, square }: CodeQuery, slot: number): number {
    const floats = this.#floats;
    const facts = this.#factsOf(slot);
    const error = byLoss * (floats[facts + GROUP] as number) + byNorm * (floats[facts + 2 * GROUP] as number);
    return 2 * (error + ROUNDING * ((floats[facts + 3 * GROUP] as number) + square));
  }

  /** Grows to this many vectors. @throws RangeError if there is no memory */
  reserve(slots: number): void {
    if (slots > this.#capacity && !this.#grow(slots)) throw new RangeError('no memory for vectors');
  }

  #grow(slots: number): boolean {
    if (!growTo(this.#module, this.#offsetOf(slots + GROUP))) return false;
    const before = this.#capacity;
    this.#capacity = slots;
    const { buffer } = this.#module.memory;
    this.#codes = new Int8Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#places = new Uint32Array(buffer);
    for (let slot = before; slot < slots; slot++) this.clear(slot);
    return true;
  }

  /** Where the factors and the results lie, in floats. */
  get #factors(): number {
    return this.#width / 2;
  }

  get #results(): number {
    return this.#factors + FACTS;
  }

  /** Where the group of a slot begins, in bytes. */
  #offsetOf(slot: number): number {
    const before = FLOAT * (this.#results + 2 * CODES_AT_ONCE);
    return before + Math.floor(slot / GROUP) * this.#groupSize;
  }

  /** Where the first fact of a slot lies, in floats. */
  #factsOf(slot: number): number {
    return this.#offsetOf(slot) / FLOAT + (slot % GROUP);
  }
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
