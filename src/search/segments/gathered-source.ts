/** Documents gathered for a segment: postings as numbers, first in the order of documents, then of terms. */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { StepwiseSort, sortItems } from '../../base/work/sort.js';
import type { Work } from '../../base/work/work.js';
import type { CountedTerms } from '../text/document-terms.js';
import { GrowingNumbers } from '../text/growing-numbers.js';
import { TermDictionary } from '../text/term-dictionary.js';
import { forEachNoted, type KeyedChange, type NotedTerms, notedLength } from './pending.js';
import type { PostingBuffer } from './postings.js';
import { MAX_DOCUMENTS, type SegmentDocument } from './segment-writer.js';
import { compareBytes, TermCursor, termHead } from './term-bytes.js';
import type { TermSource } from './term-sources.js';

/** What is gathered at most: postings, and bytes of different terms. */
const POSTINGS = 2 ** 21;
const BYTES = 2 ** 23;

/** Postings between two checkpoints. */
const TURN = 16_384;

/** Documents come in the order of their keys, or `reorder` is called. Call `sort` before terms are taken. */
export class GatheredSource implements TermSource {
  documents: SegmentDocument[] = [];
  readonly term = new TermCursor();
  readonly hasDropped = false;
  readonly #dictionary = new TermDictionary();
  /** By term: documents of earlier segments that hold it and were changed. */
  readonly #left = new Map<number, number>();
  /** Our numbers of the terms of another dictionary, from 1. */
  #known = new Uint32Array(1_024);
  #knownOf: TermDictionary | undefined;
  /** Which documents came first, second, …; `undefined` where they came in the order of their keys. */
  #arrivals: Uint32Array | undefined;
  /** Of each posting. */
  readonly #postingTerms = new GrowingNumbers();
  readonly #occurrences = new GrowingNumbers();
  /** How many postings there are with those of each document. */
  readonly #ends = new GrowingNumbers();
  /** Where the postings of each term begin, once they are sorted. */
  #starts = new Uint32Array(1);
  /** Of each posting its document, and how often the term occurs in it. */
  #sorted = new Uint32Array(0);
  #order: TermOrder | undefined;
  #at = 0;
  #number = 0;

  /** Whether no more should be gathered. */
  get isFull(): boolean {
    const { documents } = this;
    return (
      documents.length >= MAX_DOCUMENTS || this.#postingTerms.length >= POSTINGS || this.#dictionary.bytes >= BYTES
    );
  }

  /** Adds the new terms of a record, and takes out the former ones. */
  change({ key, before, after }: KeyedChange, work: Work): PromiseOrValue<void> {
    const dictionary = this.#dictionary;
    const left =
      before &&
      forEachNoted(before, work, (start, end) => {
        const number = dictionary.numberOf(before, start, end);
        this.#left.set(number, (this.#left.get(number) ?? 0) + 1);
      });
    return andThen(left, () => (after === undefined ? undefined : this.add(key, after, work)));
  }

  /** Adds a document. */
  add(key: string, terms: NotedTerms, work: Work): PromiseOrValue<void> {
    const dictionary = this.#dictionary;
    const added = forEachNoted(terms, work, (start, end, occurrences) => {
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
      if (known[number] === 0) {
        const [start, end] = [dictionary.startOf(number), dictionary.endOf(number)];
        known[number] = this.#dictionary.numberOf(dictionary.units, start, end) + 1;
      }
      this.#postingTerms.push((known[number] as number) - 1);
      this.#occurrences.push(counted.occurrencesOf(number));
    }
    this.#end(key, length);
  }

  #end(key: string, length: number): void {
    this.documents.push({ key, length });
    this.#ends.push(this.#postingTerms.length);
  }

  /** Brings documents into the order of their keys, each of which there must be once. */
  reorder(work: Work): PromiseOrValue<void> {
    const { documents } = this;
    const keyOf = (arrival: number): string => (documents[arrival] as SegmentDocument).key;
    if (documents.every((_, at) => at === 0 || keyOf(at - 1) < keyOf(at))) return;
    const arrivals = sortItems([...documents.keys()], work, (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return andThen(arrivals, (sorted) => {
      this.documents = sorted.map((arrival) => documents[arrival] as SegmentDocument);
      this.#arrivals = Uint32Array.from(sorted);
    });
  }

  /** Brings terms into their order, and the postings of each together. */
  sort(work: Work): PromiseOrValue<void> {
    const count = this.#postingTerms.length;
    const starts = startsOf(this.#postingTerms.all, count, this.#dictionary.size);
    this.#starts = starts;
    this.#sorted = new Uint32Array(2 * count);
    const placing = { free: starts.slice(), document: 0, posting: 0 };
    const placed = untilTrue(() => this.#place(placing, TURN) || andThen(work.checkpoint(), () => false));
    return andThen(placed, () => this.#sortTerms(work));
  }

  /** Places some postings among those of their terms; answers whether all are. */
  #place(placing: Placing, most: number): boolean {
    const { all: terms } = this.#postingTerms;
    const { all: occurrences } = this.#occurrences;
    const { all: ends } = this.#ends;
    const { free } = placing;
    const sorted = this.#sorted;
    const arrivals = this.#arrivals;
    let left = most;
    for (; placing.document < this.documents.length; placing.document++) {
      const arrival = arrivals === undefined ? placing.document : (arrivals[placing.document] as number);
      const from = arrival === 0 ? 0 : (ends[arrival - 1] as number);
      const end = ends[arrival] as number;
      const until = Math.min(end, from + placing.posting + left);
      for (let at = from + placing.posting; at < until; at++) {
        const term = terms[at] as number;
        const place = free[term] as number;
        free[term] = place + 1;
        sorted[2 * place] = placing.document;
        sorted[2 * place + 1] = occurrences[at] as number;
      }
      left -= until - from - placing.posting;
      placing.posting = until - from;
      if (until < end) return false;
      placing.posting = 0;
    }
    return true;
  }

  #sortTerms(work: Work): PromiseOrValue<void> {
    const order = new TermOrder(this.#dictionary);
    this.#order = order;
    return andThen(order.sort(work), () => this.#show());
  }

  isDropped(): boolean {
    return false;
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
    const { term } = this;
    const dictionary = this.#dictionary;
    const order = this.#order as TermOrder;
    term.isThere = this.#at < dictionary.size;
    if (!term.isThere) return;
    const number = order.numbers[this.#at] as number;
    this.#number = number;
    term.units = dictionary.units;
    term.start = dictionary.startOf(number);
    term.end = dictionary.endOf(number);
    term.head = order.heads[number] as number;
    const left = this.#left.size === 0 ? 0 : (this.#left.get(number) ?? 0);
    term.net = (this.#starts[number + 1] as number) - (this.#starts[number] as number) - left;
  }

  fill(): boolean {
    return false;
  }
}

/** How far the postings have been placed. */
interface Placing {
  /** Where the next posting of each term goes. */
  readonly free: Uint32Array;
  /** The document whose postings are placed next, and how many of these are. */
  document: number;
  posting: number;
}

/** Where the postings of each term begin among all, by how many each has; then where the last ones end. */
function startsOf(terms: Uint32Array, count: number, size: number): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(size + 1);
  for (let at = 0; at < count; at++) {
    const after = (terms[at] as number) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let number = 1; number <= size; number++) {
    starts[number] = (starts[number] as number) + (starts[number - 1] as number);
  }
  return starts;
}

/** Changes between two checkpoints. */
const CHANGES = 64;

/** The documents of changes, which come in the order of their keys. */
export function gathered(changes: readonly KeyedChange[], work: Work): PromiseOrValue<GatheredSource> {
  const source = new GatheredSource();
  let count = 0;
  const done = forEachInOrder(changes, (change) =>
    andThen(source.change(change, work), () =>
      andThen(++count % CHANGES === 0 ? work.checkpoint() : undefined, () => undefined),
    ),
  );
  return andThen(
    andThen(done, () => source.sort(work)),
    () => source,
  );
}

// Sorts the terms of a dictionary: by their first bytes as numbers, which V8 sorts without calling back.

/** Terms that are sorted at once. A number below 2^53 holds five bytes of a term, and its place in the run. */
const RUN = 2 ** 13;
/** What the head of a term has beyond these. */
const SIXTH_BYTE = 2 ** 8;
/** More terms than these that begin alike are sorted by V8. */
const FEW = 16;

/** Call `sort` first. */
export class TermOrder {
  /** The numbers of all terms, ascending by the terms (`compareTerms`). */
  numbers: Uint32Array;
  /** By number (`termHead`). */
  readonly heads: Float64Array;
  readonly #dictionary: TermDictionary;
  readonly #keys: Float64Array;

  constructor(dictionary: TermDictionary) {
    this.#dictionary = dictionary;
    this.numbers = new Uint32Array(dictionary.size);
    this.heads = new Float64Array(dictionary.size);
    this.#keys = new Float64Array(Math.min(dictionary.size, RUN));
  }

  sort(work: Work): PromiseOrValue<void> {
    const { size } = this.#dictionary;
    let from = 0;
    const sorted = untilTrue(() => {
      const until = Math.min(size, from + RUN);
      this.#number(from, until);
      const keys = this.#keys.subarray(0, until - from).sort();
      this.#take(keys, from);
      from = until;
      return from === size || andThen(work.checkpoint(), () => false);
    });
    return andThen(sorted, () => (size > RUN ? this.#merge(work) : undefined));
  }

  #number(from: number, until: number): void {
    const { heads } = this;
    const keys = this.#keys;
    const dictionary = this.#dictionary;
    const { units } = dictionary;
    for (let number = from; number < until; number++) {
      const head = termHead(units, dictionary.startOf(number), dictionary.endOf(number));
      heads[number] = head;
      keys[number - from] = Math.floor(head / SIXTH_BYTE) * RUN + number - from;
    }
  }

  /** Takes the numbers out of sorted keys, and sorts those of terms that begin alike. */
  #take(keys: Float64Array, first: number): void {
    const { numbers } = this;
    let begin = -1;
    let alike = first;
    for (let at = 0; at <= keys.length; at++) {
      const key = at < keys.length ? (keys[at] as number) : Number.POSITIVE_INFINITY;
      const bytes = Math.floor(key / RUN);
      let place = first + at;
      if (bytes !== begin) {
        if (place - alike > FEW) this.#sortMany(alike, place);
        begin = bytes;
        alike = place;
      }
      if (at === keys.length) return;
      const number = first + key - bytes * RUN;
      // Where there are many, they are sorted afterwards.
      if (place - alike < FEW) {
        for (; place > alike && this.#compare(numbers[place - 1] as number, number) > 0; place--) {
          numbers[place] = numbers[place - 1] as number;
        }
      }
      numbers[place] = number;
    }
  }

  #sortMany(from: number, to: number): void {
    this.numbers.set(
      Array.from(this.numbers.subarray(from, to)).sort((a, b) => this.#compare(a, b)),
      from,
    );
  }

  #merge(work: Work): PromiseOrValue<void> {
    const merging = new StepwiseSort(Array.from(this.numbers), (a, b) => this.#compare(a, b), RUN);
    const merged = untilTrue(() => merging.step() || andThen(work.checkpoint(), () => false));
    return andThen(merged, () => {
      this.numbers = Uint32Array.from(merging.result);
    });
  }

  #compare(a: number, b: number): number {
    const order = (this.heads[a] as number) - (this.heads[b] as number);
    if (order !== 0) return order;
    const dictionary = this.#dictionary;
    const { units } = dictionary;
    const [start, end] = [dictionary.startOf(a), dictionary.endOf(a)];
    return compareBytes(units, start, end, units, dictionary.startOf(b), dictionary.endOf(b));
  }
}
