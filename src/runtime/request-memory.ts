/**
 * The memory of one request: the estimated bytes of values that its statements have made and still hold.
 *
 * When JavaScript frees a value is unknown. So values are charged where it may be large (results of functions and
 * operators, rows that are collected), and where a scope ends (a call, a turn of a loop, a row, a statement),
 * everything that was charged in it is released except for the weight of its result:
 *
 *     return memory.settling(() => body(frame));
 *
 * Small values are charged nothing, and where nothing was charged nothing is weighed, so that small work costs a
 * comparison.
 */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { type Allotment, MemoryScope } from '../base/work/memory-scope.js';
import { runSteps } from '../base/work/stepwise.js';
import type { Work } from '../base/work/work.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Value } from '../value/value.js';
import { SLOT, Weighing, weightOfCopies, weightOfResult, weightOfRows } from '../value/weight.js';

/** Many charges of a request change nothing around it. */
const ALLOTMENT: Allotment = { taken: 64 * 1024, free: 2 ** 20 };

/** So many bytes may be charged before lists are weighed where scopes end; an eighth of the limit if that is less. */
const UNWEIGHED = 2 * 2 ** 20;

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
  readonly budget?: MemoryScope | undefined;
  /** Whether the storage decodes a record for each read, rather than sharing it. */
  readonly ownsRows: boolean;
  readonly watch?: MemoryWatch | undefined;
}

/** The interrupt of a request, as memory accounting needs it. */
export interface RequestControl {
  /** Ends it at its next checkpoint. */
  cancel(reason: TesseraError): void;
  /** The work of the request, without its end. */
  readonly unending: Work;
}

const exceeded = (limit: number): TesseraError => failure('request_memory_exceeded', { limit });

/** Parts of a value that are weighed at once: some hundred microseconds. */
const WEIGHED_AT_ONCE = 4096;

export class RequestMemory extends MemoryScope {
  /**
   * Counts what was made that may be gone by now: where there is nothing of it, the results of a statement needn't be
   * weighed.
   */
  made = 0;
  readonly #ownsRows: boolean;
  readonly #watch: MemoryWatch | undefined;
  /** Weighing a list takes time: as long as no more than this is charged, what is gone of it counts on. */
  readonly #unweighed: number;
  readonly #running: RequestControl | undefined;

  constructor({ limit, budget, ownsRows, watch }: RequestMemoryOptions, running?: RequestControl) {
    super(limit, exceeded, budget, ALLOTMENT);
    this.#ownsRows = ownsRows;
    this.#watch = watch;
    this.#running = running;
    this.#unweighed = Math.min(UNWEIGHED, limit / 8);
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
    if (this.#ownsRows) this.made++;
    this.charge(this.#ownsRows ? weightOfRows(rows) : SLOT * rows.length);
  }

  /** Charges objects that were made of the members of others. */
  chargeCopies(rows: readonly Value[]): void {
    this.charge(weightOfCopies(rows));
  }

  /** Runs `body` as a scope: of what it charges only the weight of its value stays charged. */
  settling(body: () => PromiseOrValue<Value>): PromiseOrValue<Value> {
    const mark = this.used;
    const value = body();
    if (value instanceof Promise) return value.then((found) => andThen(this.settle(mark, found), () => found));
    return this.used <= mark ? value : andThen(this.settle(mark, value), () => value);
  }

  /** Ends the scope that began at `mark` with `value` as its result. A large value is weighed in steps. */
  settle(mark: number, value: Value): PromiseOrValue<void> {
    const charged = this.used - mark;
    if (charged <= 0 || (this.used < this.#unweighed && typeof value === 'object')) return;
    const weighing = new Weighing([value], { limit: charged });
    const running = this.#running;
    if (weighing.upTo(WEIGHED_AT_ONCE) || running === undefined) return this.#keep(mark, charged, weighing);
    const weighed = runSteps(weighing, running.unending);
    return andThen(weighed, () => this.#keep(mark, charged, weighing));
  }

  #keep(mark: number, charged: number, weighing: Weighing): void {
    weighing.upTo(Number.POSITIVE_INFINITY);
    const kept = weighing.result;
    if (kept < charged) this.releaseTo(mark + kept);
  }

  /** Cancels the request for lack of memory. */
  end(reason: TesseraError): void {
    this.#running?.cancel(reason);
  }

  protected override grown(): void {
    this.#watch?.grown(this);
  }

  protected override emptied(): void {
    this.#watch?.gone(this);
  }
}
