/** Looks through a segment window by window: which of its documents match, and how well. */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { type Bm25, isBounded, lengthFactor, termScore } from '../segments/bm25.js';
import { type PostingList, WINDOW, WindowPostings } from '../segments/postings.js';
import { isMarked, lengthAt, readKeys } from '../segments/segment-reader.js';
import { LENGTHS } from '../segments/segment-writer.js';
import type { DocumentCounts } from './query-counter.js';
import type { Search, SearchedSegment, WeightedTerm } from './searcher.js';

/** A document that matches. */
export interface Match {
  /** The encoded key of its record. */
  readonly key: string;
  /** Rounded to 32 bits; 0 where no scores are asked for. */
  readonly score: number;
}

/** The same by its number in its segment. */
export interface Found {
  readonly document: number;
  readonly score: number;
}

/** The list of a term, with the place of each window in it; -1 where it has none. */
interface TermList {
  readonly term: WeightedTerm;
  readonly list: PostingList;
  readonly places: Int32Array;
}

/** Scores are rounded to 32 bits: what is less than this part of another one is less when it is rounded, too. */
const SURELY_LESS = 1 - 1e-7;

/** Matches whose keys are read together, or more. */
const WORTHWHILE = 64;

/** Windows whose keys are read in one step: some milliseconds. */
const WINDOWS_AT_ONCE = 64;

/** Lengths below this have their factors in a table. */
const SHORT = 256;

const postings = new WindowPostings();
/** How many of the terms each document of a window holds, as far as it counts, and its score. */
const counts = new Uint16Array(WINDOW);
const scores = new Float64Array(WINDOW);
/** Those of which either may not be 0. */
const touched = new Uint8Array(WINDOW);
let touchedCount = 0;

function reset(): void {
  for (let at = 0; at < touchedCount; at++) {
    const document = touched[at] as number;
    counts[document] = 0;
    scores[document] = 0;
  }
  touchedCount = 0;
}

export class SegmentScan {
  readonly #transaction: Transaction;
  readonly #search: Search;
  readonly #segment: SearchedSegment;
  readonly #bm25: Bm25 | undefined;
  readonly #factorOf: (length: number) => number;
  readonly #factors: Float64Array;
  readonly #needed: number;
  /** The rarest first. */
  readonly #lists: readonly TermList[];
  readonly #excluded: readonly Omit<TermList, 'term'>[];
  /** The windows in which documents may match, in order. */
  readonly windows: readonly number[];
  /** What the lists from each one on can add to a score in a window at most. */
  readonly #rests: Float64Array;
  /** Those that were read, by chunk. */
  readonly #lengths: (Stored | undefined)[] = [];

  /** Without `bm25` no scores are made. */
  constructor(transaction: Transaction, search: Search, segment: SearchedSegment, bm25: Bm25 | undefined) {
    this.#transaction = transaction;
    this.#search = search;
    this.#segment = segment;
    this.#bm25 = bm25;
    const factorOf = bm25 === undefined ? () => 0 : lengthFactor(bm25, search.statistics);
    this.#factorOf = factorOf;
    this.#factors = new Float64Array(bm25 === undefined ? 0 : SHORT);
    for (let length = 0; length < this.#factors.length; length++) this.#factors[length] = factorOf(length);
    this.#needed = search.query.operator === 'AND' ? search.terms.length : 1;
    const windows = Math.ceil(segment.documents / WINDOW);
    const lists = search.terms.flatMap((term, at) => {
      const list = segment.lists[at];
      return list === undefined ? [] : { term, list, places: placesOf(list, windows) };
    });
    this.#lists = lists.sort((a, b) => a.list.count - b.list.count);
    this.#excluded = segment.excluded.map((list) => ({ list, places: placesOf(list, windows) }));
    this.#rests = new Float64Array(this.#lists.length + 1);
    this.windows = this.#windows(windows);
  }

  #windows(count: number): number[] {
    if (this.#needed > this.#lists.length) return [];
    const found: number[] = [];
    for (let window = 0; window < count; window++) {
      let lists = 0;
      for (const { places } of this.#lists) if ((places[window] as number) >= 0) lists++;
      if (lists >= this.#needed) found.push(window);
    }
    return found;
  }

  /** Reads the lengths of all documents, so that `mostOf` knows those of short lists, too. */
  measure(): PromiseOrValue<void> {
    if (this.windows.length === 0) return;
    const { keys, documents } = this.#segment;
    const names = Array.from({ length: Math.ceil(documents / LENGTHS) }, (_, chunk) => keys.lengths(chunk));
    return andThen(this.#transaction.getMany(names), (chunks) => {
      for (const [chunk, lengths] of chunks.entries()) this.#lengths[chunk] = lengths;
      const lengthOf = (document: number): number =>
        lengthAt(chunks[Math.floor(document / LENGTHS)] as Uint8Array, document % LENGTHS);
      for (const { list } of this.#lists) list.measure(lengthOf);
    });
  }

  /** How well a document of a window can match at most. */
  mostOf(window: number): number {
    const bm25 = this.#bm25;
    if (bm25 === undefined) return Number.POSITIVE_INFINITY;
    const rests = this.#rests;
    for (let at = this.#lists.length - 1; at >= 0; at--) {
      const { term, list, places } = this.#lists[at] as TermList;
      const place = places[window] as number;
      rests[at] = rests[at + 1] as number;
      if (place < 0) continue;
      const factor = this.#factorOf(list.shortest[place] as number);
      const most = term.times * termScore(term.weight, list.most[place] as number, factor, bm25);
      rests[at] = (rests[at] as number) + most;
    }
    return rests[0] as number;
  }

  /** How many windows have enough matches to be worth a look at their keys. */
  get windowsTogether(): number {
    const postings = this.#lists.reduce((sum, { list }) => sum + list.count, 0);
    return Math.max(1, Math.ceil((WORTHWHILE * this.windows.length) / Math.max(1, postings)));
  }

  /** The documents of some windows that match, in the order of their keys. */
  scan(windows: readonly number[]): PromiseOrValue<Match[]> {
    const all: Found[] = [];
    const scanned = forEachInOrder(windows, (window) =>
      andThen(this.#bm25 === undefined ? this.#counted(window) : this.rate(window), (found) => {
        for (const each of found.sort(byNumber)) all.push(each);
        return false;
      }),
    );
    return andThen(scanned, () =>
      andThen(this.keysOf(all), (keys) => all.map(({ score }, at) => ({ key: keys[at] as string, score }))),
    );
  }

  /**
   * The documents of a window that match in any order, by numbers. Those that score less than `least` may be left out.
   */
  rate(window: number, least = Number.NEGATIVE_INFINITY): PromiseOrValue<Found[]> {
    return andThen(this.#lengthsOf(window), (lengths) => {
      this.#rate(window, lengths as Uint8Array, this.#bm25 as Bm25, least);
      return this.#valid(this.#found(window, least));
    });
  }

  /** How many documents of a window match. */
  count(window: number): PromiseOrValue<number> {
    return andThen(this.#counted(window), ({ length }) => length);
  }

  #counted(window: number): PromiseOrValue<Found[]> {
    this.#count(window);
    return this.#valid(this.#found(window, Number.NEGATIVE_INFINITY));
  }

  /** The encoded keys of documents; `work` is called where they are in many windows. */
  keysOf(documents: readonly Found[], work?: Work): PromiseOrValue<readonly string[]> {
    if (documents.length === 0) return [];
    const windows = [...new Set(documents.map(({ document }) => Math.floor(document / WINDOW)))];
    const keys = new Map<number, readonly string[]>();
    const read = (some: readonly number[]) =>
      andThen(this.#transaction.getMany(some.map((window) => this.#segment.keys.keys(window))), (pages) => {
        for (const [at, window] of some.entries()) keys.set(window, readKeys(pages[at] as Uint8Array));
      });
    let from = 0;
    const done = untilTrue(() => {
      const some = windows.slice(from, from + WINDOWS_AT_ONCE);
      from += WINDOWS_AT_ONCE;
      return andThen(read(some), () => (from >= windows.length ? true : andThen(work?.checkpoint(), () => false)));
    });
    return andThen(done, () =>
      documents.map(({ document }) => keys.get(Math.floor(document / WINDOW))?.[document % WINDOW] as string),
    );
  }

  /** Without those that have changed since, and wait to be folded. */
  #valid(found: Found[]): PromiseOrValue<Found[]> {
    const { overridden } = this.#search;
    if (overridden.size === 0) return found;
    return andThen(this.keysOf(found), (keys) => found.filter((_, at) => !overridden.has(keys[at] as string)));
  }

  #lengthsOf(window: number): PromiseOrValue<Stored | undefined> {
    const chunk = Math.floor((window * WINDOW) / LENGTHS);
    if (chunk in this.#lengths) return this.#lengths[chunk];
    return andThen(this.#transaction.get(this.#segment.keys.lengths(chunk)), (lengths) => {
      this.#lengths[chunk] = lengths;
      return lengths;
    });
  }

  #count(window: number): void {
    reset();
    for (const { list, places } of this.#lists) {
      const place = places[window] as number;
      if (place < 0) continue;
      list.read(place, postings);
      const { documents, count } = postings;
      for (let at = 0; at < count; at++) {
        const document = documents[at] as number;
        const counted = counts[document] as number;
        if (counted === 0) touched[touchedCount++] = document;
        counts[document] = counted + 1;
      }
    }
    this.#exclude(window);
  }

  /**
   * Scores the documents of a window, the rarest terms first. One that can't reach `least` with all that is left is
   * looked up in no further list; once no new one can, only those that have a score already are.
   */
  #rate(window: number, lengths: Uint8Array, bm25: Bm25, least: number): void {
    reset();
    const first = (window * WINDOW) % LENGTHS;
    const isAll = this.#needed > 1;
    const factors = this.#factors;
    const enough = isBounded(bm25) ? least * SURELY_LESS : Number.NEGATIVE_INFINITY;
    this.mostOf(window);
    let before = 0;
    for (const [at, { term, list, places }] of this.#lists.entries()) {
      const place = places[window] as number;
      if (place < 0) continue;
      const rest = this.#rests[at] as number;
      const takesNew = isAll ? before === 0 : rest >= enough;
      if (!takesNew && before === 0) break;
      list.read(place, postings);
      const { documents, occurrences, count } = postings;
      const { weight, times } = term;
      for (let posting = 0; posting < count; posting++) {
        const document = documents[posting] as number;
        const counted = counts[document] as number;
        // Of all terms one has been missing already.
        if (isAll ? counted !== before : counted === 0 && !takesNew) continue;
        const sum = scores[document] as number;
        if (sum + rest < enough) continue;
        if (counted === 0) touched[touchedCount++] = document;
        counts[document] = counted + 1;
        if (weight === 0) continue;
        const length = lengthAt(lengths, first + document);
        const factor = length < SHORT ? (factors[length] as number) : this.#factorOf(length);
        scores[document] = sum + times * termScore(weight, occurrences[posting] as number, factor, bm25);
      }
      before++;
    }
    this.#exclude(window);
  }

  #exclude(window: number): void {
    for (const { list, places } of this.#excluded) {
      const place = places[window] as number;
      if (place < 0) continue;
      list.read(place, postings);
      for (let at = 0; at < postings.count; at++) counts[postings.documents[at] as number] = 0;
    }
  }

  /** Those that match, before the buffers are used again. */
  #found(window: number, least: number): Found[] {
    const { changed } = this.#segment;
    const found: Found[] = [];
    for (let at = 0; at < touchedCount; at++) {
      const place = touched[at] as number;
      if ((counts[place] as number) < this.#needed) continue;
      const score = Math.fround(scores[place] as number);
      if (score < least) continue;
      const document = window * WINDOW + place;
      if (changed === undefined || !isMarked(changed, document)) found.push({ document, score });
    }
    return found;
  }
}

function byNumber(one: Found, other: Found): number {
  return one.document - other.document;
}

function placesOf({ windows }: PostingList, count: number): Int32Array {
  const places = new Int32Array(count).fill(-1);
  for (let place = 0; place < windows.length; place++) places[windows[place] as number] = place;
  return places;
}

/** The pending documents that match, in the order of their keys. */
export function pendingMatches(search: Search, bm25: Bm25 | undefined): Match[] {
  const { pending, terms, statistics } = search;
  const factorOf = bm25 === undefined ? undefined : lengthFactor(bm25, statistics);
  const found: Match[] = [];
  for (const { key, after } of pending) {
    if (after === undefined || !isMatch(search, after)) continue;
    let score = 0;
    if (bm25 !== undefined && factorOf !== undefined) {
      for (const [place, { times, weight }] of terms.entries()) {
        const occurrences = after.occurrences[place] as number;
        if (occurrences === 0 || weight === 0) continue;
        score += times * termScore(weight, occurrences, factorOf(after.length), bm25);
      }
    }
    found.push({ key, score: Math.fround(score) });
  }
  return found;
}

function isMatch({ query: { operator }, terms }: Search, { occurrences }: DocumentCounts): boolean {
  let held = 0;
  for (let place = 0; place < terms.length; place++) if (occurrences[place] !== 0) held++;
  if (held === 0 || (operator === 'AND' && held < terms.length)) return false;
  return !occurrences.subarray(terms.length).some((count) => count !== 0);
}
