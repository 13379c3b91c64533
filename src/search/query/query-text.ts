/**
 * The texts of `@QUERY@`:
 *
 *     green tea       words that must all occur
 *     "green tea"     that follow one another
 *     gre*            words that begin so
 *     -tea -"green tea" -gre*     none of which may occur
 */
import { failure } from '../../errors/error.js';

export interface QueryItem {
  readonly kind: 'word' | 'phrase' | 'prefix';
  readonly text: string;
  readonly isExcluded: boolean;
  /** Where it begins, in UTF-16 code units. */
  readonly at: number;
}

const BLANKS = /\s+/y;
const WORD = /[^\s"]+/y;

/** At most `most` items. @throws TesseraError `search_query`, with the position */
export function readQueryText(text: string, most: number): readonly QueryItem[] {
  const items: QueryItem[] = [];
  for (let at = skipped(text, 0); at < text.length; at = skipped(text, at)) {
    if (items.length === most) throw queryError(text, at, `it has more than ${most} words and phrases`);
    const isExcluded = text[at] === '-';
    const from = isExcluded ? at + 1 : at;
    if (text[from] === '"') {
      const end = text.indexOf('"', from + 1);
      if (end < 0) throw queryError(text, from, 'the phrase has no closing `"`');
      items.push({ kind: 'phrase', text: text.slice(from + 1, end), isExcluded, at });
      at = end + 1;
      continue;
    }
    WORD.lastIndex = from;
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) throw queryError(text, at, 'expected a word or a phrase after `-`');
    const isPrefix = word.endsWith('*');
    if (word === '*') throw queryError(text, from, 'expected the beginning of a word before `*`');
    items.push({
      kind: isPrefix ? 'prefix' : 'word',
      text: isPrefix ? word.slice(0, -1) : word,
      isExcluded,
      at,
    });
    at = from + word.length;
  }
  if (items.length > 0 && items.every(({ isExcluded }) => isExcluded))
    throw queryError(text, 0, 'expected something to find besides what is excluded');
  return items;
}

function skipped(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(text)?.[0].length ?? 0);
}

/** Positions count characters, from 1. */
export function queryError(text: string, at: number, reason: string): Error {
  let position = 1;
  for (const _ of text.slice(0, at)) position++;
  return failure('search_query', { position, reason });
}
