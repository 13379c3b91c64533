/** Blanks are what Unicode calls white space; JavaScript's `\s` differs from it in U+0085 and U+FEFF. */

import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';

const BLANK = /\p{White_Space}/u;

function isBlank(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit > 0x20 && unit < 0x7f) return false;
  return BLANK.test(text.charAt(index));
}

/** Cuts blanks off at both ends. (A pattern for the end would take quadratic time.) */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

/** The words between blanks. */
export function wordsOf(text: string, work: Work): PromiseOrValue<string[]> {
  const words: string[] = [];
  const pattern = /\P{White_Space}+/gu;
  let from = 0;
  const step = (): PromiseOrValue<boolean> => {
    pattern.lastIndex = from;
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      words.push(found[0]);
      if (pattern.lastIndex - from < WORDS_A_STEP) continue;
      from = pattern.lastIndex;
      return andThen(work.checkpoint(), () => false);
    }
    return true;
  };
  return andThen(untilTrue(step), () => words);
}

/** Characters that are split into words in one step. */
const WORDS_A_STEP = 2 ** 14;
