/** A violated invariant: a bug of Tessera, reported as an internal error. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Asserts an invariant.
 *
 *     invariant(area !== undefined, 'definitions are made at paths that exist');   // narrows the type
 *
 * @throws InvariantError
 */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new InvariantError(what);
}

/** Marks a branch that the compiler knows to be unreachable. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
