/** What a query asks for, once its text is analyzed. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { DocumentTerms } from '../text/document-terms.js';

/** A term, or all terms with a prefix, which count as one. */
export interface QueryTerm {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** Terms of a text whose words follow one another: `at` is the place among them; marks between words have none. */
export interface Phrase {
  readonly words: readonly { readonly term: string; readonly at: number | undefined }[];
  readonly isExcluded: boolean;
}

export interface SearchQuery {
  /** In the order of the text, those of phrases among them; one that stands there twice counts twice in scores. */
  readonly terms: readonly QueryTerm[];
  /** Whether each of the terms has to occur, or any one of them. */
  readonly operator: 'AND' | 'OR';
  readonly excluded: readonly QueryTerm[];
  /** What terms alone don't decide. */
  readonly phrases: readonly Phrase[];
}

/** A query without syntax: terms as the analyzer gave them. */
export function plainQuery(terms: readonly string[], operator: SearchQuery['operator']): SearchQuery {
  return { terms: terms.map((term) => ({ term, isPrefix: false })), operator, excluded: [], phrases: [] };
}

/** A name for each term that there may be. No term has a zero character. */
export function nameOf({ term, isPrefix }: QueryTerm): string {
  return isPrefix ? `${term}\0` : term;
}

/** Occurrences of prefixes, of which a query may hold one many times. */
const sums = new WeakMap<DocumentTerms, Map<string, number>>();

/** How often a term occurs in a document. */
export function occurrencesOf({ term, isPrefix }: QueryTerm, document: DocumentTerms): number {
  const { counts } = document;
  if (!isPrefix) return counts.get(term) ?? 0;
  const known = sums.get(document) ?? new Map<string, number>();
  let sum = known.get(term);
  if (sum !== undefined) return sum;
  sum = 0;
  for (const [each, count] of counts) if (each.startsWith(term)) sum += count;
  sums.set(document, known.set(term, sum));
  return sum;
}

/** Comparisons of terms with prefixes in one step. */
const COMPARED = 65_536;

/** Counts the prefixes of a query in a document, step by step, so that `occurrencesOf` knows them. */
export function countPrefixes(
  { terms, excluded }: SearchQuery,
  document: DocumentTerms,
  work: Work,
): PromiseOrValue<void> {
  const asked = [...terms, ...excluded].flatMap(({ term, isPrefix }) => (isPrefix ? term : []));
  if (asked.length * document.counts.size <= COMPARED) return;
  const found = new Map(asked.map((prefix) => [prefix, 0]));
  const entries = document.counts.entries();
  const counted = untilTrue(() => {
    for (let left = COMPARED; left > 0; ) {
      const { value: entry, done } = entries.next();
      if (done === true) return true;
      const [term, count] = entry;
      for (const [prefix, sum] of found) if (term.startsWith(prefix)) found.set(prefix, sum + count);
      // Long terms take longer where their beginnings are equal.
      left -= found.size * (1 + (term.length >>> 4));
    }
    return andThen(work.checkpoint(), () => false);
  });
  return andThen(counted, () => {
    sums.set(document, found);
  });
}

/** Whether the terms of a document are those that are asked for; phrases are yet to be judged. */
export function holdsTerms({ terms, operator, excluded }: SearchQuery, document: DocumentTerms): boolean {
  if (terms.length === 0) return false;
  const has = (term: QueryTerm): boolean => occurrencesOf(term, document) > 0;
  return (operator === 'AND' ? terms.every(has) : terms.some(has)) && !excluded.some(has);
}
