/**
 * Measures many packed vectors against one, roughly and fast: in WebAssembly where there is SIMD, else in JavaScript.
 */
import { KERNELS_BINARY } from './kernels-binary.js';

/** In the order of the table in `kernels.wat`. */
const KERNEL_NAMES = ['squaredEuclidean', 'dotProduct', 'manhattan'] as const;

export type KernelName = (typeof KERNEL_NAMES)[number];

/** Packed vectors are padded with zeros to a multiple of this many components. */
export const LANES = 8;

/**
 * Measures the vectors of `rows`, which lie one after the other, each as long as `query`, into `out`. Components and
 * sums have 32 bits.
 */
export type Kernel = (query: Float32Array, rows: Float32Array, out: Float32Array) => void;

export type Kernels = { readonly [Name in KernelName]: Kernel };

/** What is measured is copied into the memory of the module, so much at a time: it fits the cache of a processor. */
const MEMORY = 2 ** 19;
const PAGE = 2 ** 16;

/** What is used of WebAssembly, whose types come with those of browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: KernelModule };
};

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/**
 * What the module exports; all are numbers of bytes but `measure`, the number of the kernel, `count`, and `square` and
 * `limit`, which are floats.
 */
export interface KernelModule {
  readonly memory: WasmMemory;
  measureRows(measure: number, query: number, rows: number, count: number, stride: number, out: number): void;
  measureAt(
    measure: number,
    query: number,
    vectors: number,
    slots: number,
    count: number,
    stride: number,
    out: number,
  ): void;
  boundGroups(
    query: number,
    factors: number,
    square: number,
    groups: number,
    count: number,
    size: number,
    out: number,
  ): void;
  upTo(values: number, count: number, limit: number, out: number): number;
}

/** The number by which the functions of the module know a kernel. */
export function kernelNumber(name: KernelName): number {
  return KERNEL_NAMES.indexOf(name);
}

let compiled: object | undefined;

/**
 * The module with a memory of its own, of so many bytes at least; `undefined` where the processor or the platform has
 * no SIMD for WebAssembly, or no room.
 */
export function kernelModule(bytes: number): KernelModule | undefined {
  try {
    compiled ??= new WebAssembly.Module(Buffer.from(KERNELS_BINARY, 'base64'));
    const { exports } = new WebAssembly.Instance(compiled);
    return growTo(exports, bytes) ? exports : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the memory of a module has so many bytes, or could be grown to them. Its buffer is another one then. */
export function growTo({ memory }: KernelModule, bytes: number): boolean {
  const more = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
  try {
    if (more > 0) memory.grow(more);
    return true;
  } catch {
    return false;
  }
}

/** `undefined` as `kernelModule` is. */
export function simdKernels(): Kernels | undefined {
  const module = kernelModule(MEMORY);
  if (module === undefined) return undefined;
  const floats = new Float32Array(module.memory.buffer);
  const kernel = (name: KernelName): Kernel => inMemory(module, floats, name);
  return {
    squaredEuclidean: kernel('squaredEuclidean'),
    dotProduct: kernel('dotProduct'),
    manhattan: kernel('manhattan'),
  };
}

/** Copies as many vectors as there is room for, measures them, and goes on to the next. */
function inMemory(module: KernelModule, floats: Float32Array, name: KernelName): Kernel {
  const number = kernelNumber(name);
  return (query, rows, out) => {
    const width = query.length;
    // For each vector its components and its result.
    const room = Math.floor((floats.length - width) / (width + 1));
    if (room < 1) return plainKernels[name](query, rows, out);
    floats.set(query, 0);
    const results = width + room * width;
    for (let from = 0; from < out.length; from += room) {
      const count = Math.min(room, out.length - from);
      floats.set(rows.subarray(from * width, (from + count) * width), width);
      module.measureRows(number, 0, 4 * width, count, 4 * width, 4 * results);
      out.set(floats.subarray(results, results + count), from);
    }
  };
}

/** Each sum is of four that don't wait for each other. */
function plainKernel(term: (a: number, b: number) => number): Kernel {
  return (query, rows, out) => {
    const width = query.length;
    for (let row = 0, from = 0; row < out.length; row++, from += width) {
      let sum = 0;
      for (let at = 0; at < width; at += 4) {
        sum +=
          term(query[at] as number, rows[from + at] as number) +
          term(query[at + 1] as number, rows[from + at + 1] as number) +
          term(query[at + 2] as number, rows[from + at + 2] as number) +
          term(query[at + 3] as number, rows[from + at + 3] as number);
      }
      out[row] = sum;
    }
  };
}

export const plainKernels: Kernels = {
  squaredEuclidean: plainKernel((a, b) => (a - b) * (a - b)),
  dotProduct: plainKernel((a, b) => a * b),
  manhattan: plainKernel((a, b) => Math.abs(a - b)),
};

let chosen: Kernels | undefined;

/** The fastest that there are here, made when they are asked for first. */
export function fastestKernels(): Kernels {
  chosen ??= simdKernels() ?? plainKernels;
  return chosen;
}
