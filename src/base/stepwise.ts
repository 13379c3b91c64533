/** Work on something large that is done in pieces, so that whoever has it done can give way to others in between. */
export interface Stepwise<T> {
  /** Does a piece of it, some hundred microseconds long; answers whether all is done. */
  step(): boolean;
  /** What came of it, once all is done. */
  readonly result: T;
}

/** All of it at once. */
export function allOf<T>(work: Stepwise<T>): T {
  while (!work.step());
  return work.result;
}
