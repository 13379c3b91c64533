/** The terms of one document with their frequencies: what an index stores of a text. */
import type { GrowingNumbers } from './growing-numbers.js';
import type { TermDictionary } from './term-dictionary.js';

/** The terms of a document, and how often each occurs. */
export interface DocumentTerms {
  /** How many there are, repeated ones too. */
  readonly length: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The same by numbers of terms, until the analyzer counts the next document. */
export interface CountedTerms {
  readonly length: number;
  /** Which terms have which numbers. */
  readonly dictionary: TermDictionary;
  /** Of the terms that occur. */
  readonly numbers: GrowingNumbers;
  occurrencesOf(number: number): number;
}

/** Counted terms to keep. */
export function keptTerms(counted: CountedTerms): DocumentTerms {
  const { length, dictionary, numbers } = counted;
  const counts = new Map<string, number>();
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers.all[at] as number;
    counts.set(dictionary.text(number), counted.occurrencesOf(number));
  }
  return { length, counts };
}
