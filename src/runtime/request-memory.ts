/**
 * The memory of one request: the estimated bytes of values that its statements have made and still hold.
 *
 * When JavaScript frees a value is unknown. So values are charged where it may be large (results of functions and
 * operators, rows that are collected), and where a scope ends (a call, a turn of a loop, a row, a statement),
 * everything that was charged in it is released except for the weight of its result:
 *
 *     const mark = memory.used;
 *     const value = body(frame);
 *     return andThen(memory.settle(mark, value), () => value);
 *
 * Small values are charged nothing, and where nothing was charged nothing is weighed, so that small work costs a
 * comparison.
 */
import type { MemoryBudget } from '../base/memory-budget.js';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { doInSteps } from '../base/steps.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Value } from '../value/value.js';
import { SLOT, Weighing, weightOfCopies, weightOfResult, weightOfRows } from '../value/weight.js';

/** Bytes that are reserved in the budget at a time. */
const STEP = 64 * 1024;

/** So many bytes may be charged before lists are weighed where scopes end; an eighth of the limit if that is less. */
const UNWEIGHED = 2 * 2 ** 20;

/** Reservations are released when they exceed the used bytes by so much. */
const SLACK = 2 ** 20;

/** The registry of large requests, which cancels the largest of them when the heap is nearly full. */
export interface MemoryWatch {
  /** Call when a request has grown. */
  grown(memory: RequestMemory): void;
  /** It holds nothing now. */
  gone(memory: RequestMemory): void;
}

/** Charges rows that are collected for the memory that they take. */
export type ChargeRows = (rows: readonly Value[]) => void;

/** The shared limits of the requests of one session. */
export interface RequestMemoryOptions {
  /** Bytes that one request may hold. */
  readonly limit: number;
  /** The budget to which all of them are charged. */
  readonly budget?: MemoryBudget | undefined;
  /** Whether the storage decodes a record for each read, rather than sharing it. */
  readonly ownsRows: boolean;
  readonly watch?: MemoryWatch | undefined;
}

/** The interrupt of a request, as memory accounting needs it. */
export interface RequestControl {
  /** Ends it at its next checkpoint. */
  cancel(reason: TesseraError): void;
  /** Yields when the time slice is over, whether the request has to end or not. */
  yieldIfDue(): PromiseOrValue<void>;
}

/** Parts of a value that are weighed at once: some hundred microseconds. */
const WEIGHED_AT_ONCE = 4096;

export class RequestMemory {
  /** Bytes that are charged now; at the beginning of a scope, its mark. */
  used = 0;
  /**
   * Counts what was made that may be gone by now: where there is nothing of it, the results of a statement needn't be
   * weighed.
   */
  made = 0;
  readonly #options: RequestMemoryOptions;
  /** Weighing a list takes time: as long as no more than this is charged, what is gone of it counts on. */
  readonly #unweighed: number;
  readonly #running: RequestControl | undefined;
  #reserved = 0;
  #pinned = 0;

  constructor(options: RequestMemoryOptions, running?: RequestControl) {
    this.#options = options;
    this.#running = running;
    this.#unweighed = Math.min(UNWEIGHED, options.limit / 8);
  }

  /** Bytes that the budget counts for this request. */
  get reserved(): number {
    return this.#reserved + this.#pinned;
  }

  /** Charges bytes. @throws TesseraError `request_memory_exceeded`, or the error of an outer budget that is full */
  charge(bytes: number): void {
    this.used += bytes;
    if (this.used > this.#reserved) this.#grow(bytes);
  }

  /** Charges a value, if it isn't small, and returns it; `weigh` returns its weight. */
  charged(value: Value, weigh = weightOfResult): Value {
    const weight = weigh(value);
    if (weight > 0) {
      this.made++;
      this.charge(weight);
    }
    return value;
  }

  /**
   * Charges records that are collected as they were read: no more than their slots where they are shared with the
   * storage.
   */
  chargeRows(rows: readonly Value[]): void {
    if (this.#options.ownsRows) this.made++;
    this.charge(this.#options.ownsRows ? weightOfRows(rows) : SLOT * rows.length);
  }

  /** Charges objects that were made of the members of others. */
  chargeCopies(rows: readonly Value[]): void {
    this.charge(weightOfCopies(rows));
  }

  /** Takes back some of what was charged in the present scope: what was collected is no longer needed. */
  discharge(bytes: number): void {
    this.releaseTo(this.used - bytes);
  }

  /** Ends a scope without a result. */
  releaseTo(mark: number): void {
    if (this.used <= mark) return;
    this.used = mark;
    if (this.#reserved - mark > SLACK) this.#shrink(mark + SLACK / 2);
  }

  /** Ends a scope with `value` as its result. A large value is weighed in steps. */
  settle(mark: number, value: Value): PromiseOrValue<void> {
    const charged = this.used - mark;
    if (charged <= 0 || (this.used < this.#unweighed && typeof value === 'object')) return;
    const weighing = new Weighing([value], { limit: charged });
    const running = this.#running;
    if (weighing.upTo(WEIGHED_AT_ONCE) || running === undefined) return this.#keep(mark, charged, weighing);
    const weighed = doInSteps(weighing, { pause: () => running.yieldIfDue() });
    return andThen(weighed, () => this.#keep(mark, charged, weighing));
  }

  #keep(mark: number, charged: number, weighing: Weighing): void {
    weighing.upTo(Number.POSITIVE_INFINITY);
    const kept = weighing.result;
    if (kept < charged) this.releaseTo(mark + kept);
  }

  /**
   * Takes what was charged since `mark` out of the present scope and those around it: it stays charged until as much is
   * unpinned. Returns the number of bytes.
   */
  pin(mark: number): number {
    const bytes = this.used - mark;
    if (bytes <= 0) return 0;
    this.#options.budget?.reserve(bytes);
    this.#pinned += bytes;
    this.releaseTo(mark);
    return bytes;
  }

  /** Releases bytes that were pinned. */
  unpin(bytes: number): void {
    this.#pinned -= bytes;
    this.#options.budget?.release(bytes);
  }

  /** Cancels the request for lack of memory. */
  end(reason: TesseraError): void {
    this.#running?.cancel(reason);
  }

  /** Releases everything. */
  close(): void {
    this.used = 0;
    // Most requests are small, and have reserved nothing.
    if (this.#reserved > 0) this.#shrink(0);
    if (this.#pinned > 0) this.unpin(this.#pinned);
  }

  #grow(bytes: number): void {
    const { limit, budget, watch } = this.#options;
    const wanted = Math.max(this.used - this.#reserved, Math.min(STEP, limit - this.reserved));
    try {
      if (this.used + this.#pinned > limit) throw failure('request_memory_exceeded', { limit });
      budget?.reserve(wanted);
    } catch (error) {
      this.used -= bytes;
      throw error;
    }
    this.#reserved += wanted;
    watch?.grown(this);
  }

  #shrink(to: number): void {
    const surplus = this.#reserved - to;
    if (surplus <= 0) return;
    this.#reserved = to;
    this.#options.budget?.release(surplus);
    if (to === 0) this.#options.watch?.gone(this);
  }
}
