/** The filters of analyzers: what they make of a token. */
import { lazyLibrary } from '../../base/lazy.js';
import { transliterated } from '../../base/transliterate.js';
import type { AnalyzerFilter } from '../../language/ast.js';

// Stemmers by language: the Snowball algorithms, as the reference engine has them.

const snowball = lazyLibrary<typeof import('snowball-stemmers')>('snowball-stemmers');
const greek = lazyLibrary<typeof import('@orama/stemmers/greek')>('@orama/stemmers/greek');

/** Longer words aren't words of a language; they stay as they are. */
const LONGEST = 255;

/** The stemmer of a language, by its full English name in lower case. It takes words in lower case. */
function stemmerOf(language: string): (word: string) => string {
  const stem = language === 'greek' ? greek().stemmer : snowballStemmer(language);
  return (word) => (word.length > LONGEST ? word : stem(word));
}

function snowballStemmer(language: string): (word: string) => string {
  const stemmer = snowball().newStemmer(language);
  return (word) => stemmer.stem(word);
}

/** What a token has become, and which part of it that covers. */
export interface Term {
  readonly term: string;
  /** Where in the token it begins, in code points. */
  readonly at: number;
}

/** Makes one term of another, or none. */
type WordFilter = (term: string) => string | undefined;

/**
 * Makes any number of terms of one, about `most` of them, from the place at which the last call stopped (0 at first).
 * Answers where the next call goes on; `undefined` at the end.
 */
type GramFilter = (term: Term, add: (term: Term) => void, from: number, most: number) => number | undefined;

export type Filter = { readonly word: WordFilter } | { readonly grams: GramFilter };

/** The lines of a file for `mapper`: lemmas by words. */
export type Lemmas = ReadonlyMap<string, string>;

type ByKind = {
  readonly [Kind in AnalyzerFilter['kind']]: (
    filter: Extract<AnalyzerFilter, { readonly kind: Kind }>,
    lemmas: (path: string) => Lemmas,
  ) => Filter;
};

const FILTERS: ByKind = {
  lowercase: () => ({ word: (term) => term.toLowerCase() }),
  uppercase: () => ({ word: (term) => term.toUpperCase() }),
  ascii: () => ({ word: toAscii }),
  nfc: () => ({ word: (term) => term.normalize('NFC') }),
  snowball: ({ language }) => {
    const stem = stemmerOf(language);
    return { word: (term) => stem(term.toLowerCase()) };
  },
  stopwords: ({ language }) => {
    const words = stopWordsOf(language);
    return { word: (term) => (words.has(term) ? undefined : term) };
  },
  mapper: ({ path }, lemmas) => {
    const known = lemmas(path);
    return { word: (term) => known.get(term) ?? term };
  },
  edgengram: ({ min, max }) => ({ grams: (term, add, from, most) => edgeGrams(term, { min, max, from, most }, add) }),
  ngram: ({ min, max }) => ({ grams: (term, add, from, most) => grams(term, { min, max, from, most }, add) }),
};

/** @throws TesseraError whatever `lemmas` throws */
export function createFilter(filter: AnalyzerFilter, lemmas: (path: string) => Lemmas): Filter {
  const make = FILTERS[filter.kind] as (filter: AnalyzerFilter, lemmas: (path: string) => Lemmas) => Filter;
  return make(filter, lemmas);
}

/** What filters make of a token of nothing but ASCII: itself, itself in lower case, or `undefined`: something else. */
export function ofAscii(filters: readonly AnalyzerFilter[]): 'same' | 'lower' | undefined {
  if (filters.some(({ kind }) => !KEEPING_ASCII.has(kind))) return undefined;
  return filters.some(({ kind }) => kind === 'lowercase') ? 'lower' : 'same';
}

const KEEPING_ASCII: ReadonlySet<AnalyzerFilter['kind']> = new Set(['lowercase', 'ascii', 'nfc']);

const ASCII = /^[\0-\x7f]*$/;

/** Character by character. What has no form in ASCII is left out, and blanks at the ends with it. */
function toAscii(term: string): string {
  if (ASCII.test(term)) return term;
  let ascii = '';
  for (const character of term) ascii += character < '\x80' ? character : transliterated(character);
  return ascii.trim();
}

/** Where the code points of a text begin, and where the last one ends, in UTF-16 code units. */
export function pointsOf(text: string): number[] {
  const points: number[] = [];
  for (let at = 0; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) points.push(at);
  points.push(text.length);
  return points;
}

interface GramRange {
  /** Lengths in code points. */
  readonly min: number;
  readonly max: number;
  readonly from: number;
  readonly most: number;
}

function edgeGrams({ term, at }: Term, { min, max, from, most }: GramRange, add: (term: Term) => void) {
  const points = pointsOf(term);
  const longest = Math.min(max, points.length - 1);
  const first = Math.max(min, from);
  const last = Math.min(longest, first + most - 1);
  for (let length = first; length <= last; length++) add({ term: term.slice(0, points[length]), at });
  return last < longest ? last + 1 : undefined;
}

function grams({ term, at }: Term, { min, max, from, most }: GramRange, add: (term: Term) => void) {
  const points = pointsOf(term);
  const count = points.length - 1;
  let left = most;
  for (let start = from; start + min <= count; start++) {
    if (left <= 0) return start;
    for (let length = min; length <= max && start + length <= count; length++, left--) {
      add({ term: term.slice(points[start], points[start + length]), at: at + start });
    }
  }
  return undefined;
}

// Words that are too frequent to be worth finding, by language.

type StopWords = typeof import('@orama/stopwords/english');

/** The stop words of a language, by its full English name in lower case. */
function stopWordsOf(language: string): ReadonlySet<string> {
  return new Set(lazyLibrary<StopWords>(`@orama/stopwords/${language}`)().stopwords);
}
