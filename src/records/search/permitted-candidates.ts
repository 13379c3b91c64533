/** The records that a reader may see, as the index of a permission lists them: their texts tell which of them match. */
import type { Candidate, Candidates } from '../../runtime/candidates.js';
import type { SearchQuery } from '../../search/query/query.js';
import { decodeKey } from '../../value/codecs/key-codec.js';
import type { RecordKey } from '../../value/value.js';

/** What a query finds in the texts of a row. */
export interface RowMatch {
  readonly matches: boolean;
  /** How many terms there are. */
  readonly length: number;
  /** How often each term of the query occurs, in their order. */
  readonly occurrences: readonly number[];
}

/** Candidates in a batch. */
const BATCH = 256;

/** All that may be seen, or more, in the order of their keys, each with the condition that it may meet. */
export class PermittedCandidates implements Candidates {
  readonly #keys: readonly string[];
  readonly #condition: object;
  /** What texts were found to hold, by what was looked for and by encoded key: conditions and scores ask the same. */
  readonly #found: WeakMap<SearchQuery, Map<string, RowMatch>>;
  #given = 0;

  /** `keys`: encoded, in order. */
  constructor(keys: readonly string[], condition: object, found = new WeakMap<SearchQuery, Map<string, RowMatch>>()) {
    this.#keys = keys;
    this.#condition = condition;
    this.#found = found;
  }

  /** What is remembered of a query, to be added to. */
  foundBy(query: SearchQuery): Map<string, RowMatch> {
    let found = this.#found.get(query);
    if (found === undefined) {
      found = new Map();
      this.#found.set(query, found);
    }
    return found;
  }

  /** The same from the first one on. */
  again(): PermittedCandidates {
    return new PermittedCandidates(this.#keys, this.#condition, this.#found);
  }

  next(): readonly Candidate[] | undefined {
    const note = { condition: this.#condition, scan: this, isUncertain: true } as const;
    const batch = this.#keys.slice(this.#given, this.#given + BATCH);
    this.#given += batch.length;
    return batch.length === 0 ? undefined : batch.map((key) => ({ key: decodeKey(key).value as RecordKey, note }));
  }

  close(): void {
    // Nothing is held open.
  }
}
