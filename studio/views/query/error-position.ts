/** Where in a text an error is, as its message says: ` --> [2:7]`, line and column from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionOf(message: string): Position | undefined {
  const found = /-->\s*\[(\d+):(\d+)\]/.exec(message);
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) };
}

/** The message of an error in a text with a line before it, as it would be without this line. */
export function withoutFirstLine(message: string): string {
  return message
    .replace(/-->\s*\[(\d+):/g, (_, line) => `--> [${Number(line) - 1}:`)
    .replace(/^(\d+)(\s*\|)/gm, (_, line, bar) => `${String(Number(line) - 1).padEnd(line.length)}${bar}`);
}
