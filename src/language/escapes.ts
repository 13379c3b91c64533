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
    const letter = source[at + 1];
    if (letter === undefined) return undefined;
    const simple = ESCAPES[letter];
    if (simple !== undefined) {
      pieces.push(simple);
      at += 2;
    } else if (letter === 'u') {
      const match = UNICODE_ESCAPE.exec(source.slice(at, at + LONGEST_ESCAPE)) ?? noUnicodeEscape(source, at, fail);
      pieces.push(String.fromCodePoint(codePoint(match) ?? noCharacter(at, match[0], fail)));
      at += match[0].length;
    } else {
      fail('Invalid escape sequence', { start: at, end: at + 2, label: 'not a valid escape character' });
    }
    plainFrom = at;
  }
  return undefined;
}

/** Two escapes of a surrogate each. */
const LONGEST_ESCAPE = 12;

function noUnicodeEscape(source: string, at: number, fail: Fail): never {
  const braced = source[at + 2] === '{';
  const digits = at + (braced ? 3 : 2);
  const wrong = digits + (/^[0-9a-fA-F]{0,6}/.exec(source.slice(digits, digits + 6))?.[0].length ?? 0);
  const mark = { start: wrong, end: wrong + 1 };
  if (!braced) {
    const what = 'String contains invalid escape sequence, expected a hexadecimal character.';
    return fail(what, { ...mark, label: 'Unexpected character' });
  }
  return wrong - digits < 6
    ? fail('Invalid escape sequence, expected `}` or hexadecimal character.', {
        ...mark,
        label: 'Unexpected character',
      })
    : fail('Invalid escape sequence, expected `}` character.', { ...mark, label: 'Too many hex-digits' });
}

function noCharacter(at: number, escaped: string, fail: Fail): never {
  const what = escaped.includes('{') ? 'Invalid' : 'String contains invalid';
  return fail(`${what} escape sequence, unicode escape character is not a valid unicode character.`, {
    start: at,
    end: at + escaped.length,
    label: 'Not a valid character code',
  });
}

function codePoint(match: RegExpExecArray): number | undefined {
  const [, braced, high, low, plain] = match;
  if (high !== undefined && low !== undefined) {
    return 0x10000 + ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
  }
  const point = Number.parseInt(braced ?? plain ?? '', 16);
  return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? undefined : point;
}
