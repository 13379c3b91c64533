/** Accounts for the memory of a transaction. */
import type { MemoryScope } from '../../base/work/memory-scope.js';

/** Bytes that a transaction may use before it reserves memory: most use less. */
const UNRESERVED = 4_096;
/** Growth of the read set before it is reserved, in bytes. */
const READS_STEP = 16_384;

/**
 * The memory that a transaction has reserved for its writes, its read set and what others keep for it. Reservations
 * only grow, so that a rollback never needs more than there is.
 */
export class MemoryReservation {
  readonly #makeBudget: () => MemoryScope;
  #budget: MemoryScope | undefined;
  /** Bytes of the writes, and bytes reserved for the writes and the read set: the most there ever were. */
  #writes = 0;
  #reserved = UNRESERVED;
  /** Bytes reserved for the read set. */
  #reads = 0;
  /** Bytes that others keep. */
  #charged = 0;

  constructor(makeBudget: () => MemoryScope) {
    this.#makeBudget = makeBudget;
  }

  /** Bytes of the writes; a rollback restores the former number. */
  get writes(): number {
    return this.#writes;
  }

  set writes(bytes: number) {
    this.#writes = bytes;
  }

  /** Whether there is anything to be released. */
  get isReserved(): boolean {
    return this.#reserved !== UNRESERVED;
  }

  /** The writes are about to grow by so many bytes. @throws the error of the exhausted budget */
  grow(bytes: number): void {
    this.#reserve(this.#writes + bytes + this.#reads + this.#charged);
    this.#writes += bytes;
  }

  /** The read set now has so many bytes. @throws as `grow` does */
  noteReads(bytes: number): void {
    if (bytes < this.#reads + READS_STEP) return;
    this.#reserve(this.#writes + bytes + this.#charged);
    this.#reads = bytes;
  }

  /** Others keep so many bytes more until the transaction ends, whatever is rolled back. @throws as `grow` does */
  charge(bytes: number): void {
    this.#reserve(this.#writes + this.#reads + this.#charged + bytes);
    this.#charged += bytes;
  }

  release(): void {
    if (!this.isReserved) return;
    this.#budget?.release(this.#reserved - UNRESERVED);
    this.#reserved = UNRESERVED;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#reserved) return;
    this.#budget ??= this.#makeBudget();
    this.#budget.charge(bytes - this.#reserved);
    this.#reserved = bytes;
  }
}
