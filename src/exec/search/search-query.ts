/** What the text of a MATCHES asks for, by the analyzer of an index; and which phrases of it a text holds. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { MatchesOperator } from '../../language/ast.js';
import type { Analyzer } from '../../search/analyzer.js';
import { kindOf, LETTER, NUMBER } from '../../search/characters.js';
import { type Phrase, plainQuery, type QueryTerm, type SearchQuery } from '../../search/query.js';
import { type QueryItem, queryError, readQueryText } from '../../search/query-text.js';
import type { Value } from '../../value/value.js';
import type { Execution } from '../runtime/execution.js';
import type { TextAnalyzer } from '../runtime/text-analyzer.js';

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
  const pause = () => execution.interrupt.checkpoint();
  return andThen(analyzer.source(text), (source) => {
    const done = analyzer.analyzer.forQueries.terms(source, pause, (term) => terms.push(term));
    return andThen(done, () => plainQuery(terms, operator));
  });
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
    const done = forEachInOrder(readQueryText(this.text), (item) =>
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
    return andThen(wordsOf(this.execution, this.analyzer.analyzer.forQueries, source), (words) => {
      const terms = words.map(({ term }) => ({ term, isPrefix: false }));
      const isOne = words.length < 2;
      if (!isExcluded) this.#terms.push(...terms);
      else if (isOne) this.#excluded.push(...terms);
      if (!isOne && (isExcluded || kind === 'phrase')) this.#phrases.push({ words, isExcluded });
    });
  }

  /** Of several words the last one is a beginning. */
  #prefix({ isExcluded, at }: QueryItem, source: string): PromiseOrValue<void> {
    const { analyzer } = this.analyzer;
    let last: { readonly term: string; readonly start: number } | undefined;
    const pause = () => this.execution.interrupt.checkpoint();
    const done = analyzer.forPrefixes.termsAt(source, pause, ({ term, start }) => {
      last = { term, start };
    });
    return andThen(done, () => {
      if (last === undefined || last.term === '') return;
      const prefix = { term: last.term, isPrefix: true };
      return andThen(wordsOf(this.execution, analyzer.forQueries, source.slice(0, last.start)), (words) => {
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

/** The terms of a text; those of words with their places among the words. */
function wordsOf(execution: Execution, analyzer: Analyzer, text: string): PromiseOrValue<Phrase['words']> {
  const words: { readonly term: string; readonly at: number | undefined }[] = [];
  let place = 0;
  const pause = () => execution.interrupt.checkpoint();
  const done = analyzer.tokens(text, pause, (terms, start, end) => {
    const at = isWord(text, start, end) ? place++ : undefined;
    for (const { term } of terms) words.push({ term, at });
  });
  return andThen(done, () => words);
}

/** Whether a token is more than punctuation and blanks. */
function isWord(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = kindOf(text.codePointAt(at) as number);
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
  const pause = () => execution.interrupt.checkpoint();
  const done = forEachInOrder(texts, (text) =>
    andThen(source(text), (analyzed) => {
      const places = new Map<string, Set<number | undefined>>();
      let place = 0;
      const walked = analyzer.tokens(analyzed, pause, (all, start, end) => {
        const at = isWord(analyzed, start, end) ? place++ : undefined;
        for (const { term } of all) {
          if (!terms.has(term)) continue;
          const known = places.get(term);
          if (known === undefined) places.set(term, new Set([at]));
          else known.add(at);
        }
      });
      return andThen(walked, () => {
        for (const phrase of phrases) if (isIn(phrase, places)) found.add(phrase);
        return undefined;
      });
    }),
  );
  return andThen(done, () => phrases.every((phrase) => found.has(phrase) !== phrase.isExcluded));
}

/** Terms that aren't words may stand anywhere in the text. */
function isIn({ words }: Phrase, places: ReadonlyMap<string, ReadonlySet<number | undefined>>): boolean {
  if (!words.every(({ term }) => places.has(term))) return false;
  const placed = words.flatMap(({ term, at }) => (at === undefined ? [] : { term, at }));
  const [first] = placed;
  if (first === undefined) return true;
  for (const start of places.get(first.term) ?? []) {
    if (start === undefined) continue;
    if (placed.every(({ term, at }) => places.get(term)?.has(start + at - first.at))) return true;
  }
  return false;
}
