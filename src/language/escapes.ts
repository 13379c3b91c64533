/** Escapes in strings and quoted names, such as `\n` and `\u{1f600}`. */
import type { Mark } from './source-error.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '0': '\0',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A braced code point, a pair of surrogates, or four digits. */
const UNICODE_ESCAPE =
  /^\\u(?:\{([0-9a-fA-F]{1,6})\}|([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|([0-9a-fA-F]{4}))/;

const BACKSLASH = 92;

type Fail = (what: string, mark: Mark) => never;

/**
 * Decodes the text that begins at `from`, has its first backslash at `firstEscape` and ends at the quote; gives it with the offset
 * behind the quote, or `undefined` if there is none.
 */
export function decodeEscapes(
  source: string,
  from: number,
  firstEscape: number,
  quote: number,
  fail: Fail,
): { readonly text: string; readonly end: number } | undefined {
  const pieces: string[] = [];
  let plainFrom = from;
  let at = firstEscape;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (code === quote) return { text: pieces.join('') + source.slice(plainFrom, at), end: at + 1 };
    if (code !== BACKSLASH) {
      at++;
      continue;
    }
    if (at > plainFrom) pieces.push(source.slice(plainFrom, at));
    const decoded = escapeAt(source, at);
    if (decoded.fault !== undefined) {
      // That a text has no end is told before what is wrong in it.
      return hasEnd(source, at, quote) ? fail(decoded.fault.what, decoded.fault) : undefined;
    }
    pieces.push(decoded.text);
    at += decoded.length;
    plainFrom = at;
  }
  return undefined;
}

/**
 * Where in the source the character stands that has an offset in the decoded text; `from` is where that text begins.
 * `'a\\u{62}c'`: the offsets 0, 1, 2, 3 of `abc` are 1, 2, 8, 9.
 */
export function sourceOffset(source: string, from: number, offset: number): number {
  let at = from;
  for (let left = offset; left > 0; ) {
    const decoded = source.charCodeAt(at) === BACKSLASH ? escapeAt(source, at) : PLAIN;
    at += decoded.length;
    left -= Math.max(1, decoded.text.length);
  }
  return at;
}

/** An escape: what it stands for and how many characters it has in the source, or what is wrong with it. */
type Escape =
  | { readonly text: string; readonly length: number; readonly fault?: undefined }
  | { readonly text: ''; readonly length: number; readonly fault: Mark & { readonly what: string } };

/** A character that stands for itself. */
const PLAIN: Escape = { text: ' ', length: 1 };

/** Two escapes of a surrogate each. */
const LONGEST_ESCAPE = 12;

/** The escape whose backslash stands at `at`. */
function escapeAt(source: string, at: number): Escape {
  const letter = source[at + 1] ?? '';
  const simple = ESCAPES[letter];
  if (simple !== undefined) return { text: simple, length: 2 };
  if (letter !== 'u') {
    const mark = { start: at, end: at + 2, label: 'not a valid escape character' };
    return { text: '', length: 2, fault: { what: 'Invalid escape sequence', ...mark } };
  }
  const match = UNICODE_ESCAPE.exec(source.slice(at, at + LONGEST_ESCAPE));
  if (match === null) return { text: '', length: 2, fault: noUnicodeEscape(source, at) };
  const [{ length }] = match;
  const point = codePoint(match);
  return point === undefined
    ? { text: '', length, fault: noCharacter(at, match[0]) }
    : { text: String.fromCodePoint(point), length };
}

/** Whether the quote comes behind `at`, where a backslash stands. */
function hasEnd(source: string, at: number, quote: number): boolean {
  for (let offset = at; offset < source.length; offset++) {
    const code = source.charCodeAt(offset);
    if (code === quote) return true;
    if (code === BACKSLASH) offset++;
  }
  return false;
}

function noUnicodeEscape(source: string, at: number): Mark & { readonly what: string } {
  const braced = source[at + 2] === '{';
  const digits = at + (braced ? 3 : 2);
  const wrong = digits + (/^[0-9a-fA-F]{0,6}/.exec(source.slice(digits, digits + 6))?.[0].length ?? 0);
  const mark = { start: wrong, end: wrong + 1, label: 'Unexpected character' };
  if (!braced) return { what: 'String contains invalid escape sequence, expected a hexadecimal character.', ...mark };
  if (wrong - digits < 6) return { what: 'Invalid escape sequence, expected `}` or hexadecimal character.', ...mark };
  const label = /[0-9a-fA-F]/.test(source[wrong] ?? '') ? 'Too many hex-digits' : 'Unexpected character';
  return { what: 'Invalid escape sequence, expected `}` character.', ...mark, label };
}

function noCharacter(at: number, escaped: string): Mark & { readonly what: string } {
  const kind = escaped.includes('{') ? 'Invalid' : 'String contains invalid';
  return {
    what: `${kind} escape sequence, unicode escape character is not a valid unicode character.`,
    start: at,
    end: at + escaped.length,
    label: 'Not a valid character code',
  };
}

function codePoint(match: RegExpExecArray): number | undefined {
  const [, braced, high, low, plain] = match;
  if (high !== undefined && low !== undefined) {
    return 0x10000 + ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
  }
  const point = Number.parseInt(braced ?? plain ?? '', 16);
  return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? undefined : point;
}
