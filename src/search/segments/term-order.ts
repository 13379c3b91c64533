/** Sorts the terms of a dictionary: by their first bytes as numbers, which V8 sorts without calling back. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { StepwiseSort } from '../../base/work/sort.js';
import type { Work } from '../../base/work/work.js';
import type { TermDictionary } from '../text/term-dictionary.js';
import { compareBytes, termHead } from './term-bytes.js';

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
