/** Computations that can be resumed: divided into steps, so that whoever runs them can yield in between. */
import { andThen, type PromiseOrValue, untilTrue } from '../promise-or-value.js';
import type { Work } from './work.js';

export interface Stepwise<T> {
  /** Performs one step, some hundred microseconds; returns whether the computation is complete. */
  step(): boolean;
  /** The result, once complete. */
  readonly result: T;
}

/** Completes a computation, with a checkpoint after each step. */
export function complete<T>(computation: Stepwise<T>, work: Work): PromiseOrValue<T> {
  return andThen(
    untilTrue(() => computation.step() || andThen(work.checkpoint(), () => false)),
    () => computation.result,
  );
}

/** Completes a computation without a checkpoint. */
export function completeAtOnce<T>(computation: Stepwise<T>): T {
  while (!computation.step());
  return computation.result;
}
