/** A promise to ourselves was broken: a bug of ours, never the user's doing. It surfaces as an internal error. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** States what must hold here. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new InvariantError(what);
}

/** Marks a branch that the compiler knows to be empty. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
