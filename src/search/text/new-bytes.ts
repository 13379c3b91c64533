/** Makes byte arrays of the one class that the loops over segments are compiled for. */
import { Buffer } from 'node:buffer';

/**
 * Bytes of one class with those of `ByteWriter`, which are `Buffer`s: a loop that meets a second class of arrays is
 * compiled again.
 */
export function newBytes(length: number): Uint8Array {
  return Buffer.alloc(length);
}
