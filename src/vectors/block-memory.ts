/** Where the packed vectors of one table lie: in a memory of WebAssembly, which measures them there without a copy. */
import { growTo, type KernelModule, type KernelName, kernelModule, kernelNumber } from './kernels.js';

const FLOAT = 4;
/** Memory grows by one in so many. */
const AHEAD = 4;

/** A query, as many results as a block has vectors, then the blocks, each with room for as many vectors. */
export class BlockMemory {
  readonly #module: KernelModule;
  readonly #width: number;
  readonly #capacity: number;
  #floats: Float32Array;
  /** Places that were given back. */
  readonly #free: number[] = [];
  #places = 0;

  private constructor(module: KernelModule, width: number, capacity: number) {
    this.#module = module;
    this.#width = width;
    this.#capacity = capacity;
    this.#floats = new Float32Array(module.memory.buffer);
  }

  /**
   * `undefined` where WebAssembly has no SIMD, or no room.
   * @param width of each vector, in components @param capacity vectors of a block
   */
  static for(width: number, capacity: number): BlockMemory | undefined {
    const module = kernelModule(FLOAT * (width + capacity));
    return module && new BlockMemory(module, width, capacity);
  }

  /** Whether a place was given back, so that the next takes no more memory. */
  get hasFree(): boolean {
    return this.#free.length > 0;
  }

  /** A place for a block, to be given back; `undefined` if there is no room. */
  take(): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (!this.#hasRoomFor(this.#places)) return undefined;
    return this.#places++;
  }

  giveBack(at: number): void {
    this.#free.push(at);
  }

  /** Whether there is room for the `at`-th block. */
  #hasRoomFor(at: number): boolean {
    const needed = FLOAT * this.#offsetOf(at + 1);
    if (needed > this.#floats.byteLength) {
      // Rarely, since each time counts as much new memory for the collector. What isn't written to takes none.
      const ahead = FLOAT * this.#offsetOf(at + 1 + Math.ceil(at / AHEAD));
      if (!growTo(this.#module, ahead) && !growTo(this.#module, needed)) return false;
    }
    const { buffer } = this.#module.memory;
    if (buffer !== this.#floats.buffer) this.#floats = new Float32Array(buffer);
    return true;
  }

  set(at: number, row: number, vector: ArrayLike<number>): void {
    const from = this.#offsetOf(at) + row * this.#width;
    // There may be other numbers there from before, but as many: zeros that pad a vector stay.
    this.#floats.set(vector, from);
  }

  /** Measures the first `count` vectors of a block. What it answers holds until the next are measured. */
  measure(kernel: KernelName, query: Float32Array, at: number, count: number): Float32Array {
    const rows = FLOAT * this.#offsetOf(at);
    const stride = FLOAT * this.#width;
    this.#floats.set(query, 0);
    this.#module.measureRows(kernelNumber(kernel), 0, rows, count, stride, stride);
    return this.#floats.subarray(this.#width, this.#width + count);
  }

  #offsetOf(at: number): number {
    return this.#width + this.#capacity * (1 + at * this.#width);
  }
}
