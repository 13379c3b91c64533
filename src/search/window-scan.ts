/** Looks through a segment window by window: which of its documents match, and how well. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Transaction } from '../storage/contract.js';
import { type Bm25, lengthFactor, termScore } from './bm25.js';
import { WINDOW, type WindowOfList, WindowPostings } from './postings.js';
import type { Search, SearchedSegment } from './searcher.js';
import { isMarked, lengthAt, readKeys } from './segment-reader.js';
import { LENGTHS } from './segment-writer.js';

/** A document that matches. */
export interface Match {
  /** The encoded key of its record. */
  readonly key: string;
  /** Rounded to 32 bits; 0 where no scores are asked for. */
  readonly score: number;
}

/** A window in which documents may match. */
export interface CandidateWindow {
  readonly window: number;
  /** How well one of them can match at most; infinite where that isn't known. */
  readonly most: number;
  /** By term; `undefined` where it doesn't occur there. */
  readonly parts: readonly (WindowOfList | undefined)[];
}

export class SegmentScan {
  readonly #transaction: Transaction;
  readonly #search: Search;
  readonly #segment: SearchedSegment;
  readonly #bm25: Bm25 | undefined;
  readonly #factorOf: (length: number) => number;
  readonly #needed: number;
  readonly #postings = new WindowPostings();
  readonly #scores = new Float64Array(WINDOW);
  readonly #counts = new Uint16Array(WINDOW);

  /** Without `bm25` no scores are made. */
  constructor(transaction: Transaction, search: Search, segment: SearchedSegment, bm25: Bm25 | undefined) {
    this.#transaction = transaction;
    this.#search = search;
    this.#segment = segment;
    this.#bm25 = bm25;
    this.#factorOf = bm25 === undefined ? () => 0 : lengthFactor(bm25, search.statistics);
    this.#needed = search.operator === 'AND' ? search.terms.length : 1;
  }

  /** The windows in which documents may match, in order. */
  windows(): CandidateWindow[] {
    const { lists } = this.#segment;
    if (this.#needed > 1 && lists.includes(undefined)) return [];
    const byWindow = new Map<number, (WindowOfList | undefined)[]>();
    for (const [term, list] of lists.entries()) {
      for (const part of list?.windows ?? []) {
        let parts = byWindow.get(part.window);
        if (parts === undefined) {
          parts = lists.map(() => undefined);
          byWindow.set(part.window, parts);
        }
        parts[term] = part;
      }
    }
    const found: CandidateWindow[] = [];
    for (const [window, parts] of byWindow) {
      if (this.#needed > 1 && parts.includes(undefined)) continue;
      found.push({ window, parts, most: this.#mostOf(parts) });
    }
    return found.sort((a, b) => a.window - b.window);
  }

  #mostOf(parts: readonly (WindowOfList | undefined)[]): number {
    const bm25 = this.#bm25;
    if (bm25 === undefined) return Number.POSITIVE_INFINITY;
    let most = 0;
    for (const [at, part] of parts.entries()) {
      const term = this.#search.terms[at];
      if (part === undefined || term === undefined) continue;
      most += term.times * termScore(term.weight, part.most, this.#factorOf(part.shortest), bm25);
    }
    return most;
  }

  /** The documents of a window that match, in the order of their keys. Below `least` they may be left out. */
  scan(window: CandidateWindow, least = Number.NEGATIVE_INFINITY): PromiseOrValue<Match[]> {
    const { keys } = this.#segment;
    const chunk = Math.floor((window.window * WINDOW) / LENGTHS);
    const names =
      this.#bm25 === undefined ? [keys.keys(window.window)] : [keys.keys(window.window), keys.lengths(chunk)];
    return andThen(this.#transaction.getMany(names), ([page, lengths]) => {
      this.#count(window, lengths instanceof Uint8Array ? lengths : undefined);
      return this.#matches(window.window, page as Uint8Array, least);
    });
  }

  #count({ window, parts }: CandidateWindow, lengths: Uint8Array | undefined): void {
    this.#scores.fill(0);
    this.#counts.fill(0);
    const first = (window * WINDOW) % LENGTHS;
    const some = this.#postings;
    for (const [at, part] of parts.entries()) {
      const list = this.#segment.lists[at];
      const term = this.#search.terms[at];
      if (part === undefined || list === undefined || term === undefined) continue;
      list.read(part, some);
      for (let index = 0; index < some.count; index++) {
        const document = some.documents[index] as number;
        this.#counts[document] = (this.#counts[document] as number) + 1;
        if (lengths === undefined || this.#bm25 === undefined || term.weight === 0) continue;
        const factor = this.#factorOf(lengthAt(lengths, first + document));
        const score = termScore(term.weight, some.occurrences[index] as number, factor, this.#bm25);
        this.#scores[document] = (this.#scores[document] as number) + term.times * score;
      }
    }
  }

  #matches(window: number, page: Uint8Array, least: number): Match[] {
    const { changed } = this.#segment;
    const found: Match[] = [];
    let keys: readonly string[] | undefined;
    for (let document = 0; document < WINDOW; document++) {
      if ((this.#counts[document] as number) < this.#needed) continue;
      const score = Math.fround(this.#scores[document] as number);
      if (score < least) continue;
      if (changed !== undefined && isMarked(changed, window * WINDOW + document)) continue;
      keys ??= readKeys(page);
      const key = keys[document] as string;
      if (!this.#search.overridden.has(key)) found.push({ key, score });
    }
    return found;
  }
}

/** The pending documents that match, in the order of their keys. */
export function pendingMatches({ pending, terms, operator, statistics }: Search, bm25: Bm25 | undefined): Match[] {
  const factorOf = bm25 === undefined ? undefined : lengthFactor(bm25, statistics);
  const found: Match[] = [];
  for (const { key, after } of pending) {
    if (after === undefined) continue;
    let count = 0;
    let score = 0;
    for (const { term, times, weight } of terms) {
      const occurrences = after.counts.get(term);
      if (occurrences === undefined) continue;
      count++;
      if (bm25 === undefined || factorOf === undefined || weight === 0) continue;
      score += times * termScore(weight, occurrences, factorOf(after.length), bm25);
    }
    if (terms.length > 0 && count >= (operator === 'AND' ? terms.length : 1))
      found.push({ key, score: Math.fround(score) });
  }
  return found;
}
