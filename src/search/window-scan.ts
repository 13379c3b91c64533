/** Looks through a segment window by window: which of its documents match, and how well. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Stored, Transaction } from '../storage/contract.js';
import { type Bm25, lengthFactor, termScore } from './bm25.js';
import { type PostingList, WINDOW, WindowPostings } from './postings.js';
import { holdsTerms, occurrencesOf } from './query.js';
import type { Search, SearchedSegment, WeightedTerm } from './searcher.js';
import { isMarked, lengthAt, readKeys } from './segment-reader.js';
import { LENGTHS } from './segment-writer.js';

/** A document that matches. */
export interface Match {
  /** The encoded key of its record. */
  readonly key: string;
  /** Rounded to 32 bits; 0 where no scores are asked for. */
  readonly score: number;
}

/** The list of a term, with the place of each window in it; -1 where it has none. */
interface TermList {
  readonly term: WeightedTerm;
  readonly list: PostingList;
  readonly places: Int32Array;
}

/** Lengths below this have their factors in a table. */
const SHORT = 256;

const postings = new WindowPostings();
const counts = new Uint16Array(WINDOW);
const scores = new Float64Array(WINDOW);

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
  /** The lengths that were read last. */
  #chunk = -1;
  #lengths: Stored | undefined;

  /** Without `bm25` no scores are made. */
  constructor(transaction: Transaction, search: Search, segment: SearchedSegment, bm25: Bm25 | undefined) {
    this.#transaction = transaction;
    this.#search = search;
    this.#segment = segment;
    this.#bm25 = bm25;
    const factorOf = bm25 === undefined ? () => 0 : lengthFactor(bm25, search.statistics);
    this.#factorOf = factorOf;
    this.#factors = Float64Array.from({ length: bm25 === undefined ? 0 : SHORT }, (_, length) => factorOf(length));
    this.#needed = search.query.operator === 'AND' ? search.terms.length : 1;
    const windows = Math.ceil(segment.documents / WINDOW);
    const lists = search.terms.flatMap((term, at) => {
      const list = segment.lists[at];
      return list === undefined ? [] : { term, list, places: placesOf(list, windows) };
    });
    this.#lists = lists.sort((a, b) => a.list.count - b.list.count);
    this.#excluded = segment.excluded.map((list) => ({ list, places: placesOf(list, windows) }));
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

  /** How well a document of a window can match at most. */
  mostOf(window: number): number {
    const bm25 = this.#bm25;
    if (bm25 === undefined) return Number.POSITIVE_INFINITY;
    let most = 0;
    for (const { term, list, places } of this.#lists) {
      const place = places[window] as number;
      if (place < 0) continue;
      const factor = this.#factorOf(list.shortest[place] as number);
      most += term.times * termScore(term.weight, list.most[place] as number, factor, bm25);
    }
    return most;
  }

  /** The documents of a window that match, in the order of their keys. Below `least` they may be left out. */
  scan(window: number, least = Number.NEGATIVE_INFINITY): PromiseOrValue<Match[]> {
    if (this.#bm25 === undefined) {
      this.#count(window);
      return this.#matches(window, this.#found(window));
    }
    return andThen(this.#lengthsOf(window), (lengths) => {
      this.#rate(window, lengths as Uint8Array, this.#bm25 as Bm25);
      return this.#matches(window, this.#found(window, least));
    });
  }

  /** How many documents of a window match. */
  count(window: number): PromiseOrValue<number> {
    this.#count(window);
    const found = this.#found(window);
    if (this.#search.overridden.size === 0) return found.length;
    return andThen(this.#matches(window, found), (matches) => matches.length);
  }

  #lengthsOf(window: number): PromiseOrValue<Stored | undefined> {
    const chunk = Math.floor((window * WINDOW) / LENGTHS);
    if (chunk === this.#chunk) return this.#lengths;
    return andThen(this.#transaction.get(this.#segment.keys.lengths(chunk)), (lengths) => {
      this.#chunk = chunk;
      this.#lengths = lengths;
      return lengths;
    });
  }

  #count(window: number): void {
    counts.fill(0);
    for (const { list, places } of this.#lists) {
      const place = places[window] as number;
      if (place < 0) continue;
      list.read(place, postings);
      const { documents, count } = postings;
      for (let at = 0; at < count; at++) {
        const document = documents[at] as number;
        counts[document] = (counts[document] as number) + 1;
      }
    }
    this.#exclude(window);
  }

  #rate(window: number, lengths: Uint8Array, bm25: Bm25): void {
    counts.fill(0);
    scores.fill(0);
    const first = (window * WINDOW) % LENGTHS;
    const isAll = this.#needed > 1;
    const factors = this.#factors;
    let before = 0;
    for (const { term, list, places } of this.#lists) {
      const place = places[window] as number;
      if (place < 0) continue;
      list.read(place, postings);
      const { documents, occurrences, count } = postings;
      const { weight, times } = term;
      for (let at = 0; at < count; at++) {
        const document = documents[at] as number;
        // Of all terms one has been missing already.
        if (isAll && counts[document] !== before) continue;
        counts[document] = (counts[document] as number) + 1;
        if (weight === 0) continue;
        const length = lengthAt(lengths, first + document);
        const factor = length < SHORT ? (factors[length] as number) : this.#factorOf(length);
        const score = times * termScore(weight, occurrences[at] as number, factor, bm25);
        scores[document] = (scores[document] as number) + score;
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

  /** The numbers of those in the window, and their scores, before the buffers are used again. */
  #found(window: number, least?: number): Found[] {
    const { changed } = this.#segment;
    const needed = this.#needed;
    const found: Found[] = [];
    for (let document = 0; document < WINDOW; document++) {
      if ((counts[document] as number) < needed) continue;
      const score = least === undefined ? 0 : Math.fround(scores[document] as number);
      if (least !== undefined && score < least) continue;
      if (changed !== undefined && isMarked(changed, window * WINDOW + document)) continue;
      found.push({ document, score });
    }
    return found;
  }

  #matches(window: number, found: readonly Found[]): PromiseOrValue<Match[]> {
    if (found.length === 0) return [];
    return andThen(this.#transaction.get(this.#segment.keys.keys(window)), (page) => {
      const keys = readKeys(page as Uint8Array);
      const { overridden } = this.#search;
      return found.flatMap(({ document, score }) => {
        const key = keys[document] as string;
        return overridden.has(key) ? [] : { key, score };
      });
    });
  }
}

interface Found {
  readonly document: number;
  readonly score: number;
}

function placesOf({ windows }: PostingList, count: number): Int32Array {
  const places = new Int32Array(count).fill(-1);
  for (let place = 0; place < windows.length; place++) places[windows[place] as number] = place;
  return places;
}

/** The pending documents that match, in the order of their keys. */
export function pendingMatches({ query, pending, terms, statistics }: Search, bm25: Bm25 | undefined): Match[] {
  const factorOf = bm25 === undefined ? undefined : lengthFactor(bm25, statistics);
  const found: Match[] = [];
  for (const { key, after } of pending) {
    if (after === undefined || !holdsTerms(query, after)) continue;
    let score = 0;
    if (bm25 !== undefined && factorOf !== undefined) {
      for (const { term, times, weight } of terms) {
        const occurrences = occurrencesOf(term, after);
        if (occurrences === 0 || weight === 0) continue;
        score += times * termScore(weight, occurrences, factorOf(after.length), bm25);
      }
    }
    found.push({ key, score: Math.fround(score) });
  }
  return found;
}
