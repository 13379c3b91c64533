/** Where in a text an error is, as its message says: ` --> [2:7]`, line and column from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionOf(message: string): Position | undefined {
  const found = /-->\s*\[(\d+):(\d+)\]/.exec(message);
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) };
}
