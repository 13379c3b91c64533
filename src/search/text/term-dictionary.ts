/** Terms by number, from 0, as UTF-8. */
import { Buffer } from 'node:buffer';
import { utf8Length } from '../../value/codecs/byte-writer.js';
import { GrowingNumbers } from './growing-numbers.js';
import { newBytes } from './new-bytes.js';
import { hashOf, SequenceTable, type Units } from './sequence-table.js';

let encoded = Buffer.alloc(1_024);

export class TermDictionary {
  readonly #table = new SequenceTable(newBytes);
  readonly #ends = new GrowingNumbers();
  /** Those that were given as texts, or asked for. */
  readonly #texts: string[] = [];

  get size(): number {
    return this.#ends.length;
  }

  /** Of all terms together. */
  get bytes(): number {
    return this.#table.used;
  }

  /** The number of a term; -1 where it has none. */
  find(bytes: Units, start: number, end: number): number {
    return this.#table.valueOf(bytes, start, end, hashOf(bytes, start, end)) - 1;
  }

  /** The number of a term; a new one where it has none. */
  numberOf(bytes: Units, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const known = this.#table.valueOf(bytes, start, end, hash);
    if (known !== 0) return known - 1;
    const number = this.#ends.length;
    this.#table.add(bytes, start, end, hash, number + 1);
    this.#ends.push(this.#table.used);
    return number;
  }

  numberOfText(term: string): number {
    const length = utf8Length(term);
    if (length > encoded.length) encoded = Buffer.alloc(2 * length);
    encoded.write(term, 0, 'utf8');
    const number = this.numberOf(encoded, 0, length);
    this.#texts[number] ??= term;
    return number;
  }

  /** All terms, one after the other. */
  get units(): Uint8Array {
    return this.#table.units;
  }

  /** Where a term begins among them, and where it ends. */
  startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends.all[number - 1] as number);
  }

  endOf(number: number): number {
    return this.#ends.all[number] as number;
  }

  text(number: number): string {
    const known = this.#texts[number];
    if (known !== undefined) return known;
    const text = Buffer.from(this.units.subarray(this.startOf(number), this.endOf(number))).toString('utf8');
    this.#texts[number] = text;
    return text;
  }
}
