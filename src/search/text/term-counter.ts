/** Counts the terms of one document after the other, by numbers: for documents whose words mostly have come before. */
import type { CountedTerms } from './document-terms.js';
import type { Term } from './filters.js';
import { GrowingNumbers } from './growing-numbers.js';
import { newBytes } from './new-bytes.js';
import { FACTOR, mix, PARTS, PROBES, SequenceTable } from './sequence-table.js';
import { TermDictionary } from './term-dictionary.js';
import { MAX_TOKEN, type PlainTokens, SEPARATOR, SPECIAL, UNKNOWN } from './tokenizer.js';

/** Receives a token that wasn't learned, and the hash of its code units. */
type NewToken = (start: number, end: number, hash: number) => void;

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;

/** Tokens that are longer aren't learned. */
export const LONGEST_LEARNED = 64;

/** A token, or its term, while it is looked up. */
const tokenUnits = new Uint16Array(LONGEST_LEARNED);
const asciiBytes = newBytes(LONGEST_LEARNED);

export class TermCounter implements CountedTerms {
  readonly dictionary = new TermDictionary();
  readonly numbers = new GrowingNumbers();
  length = 0;
  /** What tokens become: the number of their only term + 1, or −1 − the place of their list. */
  readonly #tokens = new SequenceTable((length) => new Uint16Array(length));
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

  /**
   * Counts the terms of a text in `units`, in one loop that finds tokens and looks them up. Tokens that weren't learned
   * are handed to `countNew`. Answers where it stopped: at `end`, or where a token begins that only the whole tokenizer
   * can divide.
   */
  countPlain(units: Uint16Array, end: number, plain: PlainTokens, countNew: NewToken): number {
    const { codes } = plain;
    const tokens = this.#tokens;
    for (let at = 0; at < end; ) {
      const start = at;
      let unit = units[at] as number;
      let code = codes[unit] as number;
      if (code === UNKNOWN) code = plain.learn(unit);
      if (code === SPECIAL) return start;
      if (code === SEPARATOR) {
        at++;
        continue;
      }
      let hash = 0;
      let next = code;
      while (next === code) {
        hash = Math.imul(hash ^ unit, FACTOR);
        if (++at === end) break;
        unit = units[at] as number;
        next = codes[unit] as number;
        if (next === UNKNOWN) next = plain.learn(unit);
      }
      if (next === SPECIAL || at - start > MAX_TOKEN) return start;
      // What `SequenceTable.valueOf` does, which has other kinds of units as well.
      const { slots, mask, units: known } = tokens;
      const mixed = mix(hash);
      const length = at - start;
      let value = 0;
      let probe = 0;
      for (; probe < PROBES; probe++) {
        const slot = ((mixed + probe) & mask) * PARTS;
        const found = slots[slot + 3] as number;
        if (found === 0) break;
        if (slots[slot] !== mixed || slots[slot + 2] !== length) continue;
        const from = slots[slot + 1] as number;
        let place = 0;
        while (place < length && known[from + place] === units[start + place]) place++;
        if (place < length) continue;
        value = found;
        break;
      }
      if (probe === PROBES) value = tokens.valueOf(units, start, at, hash);
      if (value > 0) this.#countTerm(value - 1);
      else if (value === 0) countNew(start, at, hash);
      else for (const number of this.#lists[-1 - value] as readonly number[]) this.#countTerm(number);
    }
    return end;
  }

  /** Counts the terms of a token that was learned, a part of some units; answers whether it was. */
  count(units: Uint16Array, start: number, end: number, hash: number): boolean {
    const known = this.#tokens.valueOf(units, start, end, hash);
    if (known === 0) return false;
    if (known > 0) this.#countTerm(known - 1);
    else for (const number of this.#lists[-1 - known] as readonly number[]) this.#countTerm(number);
    return true;
  }

  /**
   * Counts and learns a token of nothing but ASCII whose only term is itself, in lower case where it `lowers`; answers
   * whether it is such a token.
   */
  countAscii(units: Uint16Array, start: number, end: number, hash: number, lowers: boolean): boolean {
    const bytes = asciiBytes;
    if (end - start > bytes.length) return false;
    for (let at = start; at < end; at++) {
      const unit = units[at] as number;
      if (unit > 0x7f) return false;
      bytes[at - start] = lowers && unit >= UPPER_A && unit <= UPPER_Z ? unit + TO_LOWER : unit;
    }
    const number = this.dictionary.numberOf(bytes, 0, end - start);
    this.#countTerm(number);
    this.#tokens.add(units, start, end, hash, number + 1);
    return true;
  }

  /** Counts the terms of a token that wasn't learned; answers their numbers. */
  countNew(terms: readonly Term[]): readonly number[] {
    const numbers = terms.map(({ term }) => this.dictionary.numberOfText(term));
    for (const number of numbers) this.#countTerm(number);
    return numbers;
  }

  /** From now on a token has the terms with these numbers. */
  learn(token: string, hash: number, numbers: readonly number[]): void {
    if (numbers.length !== 1) this.#lists.push(numbers);
    const value = numbers.length === 1 ? (numbers[0] as number) + 1 : -this.#lists.length;
    for (let at = 0; at < token.length; at++) tokenUnits[at] = token.charCodeAt(at);
    this.#tokens.add(tokenUnits, 0, token.length, hash, value);
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
