/** Starts folding the notes of writers into an index, after so many notes. */
import { Derived } from '../../base/derived.js';
import type { Execution } from '../../runtime/execution.js';
import type { KeptIndex } from './contract.js';

const MUCH = 128;

const noted = new Derived<KeptIndex, { count: number }>();

/** Call after a writer has noted a change. */
export function countNote(index: KeptIndex, { context, services }: Execution): void {
  let counter = noted.get(index);
  if (counter === undefined) {
    counter = { count: 0 };
    noted.set(index, counter);
  }
  counter.count = (counter.count + 1) % MUCH;
  if (counter.count === 0) context.transaction.afterCommit(() => services.indexWorkQueued());
}
