/** What several clients have got at once, and whether that is what a model admits. */
import { expect } from 'vitest';
import { TesseraError } from '../../../src/errors/error.js';
import type { Verdict } from './model.js';
import type { Servers } from './servers.js';

/** Of one of several at once. */
export type Outcome<T> = { readonly value: T; readonly server: number } | { readonly error: TesseraError };

/** The same by several clients at once, each at the next server. */
export function atOnce<T>(
  servers: Servers,
  count: number,
  first: number,
  work: (server: number) => Promise<T>,
): Promise<Outcome<T>[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at): Promise<Outcome<T>> => {
      const server = (first + at) % servers.count;
      try {
        return { value: await work(server), server };
      } catch (error) {
        if (error instanceof TesseraError && error.code !== 'internal') return { error };
        throw error;
      }
    }),
  );
}

/** The outcome of the one that was admitted, if any was to be: at most one is. */
export function agreed<T>(
  admitted: Verdict,
  outcomes: readonly Outcome<T>[],
): { value: T; server: number } | undefined {
  const found = outcomes.flatMap((outcome) => ('value' in outcome ? [outcome] : []));
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error.code] : []));
  const right = admitted === 'either' ? [0, 1] : [admitted === 'yes' ? 1 : 0];
  expect(right, `${found.length} admitted, and ${errors}`).toContain(found.length);
  return found[0];
}
