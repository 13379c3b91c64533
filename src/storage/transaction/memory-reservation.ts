import type { MemoryBudget } from '../../base/memory-budget.js';

/** What a transaction may take before it reserves memory, in bytes: most take less. */
const UNRESERVED = 4_096;
/** By how much what is remembered of reads grows before it is reserved. */
const READS_STEP = 16_384;

/**
 * What a transaction takes of its budget, for its writes and for what it remembers of its reads. What is reserved only
 * grows, so that a rollback never needs more than there is.
 */
export class MemoryReservation {
  readonly #makeBudget: () => MemoryBudget;
  #budget: MemoryBudget | undefined;
  /**
   * How many bytes the writes take, and how many were reserved for them and for what is remembered of reads: the most
   * there were.
   */
  #writes = 0;
  #reserved = UNRESERVED;
  /** How many bytes of reads are reserved. */
  #reads = 0;

  constructor(makeBudget: () => MemoryBudget) {
    this.#makeBudget = makeBudget;
  }

  /** How many bytes the writes take; after a rollback they take as many as they took before. */
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

  /** The writes are about to take so many bytes more. @throws what the budget throws if there is no room for them */
  grow(bytes: number): void {
    this.#reserve(this.#writes + bytes + this.#reads);
    this.#writes += bytes;
  }

  /** What is remembered of reads takes so many bytes by now. @throws as `grow` does */
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
