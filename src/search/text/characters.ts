/** The classes of characters by which texts are divided into tokens, judged per code point. */

export const OTHER = 1;
export const BLANK = 2;
export const LETTER = 3;
export const NUMBER = 4;
export const PUNCTUATION = 5;
/** Letters that are upper-case; `characterClass` gives `LETTER` for them. */
const UPPER = 6;
/** Marks that aren't alphabetic, such as combining accents; `characterClass` gives `OTHER` for them. */
const MARK = 7;

const ALPHABETIC = /^\p{Alphabetic}$/u;
const UPPERCASE = /^\p{Uppercase}$/u;
const NUMERIC = /^\p{N}$/u;
const WHITE_SPACE = /^\p{White_Space}$/u;
const COMBINING = /^\p{M}$/u;
const ASCII_PUNCTUATION = /^[!-/:-@[-`{-~]$/;

/** Of the basic plane, filled in as characters turn up; 0 is unknown. */
const known = new Uint8Array(0x1_0000);

function subclassOf(point: number): number {
  if (point > 0xffff) return classify(point);
  let found = known[point] as number;
  if (found === 0) {
    found = classify(point);
    known[point] = found;
  }
  return found;
}

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (ASCII_PUNCTUATION.test(character)) return PUNCTUATION;
  if (WHITE_SPACE.test(character)) return BLANK;
  if (ALPHABETIC.test(character)) return UPPERCASE.test(character) ? UPPER : LETTER;
  if (NUMERIC.test(character)) return NUMBER;
  return COMBINING.test(character) ? MARK : OTHER;
}

/** The class of each subclass. */
const CLASSES = Uint8Array.of(OTHER, OTHER, BLANK, LETTER, NUMBER, PUNCTUATION, LETTER, OTHER);

/** `OTHER`, `BLANK`, `LETTER`, `NUMBER` or `PUNCTUATION` (ASCII). Lone surrogates are `OTHER`. */
export function characterClass(point: number): number {
  return CLASSES[subclassOf(point)] as number;
}

export function isUpper(point: number): boolean {
  return subclassOf(point) === UPPER;
}

/** Whether a character is a combining mark, alphabetic or not. */
export function isMark(point: number): boolean {
  const found = subclassOf(point);
  return found === MARK || (found === LETTER && point >= 0x300 && COMBINING.test(String.fromCodePoint(point)));
}
