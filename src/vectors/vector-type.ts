/** How an index stores the components of its vectors: packed, in the order of bytes of the processors in use. */
import type { Floats } from './distances.js';

export type VectorType = 'F64' | 'F32' | 'I64' | 'I32' | 'I16';

/** What holds the components of a type. Ints of 64 bits are floats, in which those beyond 2^53 are rounded. */
const ARRAYS = {
  F64: Float64Array,
  F32: Float32Array,
  I64: Float64Array,
  I32: Int32Array,
  I16: Int16Array,
} as const satisfies { readonly [Type in VectorType]: unknown };

/** The components in the bytes of a type; integers are truncated. See `misfit` for what doesn't fit. */
export function packVector(vector: Float64Array, type: VectorType): Uint8Array {
  const components = BITS[type] === undefined ? vector : vector.map(Math.trunc);
  return new Uint8Array(new ARRAYS[type](components).buffer);
}

/** The components in bytes of `packVector`, as numbers to be measured; a copy. */
export function unpackVector(bytes: Uint8Array, type: VectorType): Floats {
  return vectorReader(type, bytes.length / ARRAYS[type].BYTES_PER_ELEMENT)(bytes);
}

/**
 * Reads many vectors of one length that are looked at one after the other, without an array for each: the collector
 * takes longer to free these than a search takes to measure them.
 *
 *     const reader = vectorReader('F32', 384);
 *     for (const bytes of stored) measure(reader(bytes));
 *
 * @returns a function of bytes of `packVector`; what it answers holds until it is called again
 */
export function vectorReader(type: VectorType, dimension: number): (bytes: Uint8Array) => Floats {
  const packed = new ARRAYS[type](dimension);
  const bytesOfPacked = new Uint8Array(packed.buffer);
  const isFloat = packed instanceof Float32Array || packed instanceof Float64Array;
  const floats = isFloat ? packed : new Float64Array(dimension);
  return (bytes) => {
    bytesOfPacked.set(bytes);
    if (!isFloat) floats.set(packed);
    return floats;
  };
}

/** Bits of the integer types. */
const BITS: { readonly [Type in VectorType]?: number } = { I64: 64, I32: 32, I16: 16 };

/**
 * The first component that a type can't hold: NaN, or what is beyond its integers. Floats hold all. The greatest int of
 * 64 bits is rounded to 2^63.
 */
export function misfit(vector: Float64Array, type: VectorType): number | undefined {
  const bits = BITS[type];
  if (bits === undefined) return undefined;
  const bound = 2 ** (bits - 1);
  const greatest = bits === 64 ? bound : bound - 1;
  return vector.find((component) => !(Math.trunc(component) >= -bound && Math.trunc(component) <= greatest));
}
