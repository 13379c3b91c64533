/**
 * Analyzers: what a text becomes, so that it is found. Tokens by a tokenizer (`tokenizer.ts`), then terms by filters
 * (`filters.ts`). A FUNCTION, which comes before both, is the caller's to run.
 */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { TwoGenerationCache } from '../base/two-generation-cache.js';
import { failure } from '../errors/error.js';
import type { AnalyzerFilter, DefineAnalyzer } from '../language/ast.js';
import { createFilter, type Filter, type Lemmas, type Term } from './filters.js';
import { createTokenizer, type Tokenizer } from './tokenizer.js';

/** A term with its place in the text. */
export interface TermAt extends Term {
  /** The token it was made of, in UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Asked between pieces of work; throws when it has to end. */
export type Pause = () => PromiseOrValue<void>;

export type AnalyzerParts = Pick<DefineAnalyzer, 'tokenizers' | 'filters'>;

/** Code units of a text, and terms, between two pauses; of a text whose tokens grow, so many at first. */
const PIECE = 16_384;
const TERMS = 4_096;
const FIRST_PIECE = 64;

/** What the terms of one text may have together, in code units: ngrams grow with the square of a token. */
export const MAX_TERM_UNITS = 2 ** 25;

/** What is remembered of words, in code units of words and terms. */
const REMEMBERED = 2 ** 19;
/** Longer tokens aren't remembered, nor those that become many terms. */
const LONGEST_REMEMBERED = 64;

const GRAMS: ReadonlySet<AnalyzerFilter['kind']> = new Set(['ngram', 'edgengram']);

/** What every analyzed value is given. */
export class Analyzer {
  readonly #tokenize: Tokenizer;
  readonly #filters: readonly Filter[];
  /** Terms by token: most tokens are words that have come before. */
  readonly #known = new TwoGenerationCache<string, readonly Term[]>(REMEMBERED, weightOf);
  readonly #parts: AnalyzerParts;
  readonly #lemmas: (path: string) => Lemmas;
  readonly #grows: boolean;
  #forQueries: Analyzer | undefined;

  /** `lemmas` reads the files that `mapper` names. @throws TesseraError whatever `lemmas` throws */
  constructor(parts: AnalyzerParts, lemmas: (path: string) => Lemmas) {
    const { tokenizers, filters } = parts;
    this.#parts = parts;
    this.#lemmas = lemmas;
    this.#grows = filters.some(({ kind }) => GRAMS.has(kind));
    this.#tokenize = createTokenizer({ tokenizers, keepsMarks: filters.some(({ kind }) => kind === 'nfc') });
    this.#filters = filters.map((filter) => createFilter(filter, lemmas));
  }

  /** The same for the text of a query: `ngram` and `edgengram` grow what is stored, and nothing else. */
  get forQueries(): Analyzer {
    const { tokenizers, filters } = this.#parts;
    const others = filters.filter(({ kind }) => !GRAMS.has(kind));
    this.#forQueries ??=
      others.length === filters.length ? this : new Analyzer({ tokenizers, filters: others }, this.#lemmas);
    return this.#forQueries;
  }

  /**
   * Hands the terms of a text to `visit`, in order.
   * @throws TesseraError `too_many_terms`; what `pause` throws
   */
  terms(text: string, pause: Pause, visit: (term: string) => void): PromiseOrValue<void> {
    return this.#walk(text, pause, (terms) => {
      for (const { term } of terms) visit(term);
    });
  }

  /** The same with their places. */
  termsAt(text: string, pause: Pause, visit: (term: TermAt) => void): PromiseOrValue<void> {
    return this.#walk(text, pause, (terms, start, end) => {
      for (const { term, at } of terms) visit({ term, at, start, end });
    });
  }

  #walk(
    text: string,
    pause: Pause,
    visit: (terms: readonly Term[], start: number, end: number) => void,
  ): PromiseOrValue<void> {
    let units = 0;
    let count = 0;
    const tokenizing = this.#tokenize(text, (start, end) => {
      const token = text.slice(start, end);
      const terms = this.#known.get(token) ?? this.#become(token, MAX_TERM_UNITS - units);
      for (const { term } of terms) units += term.length;
      if (units > MAX_TERM_UNITS) throw tooMany();
      count += terms.length;
      visit(terms, start, end);
    });
    // Of tokens that become many terms fewer are taken at a time.
    let piece = this.#grows ? FIRST_PIECE : PIECE;
    return untilTrue(() => {
      count = 0;
      if (tokenizing.run(piece)) return true;
      piece = Math.max(1, Math.min(PIECE, Math.floor((piece * TERMS) / Math.max(count, 1))));
      return andThen(pause(), () => false);
    });
  }

  #become(token: string, room: number): readonly Term[] {
    if (token.length > LONGEST_REMEMBERED) return this.#filtered(token, room);
    // A slice would keep the whole text in memory.
    const own = ` ${token}`.slice(1);
    const terms = this.#filtered(own, room);
    if (terms.length <= LONGEST_REMEMBERED) this.#known.set(own, terms);
    return terms;
  }

  #filtered(token: string, room: number): readonly Term[] {
    let terms: readonly Term[] = [{ term: token, at: 0 }];
    let units = 0;
    for (const filter of this.#filters) {
      const next: Term[] = [];
      const add = (term: Term): void => {
        units += term.term.length + 1;
        if (units > room) throw tooMany();
        next.push(term);
      };
      for (const each of terms) {
        if ('grams' in filter) {
          filter.grams(each, add);
          continue;
        }
        const term = filter.word(each.term);
        if (term !== undefined) next.push({ term, at: each.at });
      }
      terms = next;
    }
    return terms;
  }
}

function tooMany(): Error {
  return failure('too_many_terms', { most: MAX_TERM_UNITS });
}

function weightOf(token: string, terms: readonly Term[]): number {
  let weight = token.length + 16;
  for (const { term } of terms) weight += term.length + 16;
  return weight;
}
