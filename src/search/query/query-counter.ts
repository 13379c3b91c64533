/** Counts the terms of a query in documents that are noted and not yet in any segment. */

import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { forEachNoted, type NotedTerms, notedLength } from '../segments/pending.js';
import { TermDictionary } from '../text/term-dictionary.js';
import { type Prefix, PrefixTable } from './prefix-table.js';
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
