/** Escapes in strings and quoted names, such as `\n` and `\u{1f600}`. */
import { Buffer } from 'node:buffer';
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

/** The same by character code: the code of the denoted character plus one, or 0. */
const CODES = new Uint8Array(128);
for (const [letter, text] of Object.entries(ESCAPES)) CODES[letter.charCodeAt(0)] = text.charCodeAt(0) + 1;

/** A braced code point, a pair of surrogates, or four digits. */
const UNICODE_ESCAPE =
  /^\\u(?:\{([0-9a-fA-F]{1,6})\}|([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|([0-9a-fA-F]{4}))/;

const BACKSLASH = 92;
const SMALL_U = 117;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const LAST_POINT = 0x10ffff;

type Fail = (what: string, mark: Mark) => never;

/**
 * Decodes the string that begins at `from`, has its first backslash at `firstEscape` and ends at the quote; returns it
 * with the offset after the quote, or `undefined` if there is none.
 */
export function decodeEscapes(
  source: string,
  from: number,
  firstEscape: number,
  quote: number,
  fail: Fail,
): { readonly text: string; readonly end: number } | undefined {
  const decoded = new DecodedText();
  let plainFrom = from;
  let at = firstEscape;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (code === quote) {
      decoded.add(source, plainFrom, at);
      return { text: decoded.finish(), end: at + 1 };
    }
    if (code !== BACKSLASH) {
      at++;
      continue;
    }
    decoded.add(source, plainFrom, at);
    const letter = source.charCodeAt(at + 1);
    const simple = letter < CODES.length ? (CODES[letter] as number) : 0;
    if (simple > 0) {
      decoded.addCode(simple - 1);
      at += 2;
    } else {
      const character = letter === SMALL_U ? hexadecimalAt(source, at + 2) : undefined;
      if (character !== undefined) {
        decoded.addPoint(character.point);
        at = character.end;
      } else {
        const other = escapeAt(source, at);
        if (other.fault !== undefined) {
          // A missing end is reported before other errors in the string.
          return hasEnd(source, at, quote) ? fail(other.fault.what, other.fault) : undefined;
        }
        decoded.addPoint(other.text.codePointAt(0) as number);
        at += other.length;
      }
    }
    plainFrom = at;
  }
  return undefined;
}

/**
 * The source position of the character at an offset of the decoded string, which begins at `from`. `'a\\u{62}c'`: the
 * offsets 0, 1, 2, 3 of `abc` are 1, 2, 8, 9.
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

/** An escape: its value and its length in the source, or its error. */
type Escape =
  | { readonly text: string; readonly length: number; readonly fault?: undefined }
  | { readonly text: ''; readonly length: number; readonly fault: Mark & { readonly what: string } };

/** A character without special meaning. */
const PLAIN: Escape = { text: ' ', length: 1 };

/** Two escapes, each of a surrogate. */
const LONGEST_ESCAPE = 12;

/** The escape whose backslash is at `at`. */
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

/**
 * The character whose digits begin at `at`, braced or four of them. Difficult cases, such as surrogate pairs and
 * errors, are left to `escapeAt`, which is ten times as slow.
 */
function hexadecimalAt(source: string, at: number): { readonly point: number; readonly end: number } | undefined {
  const braced = source.charCodeAt(at) === OPENING_BRACE;
  const first = braced ? at + 1 : at;
  const most = first + (braced ? 6 : 4);
  let point = 0;
  let end = first;
  for (; end < most; end++) {
    const digit = hexadecimalDigit(source.charCodeAt(end));
    if (digit === undefined) break;
    point = point * 16 + digit;
  }
  const isWhole = braced ? end > first && source.charCodeAt(end) === CLOSING_BRACE : end === most;
  if (!isWhole || point > LAST_POINT || isSurrogate(point)) return undefined;
  return { point, end: braced ? end + 1 : end };
}

function hexadecimalDigit(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : undefined;
}

function isSurrogate(point: number): boolean {
  return point >= FIRST_SURROGATE && point <= LAST_SURROGATE;
}

/** Longer stretches without escapes are sliced from the source. */
const SHORT = 32;
/** Characters converted to a string at once. */
const CHUNK = 4096;

/** The characters collected for the next chunk. One string is decoded at a time. */
const collected = new Uint16Array(CHUNK);
const collectedBytes = Buffer.from(collected.buffer);
/** Fewer characters are converted faster without leaving JavaScript. */
const FEW = 64;

/**
 * A string built from slices of the source and single characters; appending each separately would be ten times as slow.
 */
class DecodedText {
  #pieces: string[] | undefined;
  #count = 0;

  /** The characters `from` to `to` (exclusive) of the source. */
  add(source: string, from: number, to: number): void {
    if (to - from > SHORT) {
      this.#flush().push(source.slice(from, to));
    } else for (let at = from; at < to; at++) this.addCode(source.charCodeAt(at));
  }

  addCode(code: number): void {
    collected[this.#count++] = code;
    if (this.#count === CHUNK) this.#flush();
  }

  addPoint(point: number): void {
    if (point < 0x10000) {
      this.addCode(point);
    } else {
      this.addCode(FIRST_SURROGATE + ((point - 0x10000) >> 10));
      this.addCode(0xdc00 + ((point - 0x10000) & 0x3ff));
    }
  }

  finish(): string {
    return this.#pieces === undefined ? this.#text() : this.#flush().join('');
  }

  #flush(): string[] {
    this.#pieces ??= [];
    if (this.#count > 0) this.#pieces.push(this.#text());
    this.#count = 0;
    return this.#pieces;
  }

  #text(): string {
    if (this.#count > FEW) return collectedBytes.toString('utf16le', 0, 2 * this.#count);
    let text = '';
    for (let at = 0; at < this.#count; at++) text += String.fromCharCode(collected[at] as number);
    return text;
  }
}

/** Whether the closing quote follows the backslash at `at`. */
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
  return point > LAST_POINT || isSurrogate(point) ? undefined : point;
}
