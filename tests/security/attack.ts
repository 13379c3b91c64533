/** Published attacks on databases of this kind, each a permanent test named by its number in the list of 64 that the project keeps. */
import { it } from 'vitest';

/** `coverage.test.ts` looks for the calls of this: the number has to be written out. */
export function attack(number: number, what: string, body: () => Promise<void> | void, timeout?: number): void {
  it(`#${number} ${what}`, body, timeout);
}
