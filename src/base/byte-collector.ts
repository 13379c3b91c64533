/** Assembles a body or a message from its pieces without a copy for each, and reserves memory for it first. */
import { Buffer } from 'node:buffer';

/** A second piece is likely followed by more: smaller buffers would be replaced at once. */
const LEAST_GROWN = 256;
const NONE = Buffer.alloc(0);

/**
 * Collects bytes that arrive in pieces, in one buffer that grows by doubling. Pieces are copied: one of a byte that is
 * kept as a `Buffer` takes some 300, and keeps whatever it is a part of.
 *
 *     const body = new ByteCollector((capacity) => reservation.resize(capacity));
 *     body.append(piece); // throws what `reserve` throws
 *     const bytes = body.take();
 */
export class ByteCollector {
  readonly #reserve: ((capacity: number) => void) | undefined;
  #expected = Number.POSITIVE_INFINITY;
  #bytes: Buffer = NONE;
  #length = 0;

  /** `reserve` is called with the capacity before the buffer grows. */
  constructor(reserve?: (capacity: number) => void) {
    this.#reserve = reserve;
  }

  /** Announces how many bytes there will be: the buffer grows no further in advance. Nothing is allocated yet. */
  expect(length: number): void {
    this.#expected = length;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that are held: at most twice as many as were appended, and a few. */
  get capacity(): number {
    return this.#bytes.length;
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** The bytes; none are left. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = NONE;
    this.#length = 0;
    this.#expected = Number.POSITIVE_INFINITY;
    return bytes;
  }

  #grow(length: number): void {
    const isFirst = this.#length === 0;
    const doubled = Math.min(Math.max(2 * this.#bytes.length, LEAST_GROWN), this.#expected);
    const capacity = isFirst ? length : Math.max(length, doubled);
    this.#reserve?.(capacity);
    const grown = isFirst ? Buffer.allocUnsafe(capacity) : Buffer.allocUnsafeSlow(capacity);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
