/** Blanks are what Unicode calls white space; JavaScript's `\s` differs from it in U+0085 and U+FEFF. */

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

/** What stands between blanks. */
export function wordsOf(text: string): string[] {
  return text.match(/\P{White_Space}+/gu) ?? [];
}
