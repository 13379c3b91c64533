/** Counts the terms of a query in documents that are noted and not yet in any segment. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { forEachNoted, type NotedTerms, notedLength } from '../segments/pending.js';
import { TermDictionary } from '../text/term-dictionary.js';
import type { QueryTerm } from './query.js';

/** What a query has to know of a document. */
export interface DocumentCounts {
  /** How many terms it has. */
  readonly length: number;
  /** How often each term of the query occurs. */
  readonly occurrences: Uint32Array;
}

/** A power of two. */
const MARKS = 1_024;

export class QueryCounter {
  readonly #size: number;
  readonly #words = new TermDictionary();
  /** By the number of a word: which terms of the query it is. */
  readonly #places: number[][] = [];
  readonly #prefixes: PrefixTable;
  /** Of words by their length and first byte, since almost none that are looked at are among them. */
  readonly #marks = new Uint8Array(MARKS);

  constructor(terms: readonly QueryTerm[]) {
    this.#size = terms.length;
    const encoder = new TextEncoder();
    const prefixes: Prefix[] = [];
    for (const [place, { term, isPrefix }] of terms.entries()) {
      const bytes = encoder.encode(term);
      if (isPrefix) {
        prefixes.push({ bytes, place });
        continue;
      }
      const word = this.#words.numberOf(bytes, 0, bytes.length);
      this.#places[word] = [...(this.#places[word] ?? []), place];
      this.#marks[markOf(bytes, 0, bytes.length)] = 1;
    }
    this.#prefixes = new PrefixTable(prefixes);
  }

  count(noted: NotedTerms, work: Work): PromiseOrValue<DocumentCounts> {
    const occurrences = new Uint32Array(this.#size);
    const add = (place: number, count: number): void => {
      occurrences[place] = (occurrences[place] as number) + count;
    };
    const counted = forEachNoted(noted, work, (start, end, count) => {
      if (this.#marks[markOf(noted, start, end)] === 1) {
        const word = this.#words.find(noted, start, end);
        if (word >= 0) for (const place of this.#places[word] as number[]) add(place, count);
      }
      this.#prefixes.visit(noted, start, end, (place) => add(place, count));
    });
    return andThen(counted, () => ({ length: notedLength(noted), occurrences }));
  }
}

function markOf(bytes: Uint8Array, start: number, end: number): number {
  return (31 * (end - start) + (bytes[start] ?? 0)) & (MARKS - 1);
}

// Which of several prefixes a term has, without a look at each of them.

/** A prefix as UTF-8, and its place among the terms of a query. */
interface Prefix {
  readonly bytes: Uint8Array;
  readonly place: number;
}

export class PrefixTable {
  /** Ascending: all prefixes of a term stand before it, and before those that are greater. */
  readonly #sorted: readonly Prefix[];
  /** By place: the longest other prefix that one begins with; -1 where there is none. */
  readonly #within: number[] = [];

  constructor(prefixes: readonly Prefix[]) {
    this.#sorted = [...prefixes].sort((a, b) => order(a.bytes, b.bytes, 0, b.bytes.length));
    for (const [at, { bytes }] of this.#sorted.entries()) {
      let within = at - 1;
      while (within >= 0 && !this.#begins(bytes, within)) within = this.#within[within] as number;
      this.#within.push(within);
    }
  }

  #begins(bytes: Uint8Array, at: number): boolean {
    const { bytes: prefix } = this.#sorted[at] as Prefix;
    return commonLength(prefix, bytes, 0, bytes.length) === prefix.length;
  }

  /** Visits the places of the prefixes of a term, which is a part of some bytes. */
  visit(bytes: Uint8Array, start: number, end: number, visit: (place: number) => void): void {
    const sorted = this.#sorted;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order((sorted[middle] as Prefix).bytes, bytes, start, end) <= 0) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    if (at < 0) return;
    // Whatever prefixes the term has, the greatest that isn't greater than it begins with them, too.
    const common = commonLength((sorted[at] as Prefix).bytes, bytes, start, end);
    for (; at >= 0; at = this.#within[at] as number) {
      const prefix = sorted[at] as Prefix;
      if (prefix.bytes.length <= common) visit(prefix.place);
    }
  }
}

function commonLength(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const most = Math.min(prefix.length, end - start);
  let common = 0;
  while (common < most && prefix[common] === bytes[start + common]) common++;
  return common;
}

/** Negative where a prefix comes before a part of some bytes. */
function order(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const common = commonLength(prefix, bytes, start, end);
  const here = common < prefix.length ? (prefix[common] as number) : -1;
  return here - (start + common < end ? (bytes[start + common] as number) : -1);
}
