/** Documents gathered for a segment: postings as numbers, first in the order of documents, then of terms. */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { StepwiseSort } from '../base/stepwise-sort.js';
import type { Pause } from './analyzer.js';
import type { CountedTerms } from './document-terms.js';
import { GrowingNumbers } from './growing-numbers.js';
import { forEachNoted, type KeyedChange, type NotedTerms, notedLength } from './pending.js';
import type { PostingBuffer } from './postings.js';
import { MAX_DOCUMENTS, type SegmentDocument } from './segment-writer.js';
import { TermDictionary } from './term-dictionary.js';
import type { TermSource } from './term-sources.js';

/** What is gathered at most: postings, and bytes of different terms. */
const POSTINGS = 2 ** 21;
const BYTES = 2 ** 23;

/** Terms and postings between two pauses. */
const TURN = 16_384;

/** A term by its number. */
interface GatheredTerm {
  readonly number: number;
  readonly term: string;
  /** Orders most terms without a look at their texts (`headOf`). */
  readonly head: number;
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
    return andThen(placed, () =>
      andThen(this.#gatheredTerms(pause), (gathered) => {
        const sorting = new StepwiseSort(gathered, compare);
        const sorted = untilTrue(() => sorting.step() || andThen(pause(), () => false));
        return andThen(sorted, () => {
          this.#order = sorting.result;
        });
      }),
    );
  }

  #gatheredTerms(pause: Pause): PromiseOrValue<GatheredTerm[]> {
    const all: GatheredTerm[] = [];
    const { size } = this.#dictionary;
    const done = untilTrue(() => {
      for (const end = Math.min(size, all.length + TURN); all.length < end; ) {
        const term = this.#dictionary.text(all.length);
        all.push({ number: all.length, term, head: headOf(term) });
      }
      return all.length === size || andThen(pause(), () => false);
    });
    return andThen(done, () => all);
  }

  isDropped(): boolean {
    return false;
  }

  get term(): string | undefined {
    return this.#order[this.#at]?.term;
  }

  get net(): number {
    const { number } = this.#order[this.#at] as GatheredTerm;
    return (this.#starts[number + 1] as number) - (this.#starts[number] as number) - (this.#left.get(number) ?? 0);
  }

  addTo(buffer: PostingBuffer, numbers: Int32Array | undefined): void {
    const { number } = this.#order[this.#at] as GatheredTerm;
    const [from, to] = [this.#starts[number] as number, this.#starts[number + 1] as number];
    buffer.reserve(to - from);
    for (let at = from; at < to; at++) {
      const document = this.#sortedDocuments[at] as number;
      const renumbered = numbers === undefined ? document : (numbers[document] as number);
      buffer.push(renumbered, this.#sortedOccurrences[at] as number);
    }
  }

  advance(): void {
    this.#at++;
  }

  fill(): boolean {
    return false;
  }
}

/** The first six UTF-16 code units as one number; what follows one that isn't below 255 doesn't count. */
function headOf(term: string): number {
  let head = 0;
  let isOpen = true;
  for (let at = 0; at < 6; at++) {
    const unit = isOpen && at < term.length ? Math.min(term.charCodeAt(at), 0xff) : 0;
    if (unit === 0xff) isOpen = false;
    head = head * 0x100 + unit;
  }
  return head;
}

function compare(a: GatheredTerm, b: GatheredTerm): number {
  return a.head - b.head || (a.term < b.term ? -1 : 1);
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
