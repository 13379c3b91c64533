/** Computations that can be resumed: divided into steps, with checkpoints in between. */
import { andThen, type PromiseOrValue, untilTrue } from '../promise-or-value.js';
import type { Work } from './work.js';

export interface Stepwise<T> {
  /** Performs one step, some hundred microseconds; returns whether the computation is complete. */
  step(): boolean;
  /** The result, once complete. */
  readonly result: T;
}

/** Runs a computation to its end, with a checkpoint after each step. */
export function runSteps<T>(computation: Stepwise<T>, work: Work): PromiseOrValue<T> {
  return andThen(
    untilTrue(() => computation.step() || andThen(work.checkpoint(), () => false)),
    () => computation.result,
  );
}

/** Runs a computation to its end without a checkpoint. */
export function runAtOnce<T>(computation: Stepwise<T>): T {
  while (!computation.step());
  return computation.result;
}
