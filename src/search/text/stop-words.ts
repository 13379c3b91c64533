/** Words that are too frequent to be worth finding, by language. */
import { lazyLibrary } from '../../base/lazy.js';

type StopWords = typeof import('@orama/stopwords/english');

/** The stop words of a language, by its full English name in lower case. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return new Set(lazyLibrary<StopWords>(`@orama/stopwords/${language}`)().stopwords);
}
