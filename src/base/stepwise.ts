/** Long work divided into steps, so that its caller can yield between them. */
export interface Stepwise<T> {
  /** Performs one step, some hundred microseconds; returns whether the work is complete. */
  step(): boolean;
  /** The result, once complete. */
  readonly result: T;
}

/** Completes the work at once, without a pause, and returns its result. */
export function allOf<T>(work: Stepwise<T>): T {
  while (!work.step());
  return work.result;
}
