import type { MemoryBudget } from '../../base/memory-budget.js';

/** Bytes that a transaction may use before it reserves memory: most use less. */
const UNRESERVED = 4_096;
/** Growth of the read set before it is reserved, in bytes. */
const READS_STEP = 16_384;

/**
 * The memory that a transaction has reserved for its writes and its read set. Reservations only
 * grow, so that a rollback never needs more than there is.
 */
export class MemoryReservation {
  readonly #makeBudget: () => MemoryBudget;
  #budget: MemoryBudget | undefined;
  /** Bytes of the writes, and bytes reserved for the writes and the read set: the most there ever were. */
  #writes = 0;
  #reserved = UNRESERVED;
  /** Bytes reserved for the read set. */
  #reads = 0;

  constructor(makeBudget: () => MemoryBudget) {
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
    this.#reserve(this.#writes + bytes + this.#reads);
    this.#writes += bytes;
  }

  /** The read set now has so many bytes. @throws as `grow` does */
  noteReads(bytes: number): void {
    if (bytes < this.#reads + READS_STEP) return;
    this.#reserve(this.#writes + bytes);
    this.#reads = bytes;
  }

  release(): void {
    if (!this.isReserved) return;
    this.#budget?.release(this.#reserved - UNRESERVED);
    this.#reserved = UNRESERVED;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#reserved) return;
    this.#budget ??= this.#makeBudget();
    this.#budget.reserve(bytes - this.#reserved);
    this.#reserved = bytes;
  }
}
