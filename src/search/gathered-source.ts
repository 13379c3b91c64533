/** Documents gathered for a segment: postings as numbers, first in the order of documents, then of terms. */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { StepwiseSort } from '../base/stepwise-sort.js';
import type { Pause } from './analyzer.js';
import type { CountedTerms } from './document-terms.js';
import { GrowingNumbers } from './growing-numbers.js';
import { forEachNoted, type KeyedChange, type NotedTerms, notedLength } from './pending.js';
import type { Postings } from './postings.js';
import { MAX_DOCUMENTS, type SegmentDocument } from './segment-writer.js';
import { TermDictionary } from './term-dictionary.js';
import type { SourceTerm, TermSource } from './term-sources.js';

/** What is gathered at most: postings, and bytes of different terms. */
const POSTINGS = 2 ** 21;
const BYTES = 2 ** 23;

/** Terms and postings between two pauses. */
const TURN = 16_384;

/** A term by its number. */
interface GatheredTerm extends SourceTerm {
  readonly number: number;
}

/** Documents come in the order of their keys. Call `sort` before terms are taken. */
export class GatheredSource implements TermSource {
  readonly documents: SegmentDocument[] = [];
  readonly hasDropped = false;
  readonly #dictionary = new TermDictionary();
  /** By term: documents of earlier segments that hold it and were changed. */
  readonly #left = new Map<number, number>();
  /** Our numbers of the terms of another dictionary, from 1. */
  #known = new Uint32Array(1_024);
  #knownOf: TermDictionary | undefined;
  /** Of each posting. */
  readonly #postingTerms = new GrowingNumbers();
  readonly #occurrences = new GrowingNumbers();
  /** How many postings there are with those of each document. */
  readonly #ends = new GrowingNumbers();
  /** Where the postings of each term begin, once they are sorted. */
  #starts = new Uint32Array(1);
  #sortedDocuments = new Uint32Array(0);
  #sortedOccurrences = new Uint32Array(0);
  #order: readonly GatheredTerm[] = [];
  #at = 0;

  /** Whether no more should be gathered. */
  get isFull(): boolean {
    const { documents } = this;
    return (
      documents.length >= MAX_DOCUMENTS || this.#postingTerms.length >= POSTINGS || this.#dictionary.bytes >= BYTES
    );
  }

  /** Adds the new terms of a record, and takes out the former ones; answers how much work that was. */
  change({ key, before, after }: KeyedChange): number {
    const dictionary = this.#dictionary;
    let work = 1;
    if (before !== undefined) {
      work += forEachNoted(before, (start, end) => {
        const number = dictionary.numberOf(before, start, end);
        this.#left.set(number, (this.#left.get(number) ?? 0) + 1);
      });
    }
    if (after !== undefined) work += this.add(key, after);
    return work;
  }

  /** Adds a document; answers how many terms it has. */
  add(key: string, terms: NotedTerms): number {
    const dictionary = this.#dictionary;
    const size = forEachNoted(terms, (start, end, occurrences) => {
      this.#postingTerms.push(dictionary.numberOf(terms, start, end));
      this.#occurrences.push(occurrences);
    });
    this.#end(key, notedLength(terms));
    return size;
  }

  /** The same of terms that were just counted. */
  addCounted(key: string, counted: CountedTerms): void {
    const { length, dictionary, numbers } = counted;
    if (this.#knownOf !== dictionary) this.#known.fill(0);
    this.#knownOf = dictionary;
    if (this.#known.length < dictionary.size) {
      const larger = new Uint32Array(2 * dictionary.size);
      larger.set(this.#known);
      this.#known = larger;
    }
    const known = this.#known;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers.all[at] as number;
      if (known[number] === 0) known[number] = this.#dictionary.numberOfText(dictionary.text(number)) + 1;
      this.#postingTerms.push((known[number] as number) - 1);
      this.#occurrences.push(counted.occurrencesOf(number));
    }
    this.#end(key, length);
  }

  #end(key: string, length: number): void {
    this.documents.push({ key, length });
    this.#ends.push(this.#postingTerms.length);
  }

  /** Brings terms into their order, and the postings of each together. */
  sort(pause: Pause): PromiseOrValue<void> {
    const count = this.#postingTerms.length;
    const starts = new Uint32Array(this.#dictionary.size + 1);
    const { all: terms } = this.#postingTerms;
    for (let at = 0; at < count; at++) {
      const after = (terms[at] as number) + 1;
      starts[after] = (starts[after] as number) + 1;
    }
    for (let id = 1; id < starts.length; id++) starts[id] = (starts[id] as number) + (starts[id - 1] as number);
    this.#starts = starts;
    this.#sortedDocuments = new Uint32Array(count);
    this.#sortedOccurrences = new Uint32Array(count);
    const free = starts.slice();
    let document = 0;
    let at = 0;
    const placed = untilTrue(() => {
      for (const end = Math.min(count, at + TURN); at < end; at++) {
        while (at >= (this.#ends.all[document] as number)) document++;
        const term = terms[at] as number;
        const place = free[term] as number;
        free[term] = place + 1;
        this.#sortedDocuments[place] = document;
        this.#sortedOccurrences[place] = this.#occurrences.all[at] as number;
      }
      return at === count || andThen(pause(), () => false);
    });
    return andThen(placed, () => {
      const sorting = new StepwiseSort(this.#gatheredTerms(), (a, b) => (a.term < b.term ? -1 : 1));
      const sorted = untilTrue(() => sorting.step() || andThen(pause(), () => false));
      return andThen(sorted, () => {
        this.#order = sorting.result;
      });
    });
  }

  #gatheredTerms(): GatheredTerm[] {
    const starts = this.#starts;
    return Array.from({ length: this.#dictionary.size }, (_, number) => ({
      number,
      term: this.#dictionary.text(number),
      net: (starts[number + 1] as number) - (starts[number] as number) - (this.#left.get(number) ?? 0),
    }));
  }

  isDropped(): boolean {
    return false;
  }

  get current(): SourceTerm | undefined {
    return this.#order[this.#at];
  }

  postings(): Postings {
    const { number } = this.#order[this.#at] as GatheredTerm;
    const [from, to] = [this.#starts[number], this.#starts[number + 1]];
    return {
      documents: this.#sortedDocuments.subarray(from, to),
      occurrences: this.#sortedOccurrences.subarray(from, to),
    };
  }

  advance(): void {
    this.#at++;
  }

  fill(): boolean {
    return false;
  }
}

/** The documents of changes, which come in the order of their keys. */
export function gathered(changes: readonly KeyedChange[], pause: Pause): PromiseOrValue<GatheredSource> {
  const source = new GatheredSource();
  let next = 0;
  const done = untilTrue(() => {
    for (let left = TURN; left > 0 && next < changes.length; ) left -= source.change(changes[next++] as KeyedChange);
    return next === changes.length || andThen(pause(), () => false);
  });
  return andThen(
    andThen(done, () => source.sort(pause)),
    () => source,
  );
}
