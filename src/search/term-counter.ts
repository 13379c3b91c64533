/** Counts the terms of one document after the other, by numbers: for documents whose words mostly have come before. */
import type { CountedTerms } from './document-terms.js';
import { GrowingNumbers } from './growing-numbers.js';
import { SequenceTable } from './sequence-table.js';
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

  /** Counts the terms of a token that was learned; answers whether it was. */
  count(text: string, start: number, end: number): boolean {
    const known = this.#tokens.ofText(text, start, end);
    if (known === 0) return false;
    if (known > 0) this.#countTerm(known - 1);
    else for (const number of this.#lists[-1 - known] as readonly number[]) this.#countTerm(number);
    return true;
  }

  /** Counts the terms of a token that wasn't; `learns`: from now on it is known. */
  countNew(token: string, terms: readonly string[], learns: boolean): void {
    const numbers = terms.map((term) => this.dictionary.numberOfText(term));
    for (const number of numbers) this.#countTerm(number);
    if (!learns) return;
    if (numbers.length !== 1) this.#lists.push(numbers);
    this.#tokens.addText(token, numbers.length === 1 ? (numbers[0] as number) + 1 : -this.#lists.length);
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
