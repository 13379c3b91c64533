/**
 * Analyzers: what a text becomes, so that it is found. Tokens by a tokenizer (`tokenizer.ts`), then terms by filters
 * (`filters.ts`). A FUNCTION, which comes before both, is the caller's to run.
 */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { failure } from '../../errors/error.js';
import type { AnalyzerFilter, DefineAnalyzer } from '../../language/ast.js';
import type { CountedTerms } from './document-terms.js';
import { createFilter, type Filter, type Lemmas, ofAscii, type Term } from './filters.js';
import { LONGEST_LEARNED, TermCounter } from './term-counter.js';
import { createTokenizer, loaded, type PlainTokens, plainTokens, SEGMENTING, type Tokenizer } from './tokenizer.js';

/** A term with its place in the text. */
export interface TermAt extends Term {
  /** The token it was made of, in UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

export type AnalyzerParts = Pick<DefineAnalyzer, 'tokenizers' | 'filters'>;

/** Code units of a text, and terms, between two checkpoints; of a text whose tokens grow, so many at first. */
const PIECE = 16_384;
const TERMS = 4_096;
const FIRST_PIECE = 64;

/** What the terms of one text may have together, in code units: ngrams grow with the square of a token. */
export const MAX_TERM_UNITS = 2 ** 25;

/** Terms that one token may become: chains of filters multiply them. */
const MAX_TERMS_OF_TOKEN = 2 ** 18;

/** What is remembered of words, in bytes; beyond that it is forgotten as a whole. */
const REMEMBERED = 16 * 2 ** 20;
/** Longer tokens aren't remembered, nor those that become many terms. */
const LONGEST_REMEMBERED = LONGEST_LEARNED;

/** What a word and a term take beside their characters. */
const OVERHEAD = 150;

const GRAMS: ReadonlySet<AnalyzerFilter['kind']> = new Set(['ngram', 'edgengram']);
/** These and others that make nothing sensible of a part of a word. */
const OF_WORDS: ReadonlySet<AnalyzerFilter['kind']> = new Set([...GRAMS, 'snowball', 'stopwords', 'mapper']);

/** What every analyzed value is given. */
export class Analyzer {
  readonly #tokenize: Tokenizer;
  readonly #plain: PlainTokens | undefined;
  readonly #filters: readonly Filter[];
  readonly #ofAscii: ReturnType<typeof ofAscii>;
  /** By token: most tokens are words that have come before. */
  #known = new Map<string, readonly Term[]>();
  #counter: TermCounter | undefined;
  /** Of all known tokens, and terms that have a number. */
  #weight = 0;
  readonly #parts: AnalyzerParts;
  readonly #lemmas: (path: string) => Lemmas;
  readonly #grows: boolean;
  /** Code units between two checkpoints. */
  readonly #piece: number;
  #forQueries: Analyzer | undefined;
  #forPrefixes: Analyzer | undefined;

  /** `lemmas` reads the files that `mapper` names. @throws TesseraError whatever `lemmas` throws */
  constructor(parts: AnalyzerParts, lemmas: (path: string) => Lemmas) {
    const { tokenizers, filters } = parts;
    this.#parts = parts;
    this.#lemmas = lemmas;
    this.#grows = filters.some(({ kind }) => GRAMS.has(kind));
    this.#piece = tokenizers.includes('segment') ? PIECE / SEGMENTING : PIECE;
    const options = { tokenizers, keepsMarks: filters.some(({ kind }) => kind === 'nfc') };
    this.#tokenize = createTokenizer(options);
    this.#plain = plainTokens(options);
    this.#ofAscii = ofAscii(filters);
    this.#filters = filters.map((filter) => createFilter(filter, lemmas));
  }

  /** The same for the text of a query: `ngram` and `edgengram` grow what is stored, and nothing else. */
  get forQueries(): Analyzer {
    this.#forQueries ??= this.#without(GRAMS);
    return this.#forQueries;
  }

  /** The same for the beginnings of words: filters that know whole words are left out. */
  get forPrefixes(): Analyzer {
    this.#forPrefixes ??= this.#without(OF_WORDS);
    return this.#forPrefixes;
  }

  #without(kinds: ReadonlySet<AnalyzerFilter['kind']>): Analyzer {
    const { tokenizers, filters } = this.#parts;
    const others = filters.filter(({ kind }) => !kinds.has(kind));
    return others.length === filters.length ? this : new Analyzer({ tokenizers, filters: others }, this.#lemmas);
  }

  /** Whether texts are short enough to be analyzed in one step. */
  isShort(texts: readonly string[]): boolean {
    if (this.#grows) return false;
    let units = 0;
    for (const text of texts) units += text.length;
    return units <= this.#piece;
  }

  /** The terms of short texts together. They hold until the next call. */
  countShort(texts: readonly string[]): CountedTerms {
    this.#forget();
    this.#counter ??= new TermCounter();
    const counter = this.#counter;
    counter.begin();
    for (const text of texts) {
      const from = this.#countPlain(counter, text);
      if (from < text.length) this.#countRest(counter, text, from);
    }
    return counter;
  }

  /** Answers up to where the terms of a text are counted. */
  #countPlain(counter: TermCounter, text: string): number {
    if (this.#plain === undefined) return 0;
    loaded.load(text, 0, text.length);
    return counter.countPlain(loaded.units, text.length, this.#plain, (start, end, hash) =>
      this.#countNew(counter, text, start, end, hash),
    );
  }

  #countRest(counter: TermCounter, text: string, from: number): void {
    const visit = (start: number, end: number, hash: number): void => {
      const { units, from: first } = loaded;
      if (!counter.count(units, start - first, end - first, hash)) this.#countNew(counter, text, start, end, hash);
    };
    this.#tokenize(text, visit, from).run(Number.POSITIVE_INFINITY);
  }

  #countNew(counter: TermCounter, text: string, start: number, end: number, hash: number): void {
    const { dictionary } = counter;
    const { size, bytes } = dictionary;
    const { units, from } = loaded;
    const isAscii =
      this.#ofAscii !== undefined &&
      this.#weight <= REMEMBERED &&
      counter.countAscii(units, start - from, end - from, hash, this.#ofAscii === 'lower');
    if (isAscii) this.#weight += 2 * (end - start) + OVERHEAD;
    else this.#countFiltered(counter, copyOf(text, start, end), hash);
    this.#weight += (dictionary.size - size) * OVERHEAD + (dictionary.bytes - bytes) * 4;
  }

  #countFiltered(counter: TermCounter, token: string, hash: number): void {
    const terms = this.#filtered(token, MAX_TERM_UNITS);
    const numbers = counter.countNew(terms);
    if (!this.#isRemembered(token.length, terms)) return;
    counter.learn(token, hash, numbers);
    this.#weight += 2 * token.length + numbers.length * OVERHEAD;
  }

  /**
   * Hands the terms of a text to `visit`, in order.
   * @throws TesseraError `too_many_terms`; what `work` throws
   */
  terms(text: string, work: Work, visit: (term: string) => void): PromiseOrValue<void> {
    return this.tokens(text, work, (terms) => {
      for (const { term } of terms) visit(term);
    });
  }

  /** The same with their places. */
  termsAt(text: string, work: Work, visit: (term: TermAt) => void): PromiseOrValue<void> {
    return this.tokens(text, work, (terms, start, end) => {
      for (const { term, at } of terms) visit({ term, at, start, end });
    });
  }

  /** The same token by token, those included that become no terms. */
  tokens(
    text: string,
    work: Work,
    visit: (terms: readonly Term[], start: number, end: number) => void,
  ): PromiseOrValue<void> {
    this.#forget();
    let units = 0;
    let count = 0;
    const take = (terms: readonly Term[], start: number, end: number): void => {
      for (const { term } of terms) units += term.length;
      if (units > MAX_TERM_UNITS) throw tooMany();
      count += terms.length;
      visit(terms, start, end);
    };
    /** From the first token on that becomes many terms, which takes steps of its own. */
    const waiting: [start: number, end: number][] = [];
    const tokenizing = this.#tokenize(text, (start, end) => {
      if (waiting.length > 0 || (this.#grows && end - start > LONGEST_REMEMBERED)) {
        waiting.push([start, end]);
        return;
      }
      const token = text.slice(start, end);
      take(this.#termsOf(token, MAX_TERM_UNITS - units), start, end);
    });
    const takeWaiting = (): PromiseOrValue<void> =>
      forEachInOrder(waiting.splice(0), ([start, end]) => {
        const filtering = new TokenFiltering(text.slice(start, end), this.#filters, MAX_TERM_UNITS - units);
        return andThen(
          untilTrue(() => filtering.run(TERMS) || andThen(work.checkpoint(), () => false)),
          () => {
            take(filtering.terms, start, end);
            return undefined;
          },
        );
      });
    // Of tokens that become many terms fewer are taken at a time.
    let piece = this.#grows ? FIRST_PIECE : this.#piece;
    return untilTrue(() => {
      count = 0;
      const ended = tokenizing.run(piece);
      return andThen(takeWaiting(), () => {
        if (ended) return true;
        piece = Math.max(1, Math.min(this.#piece, Math.floor((piece * TERMS) / Math.max(count, 1))));
        return andThen(work.checkpoint(), () => false);
      });
    });
  }

  #forget(): void {
    if (this.#weight <= REMEMBERED) return;
    this.#known = new Map();
    this.#counter = undefined;
    this.#weight = 0;
  }

  /** The terms of a token, which is remembered. */
  #termsOf(token: string, room: number): readonly Term[] {
    const known = this.#known.get(token);
    if (known !== undefined) return known;
    const own = copyOf(token, 0, token.length);
    const terms = this.#filtered(own, room);
    if (!this.#isRemembered(token.length, terms)) return terms;
    this.#known.set(own, terms);
    this.#weight += 2 * own.length + (1 + terms.length) * OVERHEAD;
    return terms;
  }

  #filtered(token: string, room: number): readonly Term[] {
    const filtering = new TokenFiltering(token, this.#filters, room);
    filtering.run(Number.POSITIVE_INFINITY);
    return filtering.terms;
  }

  /** Whether a token of so many code units is worth it. */
  #isRemembered(length: number, terms: readonly Term[]): boolean {
    const isLong = length > LONGEST_REMEMBERED || terms.length > LONGEST_REMEMBERED;
    return !isLong && this.#weight <= REMEMBERED;
  }
}

/** A part of a text that doesn't keep the whole in memory, as a slice would. */
function copyOf(text: string, start: number, end: number): string {
  return ` ${text.slice(start, end)}`.slice(1);
}

/** A token that passes through the filters. */
class TokenFiltering {
  readonly #filters: readonly Filter[];
  readonly #room: number;
  /** What the filters before have made, and what the present one has made so far. */
  #terms: readonly Term[];
  #next: Term[] = [];
  #filter = 0;
  /** The term that is filtered next, and where in it. */
  #at = 0;
  #from = 0;
  #units = 0;

  /** `room` is how long the terms may be together. */
  constructor(token: string, filters: readonly Filter[], room: number) {
    this.#filters = filters;
    this.#room = room;
    this.#terms = [{ term: token, at: 0 }];
  }

  /** What has become of the token. */
  get terms(): readonly Term[] {
    return this.#terms;
  }

  /** Makes about so many terms; answers whether all filters are done. @throws TesseraError `too_many_terms` */
  run(most: number): boolean {
    let left = most;
    for (let filter = this.#filters[this.#filter]; filter !== undefined; filter = this.#filters[this.#filter]) {
      for (; this.#at < this.#terms.length; this.#at++) {
        if (left <= 0) return false;
        const each = this.#terms[this.#at] as Term;
        if ('grams' in filter) {
          const before = this.#next.length;
          const from = filter.grams(each, this.#add, this.#from, left);
          left -= 1 + this.#next.length - before;
          this.#from = from ?? 0;
          if (from !== undefined) return false;
          continue;
        }
        const term = filter.word(each.term);
        if (term !== undefined) this.#next.push({ term, at: each.at });
        left--;
      }
      this.#terms = this.#next;
      this.#next = [];
      this.#units = 0;
      this.#at = 0;
      this.#filter++;
    }
    return true;
  }

  readonly #add = (term: Term): void => {
    this.#units += term.term.length + 1;
    if (this.#units > this.#room || this.#next.length >= MAX_TERMS_OF_TOKEN) throw tooMany();
    this.#next.push(term);
  };
}

function tooMany(): Error {
  return failure('too_many_terms', { most: MAX_TERM_UNITS });
}
