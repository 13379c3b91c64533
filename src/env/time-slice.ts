/** A computation's time slice of the event loop. */
import type { Work } from '../base/work/work.js';
import type { Environment } from './environment.js';

/** Milliseconds that a request may compute before it yields. */
const SLICE = 1;

interface SliceOptions {
  /** When the first slice began, by the monotonic clock: now, if absent. */
  readonly began?: number;
  /** In milliseconds. */
  readonly length?: number;
  /** Called whenever it yields. */
  readonly onYield?: (() => void) | undefined;
}

/** Work that yields when its time slice is over, and that nothing ends. */
export class TimeSlice implements Work {
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  readonly #length: number;
  readonly #onYield: (() => void) | undefined;
  #turns = 0;
  /** When the slice began, by the monotonic clock. */
  began: number;

  constructor(environment: Pick<Environment, 'clock' | 'timers'>, options: SliceOptions = {}) {
    const { began = environment.clock.monotonic(), length = SLICE, onYield } = options;
    this.#environment = environment;
    this.#length = length;
    this.#onYield = onYield;
    this.began = began;
  }

  /** Yields if the slice is over. */
  checkpoint(): Promise<void> | undefined {
    return this.isOver(this.#environment.clock.monotonic()) ? this.yield() : undefined;
  }

  isOver(now: number): boolean {
    return now - this.began >= this.#length;
  }

  /** From now on it counts as a long computation, of which one has a slice at a time. Returns whether it is new. */
  becomeLong(): boolean {
    const isNew = this.#turns !== Number.POSITIVE_INFINITY;
    this.#turns = Number.POSITIVE_INFINITY;
    return isNew;
  }

  /** Resolves when the next slice begins. */
  async yield(): Promise<void> {
    this.#onYield?.();
    await this.#environment.timers.yield(this.#turns++);
    this.began = this.#environment.clock.monotonic();
  }
}
