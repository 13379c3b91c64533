/** Documents gathered for a segment: postings as numbers, first in the order of documents, then of terms. */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { StepwiseSort } from '../base/stepwise-sort.js';
import type { Pause } from './analyzer.js';
import type { CountedTerms } from './document-terms.js';
import { GrowingNumbers } from './growing-numbers.js';
import { forEachNoted, type KeyedChange, type NotedTerms, notedLength } from './pending.js';
import type { PostingBuffer } from './postings.js';
import { MAX_DOCUMENTS, type SegmentDocument } from './segment-writer.js';
import { compareTerms, type TermBytes, termHead } from './term-bytes.js';
import { TermDictionary } from './term-dictionary.js';
import type { TermSource } from './term-sources.js';

/** What is gathered at most: postings, and bytes of different terms. */
const POSTINGS = 2 ** 21;
const BYTES = 2 ** 23;

/** Terms and postings between two pauses. */
const TURN = 16_384;

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
  /** Of each posting its document, and how often the term occurs in it. */
  #sorted = new Uint32Array(0);
  /** The numbers of terms in the order of these. */
  #order: readonly number[] = [];
  #at = 0;
  #number = 0;
  readonly #term: TermBytes = { units: new Uint16Array(0), start: 0, end: 0, head: 0 };
  /** By term (`termHead`). */
  #heads = new Float64Array(0);

  /** Whether no more should be gathered. */
  get isFull(): boolean {
    const { documents } = this;
    return (
      documents.length >= MAX_DOCUMENTS || this.#postingTerms.length >= POSTINGS || this.#dictionary.bytes >= BYTES
    );
  }

  /** Adds the new terms of a record, and takes out the former ones. */
  change({ key, before, after }: KeyedChange, pause: Pause): PromiseOrValue<void> {
    const dictionary = this.#dictionary;
    const left =
      before &&
      forEachNoted(before, pause, (start, end) => {
        const number = dictionary.numberOf(before, start, end);
        this.#left.set(number, (this.#left.get(number) ?? 0) + 1);
      });
    return andThen(left, () => (after === undefined ? undefined : this.add(key, after, pause)));
  }

  /** Adds a document. */
  add(key: string, terms: NotedTerms, pause: Pause): PromiseOrValue<void> {
    const dictionary = this.#dictionary;
    const added = forEachNoted(terms, pause, (start, end, occurrences) => {
      this.#postingTerms.push(dictionary.numberOf(terms, start, end));
      this.#occurrences.push(occurrences);
    });
    return andThen(added, () => this.#end(key, notedLength(terms)));
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
    const sorted = new Uint32Array(2 * count);
    this.#sorted = sorted;
    const free = starts.slice();
    const { all: ends } = this.#ends;
    const { all: occurrences } = this.#occurrences;
    let document = 0;
    let at = 0;
    const placed = untilTrue(() => {
      for (const until = Math.min(count, at + TURN); at < until; document++) {
        const end = Math.min(ends[document] as number, until);
        for (; at < end; at++) {
          const term = terms[at] as number;
          const place = 2 * (free[term] as number);
          free[term] = (free[term] as number) + 1;
          sorted[place] = document;
          sorted[place + 1] = occurrences[at] as number;
        }
        if (end < (ends[document] as number)) break;
      }
      return at === count || andThen(pause(), () => false);
    });
    return andThen(placed, () => this.#sortTerms(pause));
  }

  #sortTerms(pause: Pause): PromiseOrValue<void> {
    const dictionary = this.#dictionary;
    const { size, units } = dictionary;
    const heads = new Float64Array(size);
    const numbers: number[] = [];
    const headed = untilTrue(() => {
      for (const end = Math.min(size, numbers.length + TURN); numbers.length < end; ) {
        const number = numbers.length;
        heads[number] = termHead(units, dictionary.startOf(number), dictionary.endOf(number));
        numbers.push(number);
      }
      return numbers.length === size || andThen(pause(), () => false);
    });
    const termOf = (number: number): TermBytes => {
      const [start, end] = [dictionary.startOf(number), dictionary.endOf(number)];
      return { units, start, end, head: heads[number] as number };
    };
    const compare = (a: number, b: number): number =>
      (heads[a] as number) - (heads[b] as number) || compareTerms(termOf(a), termOf(b));
    return andThen(headed, () => {
      const sorting = new StepwiseSort(numbers, compare);
      const sorted = untilTrue(() => sorting.step() || andThen(pause(), () => false));
      return andThen(sorted, () => {
        this.#order = sorting.result;
        this.#heads = heads;
        this.#show();
      });
    });
  }

  isDropped(): boolean {
    return false;
  }

  get term(): TermBytes | undefined {
    return this.#at < this.#order.length ? this.#term : undefined;
  }

  get net(): number {
    const number = this.#number;
    const left = this.#left.size === 0 ? 0 : (this.#left.get(number) ?? 0);
    return (this.#starts[number + 1] as number) - (this.#starts[number] as number) - left;
  }

  addTo(buffer: PostingBuffer, numbers: Int32Array | undefined): void {
    const [from, to] = [this.#starts[this.#number] as number, this.#starts[this.#number + 1] as number];
    const sorted = this.#sorted;
    buffer.reserve(to - from);
    for (let at = 2 * from; at < 2 * to; at += 2) {
      const document = sorted[at] as number;
      buffer.push(numbers === undefined ? document : (numbers[document] as number), sorted[at + 1] as number);
    }
  }

  advance(): void {
    this.#at++;
    this.#show();
  }

  /** Has the present term in `term`. */
  #show(): void {
    if (this.#at >= this.#order.length) return;
    const dictionary = this.#dictionary;
    const number = this.#order[this.#at] as number;
    const term = this.#term;
    this.#number = number;
    term.units = dictionary.units;
    term.start = dictionary.startOf(number);
    term.end = dictionary.endOf(number);
    term.head = this.#heads[number] as number;
  }

  fill(): boolean {
    return false;
  }
}

/** Changes between two pauses. */
const CHANGES = 64;

/** The documents of changes, which come in the order of their keys. */
export function gathered(changes: readonly KeyedChange[], pause: Pause): PromiseOrValue<GatheredSource> {
  const source = new GatheredSource();
  let count = 0;
  const done = forEachInOrder(changes, (change) =>
    andThen(source.change(change, pause), () =>
      andThen(++count % CHANGES === 0 ? pause() : undefined, () => undefined),
    ),
  );
  return andThen(
    andThen(done, () => source.sort(pause)),
    () => source,
  );
}
