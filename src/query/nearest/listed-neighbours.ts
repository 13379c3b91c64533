/** Few records that another index lists, by how near their vectors lie. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Candidate, Candidates } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import type { KeyRange } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { decodeKey, encodeKey } from '../../value/codecs/key-codec.js';
import { float, type RecordKey } from '../../value/value.js';
import { compareFound, measureKeys } from './measure-keys.js';
import { candidatesNext, type FoundVector, type VectorSearch } from './vector-search.js';

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
  readonly #execution: Execution;
  readonly #search: VectorSearch;
  readonly #keys: readonly string[];
  /** Nearest first; the first `given` have been delivered. */
  #found: readonly FoundVector[] | undefined;
  #given = 0;

  constructor(execution: Execution, search: VectorSearch, keys: readonly string[]) {
    this.#execution = execution;
    this.#search = search;
    this.#keys = keys;
  }

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    return andThen(this.#found ?? this.#measured(), (found) => {
      const batch = found.slice(this.#given, this.#given + candidatesNext(this.#search, this.#given === 0));
      this.#given += batch.length;
      if (batch.length === 0) return undefined;
      return batch.map(({ key, distance }) => ({
        key: decodeKey(key).value as RecordKey,
        note: { distance: float(distance) },
      }));
    });
  }

  close(): void {
    // Nothing is held open.
  }

  #measured(): PromiseOrValue<readonly FoundVector[]> {
    return andThen(measureKeys(this.#execution, this.#search, this.#keys), (found) => {
      this.#found = found.sort(compareFound);
      return this.#found;
    });
  }
}
