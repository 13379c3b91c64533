/** Counts the terms of one document after the other, by numbers: for documents whose words mostly have come before. */
import type { CountedTerms } from './document-terms.js';
import type { Term } from './filters.js';
import { GrowingNumbers } from './growing-numbers.js';
import { SequenceTable, type Units } from './sequence-table.js';
import { TermDictionary } from './term-dictionary.js';

export class TermCounter implements CountedTerms {
  readonly dictionary = new TermDictionary();
  readonly numbers = new GrowingNumbers();
  length = 0;
  /** What tokens become: the number of their only term + 1, or −1 − the place of their list. */
  readonly #tokens = new SequenceTable();
  readonly #lists: (readonly number[])[] = [];
  #document = 0;
  /** By term: the document that has counted it last, and how often. */
  #marks = new Uint32Array(2_048);

  /** Begins the next document. */
  begin(): void {
    this.#document++;
    this.length = 0;
    this.numbers.length = 0;
  }

  /** Counts the terms of a token that was learned, a part of some units; answers whether it was. */
  count(units: Units, start: number, end: number, hash: number): boolean {
    const known = this.#tokens.valueOf(units, start, end, hash);
    if (known === 0) return false;
    if (known > 0) this.#countTerm(known - 1);
    else for (const number of this.#lists[-1 - known] as readonly number[]) this.#countTerm(number);
    return true;
  }

  /** Counts the terms of a token that wasn't; answers their numbers. */
  countNew(terms: readonly Term[]): readonly number[] {
    const numbers = terms.map(({ term }) => this.dictionary.numberOfText(term));
    for (const number of numbers) this.#countTerm(number);
    return numbers;
  }

  /** From now on a token has the terms with these numbers. */
  learn(units: Units, start: number, end: number, hash: number, numbers: readonly number[]): void {
    if (numbers.length !== 1) this.#lists.push(numbers);
    this.#tokens.add(units, start, end, hash, numbers.length === 1 ? (numbers[0] as number) + 1 : -this.#lists.length);
  }

  occurrencesOf(number: number): number {
    return this.#marks[2 * number + 1] as number;
  }

  #countTerm(number: number): void {
    const at = 2 * number;
    if (at >= this.#marks.length) {
      const larger = new Uint32Array(2 * at + 2);
      larger.set(this.#marks);
      this.#marks = larger;
    }
    const marks = this.#marks;
    this.length++;
    if (marks[at] === this.#document) {
      marks[at + 1] = (marks[at + 1] as number) + 1;
      return;
    }
    marks[at] = this.#document;
    marks[at + 1] = 1;
    this.numbers.push(number);
  }
}
