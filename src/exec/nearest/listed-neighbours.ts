/** Few records that another index lists, by how near their vectors lie. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { KeyRange } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { decodeKey, encodeKey } from '../../value/codecs/key-codec.js';
import { float, type RecordKey } from '../../value/value.js';
import type { Candidate, Candidates } from '../runtime/candidates.js';
import type { Execution } from '../runtime/execution.js';
import { compareFound, measureKeys } from './measure-keys.js';
import type { VectorSearch } from './vector-search.js';

/** So many are few: reading their vectors takes less time than judging what a graph finds, one by one. */
const FEW = 1_024;

/** The keys of the records that ranges of an index list, encoded; `undefined` where they are too many. */
export function fewListed(execution: Execution, ranges: readonly KeyRange[]): PromiseOrValue<string[] | undefined> {
  const keys = new Set<string>();
  const { transaction } = execution.context;
  const read = mapInOrder(ranges, (range) => {
    if (keys.size > FEW) return undefined;
    return forEachBatch(transaction.scan(range, { limit: FEW + 1 }), (batch) => {
      for (const [, key] of batch) keys.add(encodeKey(key as RecordKey));
      return keys.size > FEW;
    });
  });
  return andThen(read, () => (keys.size > FEW ? undefined : [...keys]));
}

export class ListedNeighbours implements Candidates {
  #isGiven = false;

  constructor(
    private readonly execution: Execution,
    private readonly search: VectorSearch,
    private readonly keys: readonly string[],
  ) {}

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    if (this.#isGiven) return undefined;
    this.#isGiven = true;
    return andThen(measureKeys(this.execution, this.search, this.keys), (found) => {
      if (found.length === 0) return undefined;
      return found.sort(compareFound).map(({ key, distance }) => ({
        key: decodeKey(key).value as RecordKey,
        note: { distance: float(distance) },
      }));
    });
  }

  close(): void {
    // Nothing is held open.
  }
}
