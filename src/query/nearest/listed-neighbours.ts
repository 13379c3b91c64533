/** Few records that another index lists, by how near their vectors lie. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Candidate, Candidates } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import { decodeKey } from '../../value/codecs/key-codec.js';
import { float, type RecordKey } from '../../value/value.js';
import { compareFound, measureKeys } from './measure-keys.js';
import { candidatesNext, type FoundVector, type VectorSearch } from './vector-search.js';

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
