/**
 * The vectors of an HNSW index by how near they lie, all of which are measured: while they are few, or not linked yet,
 * and where nothing else finds them.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { sortItems } from '../../base/work/sort.js';
import { encodedKeyOfVector, encodedVectorKey, recordOfVector, vectorRange } from '../../index/vectors.js';
import type { Candidate, Candidates } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import type { Entry, Key, Stored } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { float } from '../../value/value.js';
import { type Distance, distanceOf, type Floats } from '../../vectors/distances.js';
import { Nearest, type Neighbour } from '../../vectors/nearest.js';
import { isScreened, Screen } from '../../vectors/screen.js';
import { vectorReader } from '../../vectors/vector-type.js';
import { compareFound, measureKeys } from './measure-keys.js';
import { canSearchPacked, searchPacked } from './packed-search.js';
import { candidatesNext, type VectorSearch } from './vector-search.js';

/** Factor by which the next batch is larger if conditions and PERMISSIONS rejected too many. */
const GROWTH = 16;
/** Entries a batch. */
const BATCH = 256;
/** Components a batch: a few milliseconds where they have to be read. */
const COMPONENTS = 2 ** 18;
/** Of more neighbours than these, all vectors are read: most of them would be anyway. */
const MOST_BY_KEYS = 1_024;
/** What a candidate that is held takes, in bytes. */
const HELD = 128;

export class MeasuredNeighbours implements Candidates {
  readonly #execution: Execution;
  readonly #search: VectorSearch;
  readonly #distance: Distance;
  readonly #read: (bytes: Uint8Array) => Floats;
  readonly #screen: Screen | undefined;
  readonly #charged: number;
  /** Entries that are read and measured in one step. */
  readonly #batch: number;
  /** Nearest first; the first `given` have been delivered. */
  #found: readonly Neighbour<Key>[] = [];
  #given = 0;
  /** There are no more than were found. */
  #isComplete = false;
  #wanted: number;

  /** @param first how many are found at once */
  constructor(execution: Execution, search: VectorSearch, first: number) {
    const {
      point,
      options: { metric },
    } = search;
    this.#execution = execution;
    this.#search = search;
    this.#distance = distanceOf(metric);
    this.#read = vectorReader(search.type, point.length);
    this.#screen = isScreened(metric) && canSearchPacked(execution) ? new Screen(metric, point) : undefined;
    this.#batch = Math.max(1, Math.min(BATCH, Math.floor(COMPONENTS / point.length)));
    this.#wanted = first;
    this.#charged = execution.request.memory.used;
  }

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    const more = this.#given < this.#found.length ? undefined : this.#findMore();
    return andThen(more, () => {
      const most = candidatesNext(this.#search, this.#given === 0);
      const batch = this.#found.slice(this.#given, this.#given + most);
      this.#given += batch.length;
      return batch.length === 0 ? undefined : batch.map((neighbour) => this.#candidate(neighbour));
    });
  }

  close(): void {
    this.#execution.request.memory.releaseTo(this.#charged);
  }

  /** Those that were found before come first again. */
  #findMore(): PromiseOrValue<void> {
    const wanted = this.#wanted;
    if (this.#isComplete) return undefined;
    return andThen(this.#nearest(wanted), (sorted) => {
      this.#execution.request.memory.charge((sorted.length - this.#found.length) * HELD);
      this.#found = sorted;
      this.#isComplete = sorted.length < wanted;
      this.#wanted = wanted * GROWTH;
    });
  }

  #nearest(most: number): PromiseOrValue<readonly Neighbour<Key>[]> {
    const screen = this.#screen;
    if (screen === undefined || most > MOST_BY_KEYS) return this.#nearestOfAll(most);
    return andThen(this.#nearestByKeys(screen, most), (nearest) => nearest ?? this.#nearestOfAll(most));
  }

  /** By the vectors as they are kept packed; `undefined` where these can't tell the nearest from too many others. */
  #nearestByKeys(screen: Screen, most: number): PromiseOrValue<readonly Neighbour<Key>[] | undefined> {
    const { index, point } = this.#search;
    const read = (stored: Stored) => this.#read(stored as Uint8Array);
    const source = { name: '', dimension: point.length, range: vectorRange(index), read };
    return andThen(searchPacked(this.#execution, source, screen, most), (keys) => {
      if (keys === undefined) return undefined;
      const records = keys.map((key) => encodedKeyOfVector(index, key));
      return andThen(measureKeys(this.#execution, this.#search, records), (found) =>
        found
          .sort(compareFound)
          .slice(0, most)
          .map(({ key, distance }) => ({ distance, item: encodedVectorKey(index, key) })),
      );
    });
  }

  #nearestOfAll(most: number): PromiseOrValue<readonly Neighbour<Key>[]> {
    const nearest = new Nearest<Key>(most, (a, b) => (a < b ? -1 : 1));
    const { context, interrupt, request } = this.#execution;
    let held = 0;
    const cursor = context.transaction.scan(vectorRange(this.#search.index), { batch: this.#batch });
    const measure = (entries: readonly Entry[]): PromiseOrValue<boolean> => {
      this.#measure(entries, nearest);
      request.memory.charge((nearest.size - held) * HELD);
      held = nearest.size;
      return andThen(interrupt.checkpoint(), () => false);
    };
    // They are charged again when they are kept.
    return request.memory.within(() =>
      andThen(forEachBatch(cursor, measure), () => sortItems(nearest.items(), interrupt, nearest.compare)),
    );
  }

  #measure(entries: readonly Entry[], nearest: Nearest<Key>): void {
    const { point } = this.#search;
    for (const [key, bytes] of entries) {
      const distance = this.#distance(this.#read(bytes as Uint8Array), point);
      if (!(distance > nearest.bound)) nearest.offer(distance, key);
    }
  }

  #candidate({ distance, item }: Neighbour<Key>): Candidate {
    return { key: recordOfVector(this.#search.index, item), note: { distance: float(distance) } };
  }
}
