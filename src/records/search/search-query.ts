/** What the text of a MATCHES asks for, by the analyzer of an index; and which phrases of it a text holds. */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { MatchesOperator } from '../../language/ast.js';
import { chargedWork } from '../../runtime/charged-work.js';
import type { Execution } from '../../runtime/execution.js';
import type { TextAnalyzer } from '../../runtime/text-analyzer.js';
import { type Phrase, plainQuery, type QueryTerm, type SearchQuery } from '../../search/query/query.js';
import { type QueryItem, queryError, readQueryText } from '../../search/query/query-text.js';
import { characterClass, LETTER, NUMBER } from '../../search/text/characters.js';
import type { Value } from '../../value/value.js';

/** Terms of a query, and beginnings of words in it: each of the latter is compared with all terms of a text. */
const MOST_TERMS = 16_384;
const MOST_PREFIXES = 32;

/** What isn't text has no terms, and finds nothing. @throws TesseraError `search_query`, what the analyzer throws */
export function searchQueryOf(
  execution: Execution,
  analyzer: TextAnalyzer,
  text: Value,
  { operator = 'AND' }: MatchesOperator,
): PromiseOrValue<SearchQuery> {
  if (operator === 'QUERY') {
    return typeof text === 'string' ? new QueryReading(execution, analyzer, text).read() : plainQuery([], 'AND');
  }
  if (typeof text !== 'string') return plainQuery([], operator);
  const terms: string[] = [];
  const work = execution.interrupt;
  return andThen(analyzer.source(text), (source) => {
    const done = analyzer.analyzer.forQueries.terms(source, work, (term) => {
      if (terms.push(term) > MOST_TERMS) throw tooManyTerms(text);
    });
    return andThen(done, () => plainQuery(terms, operator));
  });
}

function tooManyTerms(text: string): Error {
  return queryError(text, 0, `it has more than ${MOST_TERMS} terms`);
}

class QueryReading {
  readonly #terms: QueryTerm[] = [];
  readonly #excluded: QueryTerm[] = [];
  readonly #phrases: Phrase[] = [];

  constructor(
    private readonly execution: Execution,
    private readonly analyzer: TextAnalyzer,
    private readonly text: string,
  ) {}

  read(): PromiseOrValue<SearchQuery> {
    const items = readQueryText(this.text, MOST_TERMS);
    const prefixes = new Map(items.flatMap(({ kind, text, at }) => (kind === 'prefix' ? [[text, at]] : [])));
    const [, at] = [...prefixes][MOST_PREFIXES] ?? [];
    if (at !== undefined) throw queryError(this.text, at, `more than ${MOST_PREFIXES} beginnings of words`);
    const done = forEachInOrder(items, (item) =>
      andThen(this.analyzer.source(item.text), (source) =>
        andThen(item.kind === 'prefix' ? this.#prefix(item, source) : this.#words(item, source), () => undefined),
      ),
    );
    return andThen(done, () => ({
      terms: this.#terms,
      operator: 'AND' as const,
      excluded: this.#excluded,
      phrases: this.#phrases,
    }));
  }

  #words({ kind, isExcluded }: QueryItem, source: string): PromiseOrValue<void> {
    return andThen(this.#wordsOf(source), (words) => {
      const terms = words.map(({ term }) => ({ term, isPrefix: false }));
      const isOne = words.length < 2;
      if (!isExcluded) this.#terms.push(...terms);
      else if (isOne) this.#excluded.push(...terms);
      if (!isOne && (isExcluded || kind === 'phrase')) this.#phrases.push({ words, isExcluded });
    });
  }

  /** The terms of a text; those of words with their places among the words. */
  #wordsOf(text: string): PromiseOrValue<Phrase['words']> {
    const words: { readonly term: string; readonly at: number | undefined }[] = [];
    let place = 0;
    const work = this.execution.interrupt;
    const done = this.analyzer.analyzer.forQueries.tokens(text, work, (terms, start, end) => {
      const at = isWord(text, start, end) ? place++ : undefined;
      for (const { term } of terms) {
        if (words.push({ term, at }) + this.#terms.length > MOST_TERMS) throw tooManyTerms(this.text);
      }
    });
    return andThen(done, () => words);
  }

  /** Of several words the last one is a beginning. */
  #prefix({ isExcluded, at }: QueryItem, source: string): PromiseOrValue<void> {
    const { analyzer } = this.analyzer;
    let last: { readonly term: string; readonly start: number } | undefined;
    const work = this.execution.interrupt;
    const done = analyzer.forPrefixes.termsAt(source, work, ({ term, start }) => {
      last = { term, start };
    });
    return andThen(done, () => {
      if (last === undefined || last.term === '') return;
      const prefix = { term: last.term, isPrefix: true };
      return andThen(this.#wordsOf(source.slice(0, last.start)), (words) => {
        if (isExcluded && words.length > 0)
          throw queryError(this.text, at, 'the beginning of a word that is excluded must be one word');
        (isExcluded ? this.#excluded : this.#terms).push(
          ...words.map(({ term }) => ({ term, isPrefix: false })),
          prefix,
        );
      });
    });
  }
}

/** Whether a token is more than punctuation and blanks. */
function isWord(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = characterClass(text.codePointAt(at) as number);
    if (kind === LETTER || kind === NUMBER) return true;
  }
  return false;
}

/** Whether texts hold the phrases that are asked for, each in one of them, and none that is excluded. */
export function holdsPhrases(
  execution: Execution,
  { analyzer, source }: TextAnalyzer,
  texts: readonly string[],
  { phrases }: SearchQuery,
): PromiseOrValue<boolean> {
  const terms = new Set(phrases.flatMap(({ words }) => words.map(({ term }) => term)));
  const found = new Set<Phrase>();
  const done = forEachInOrder(texts, (text) =>
    andThen(source(text), (analyzed) => {
      const places = new Map<string, Set<number | undefined>>();
      let place = 0;
      let kept = 0;
      const work = chargedWork(execution, () => kept);
      const visit = (all: readonly { readonly term: string }[], start: number, end: number): void => {
        const at = isWord(analyzed, start, end) ? place++ : undefined;
        for (const { term } of all) {
          if (!terms.has(term)) continue;
          kept++;
          const known = places.get(term);
          if (known === undefined) places.set(term, new Set([at]));
          else known.add(at);
        }
      };
      const compare = () =>
        forEachInOrder(phrases, (phrase) =>
          andThen(isIn(execution, phrase, places), (isFound) => {
            if (isFound) found.add(phrase);
            return undefined;
          }),
        );
      const compared = execution.request.memory.within(() => andThen(analyzer.tokens(analyzed, work, visit), compare));
      return andThen(compared, () => undefined);
    }),
  );
  return andThen(done, () => phrases.every((phrase) => found.has(phrase) !== phrase.isExcluded));
}

/** Places of words that are compared at once. */
const COMPARED = 8_192;

/** Terms that aren't words may stand anywhere in the text. */
function isIn(
  execution: Execution,
  { words }: Phrase,
  places: ReadonlyMap<string, ReadonlySet<number | undefined>>,
): PromiseOrValue<boolean> {
  if (!words.every(({ term }) => places.has(term))) return false;
  const placed = words.flatMap(({ term, at }) => (at === undefined ? [] : { term, at }));
  const [first] = placed;
  if (first === undefined) return true;
  const starts = places.get(first.term)?.values() ?? [].values();
  let start = starts.next();
  /** Words that follow one another from `start` on. */
  let matched = 0;
  const compared = untilTrue(() => {
    for (let left = COMPARED; left > 0; left--) {
      const word = placed[matched];
      if (start.done === true || word === undefined) return true;
      if (places.get(word.term)?.has((start.value as number) + word.at - first.at)) matched++;
      else {
        start = starts.next();
        matched = 0;
      }
    }
    return andThen(execution.interrupt.checkpoint(), () => false);
  });
  return andThen(compared, () => matched === placed.length);
}
