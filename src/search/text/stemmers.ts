/** Stemmers by language: the Snowball algorithms, as the reference engine has them. */
import { lazyLibrary } from '../../base/lazy.js';

const snowball = lazyLibrary<typeof import('snowball-stemmers')>('snowball-stemmers');
const greek = lazyLibrary<typeof import('@orama/stemmers/greek')>('@orama/stemmers/greek');

/** Longer words aren't words of a language; they stay as they are. */
const LONGEST = 255;

/** The stemmer of a language, by its full English name in lower case. It takes words in lower case. */
export function stemmerOf(language: string): (word: string) => string {
  const stem = language === 'greek' ? greek().stemmer : snowballStemmer(language);
  return (word) => (word.length > LONGEST ? word : stem(word));
}

function snowballStemmer(language: string): (word: string) => string {
  const stemmer = snowball().newStemmer(language);
  return (word) => stemmer.stem(word);
}
