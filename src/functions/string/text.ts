/** `string::` functions that search, cut and change texts. */
import type { RE2JS } from 're2js';
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { transliterated } from '../../base/transliterate.js';
import type { Work } from '../../base/work/work.js';
import { TesseraError } from '../../errors/error.js';
import { compileRegex, matcherOf } from '../../value/regex.js';
import { toDisplay, toErrorText } from '../../value/text/text.js';
import { finderOf, includesText } from '../../value/text-search.js';
import { Regex, type Value } from '../../value/value.js';
import { checkDisplayed, joinTexts } from '../array/join.js';
import { sliceOf } from '../array/slice.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionContext, FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { checkInput, IN_PIECES, MAX_INPUT, TEXTS } from '../calls/input-limit.js';
import { checkLength, limitedText } from '../calls/output-limit.js';
import { any, integer, optional, rest, text } from '../calls/parameters.js';
import { codePointCount, countCodePoints, sliceCodePoints } from './code-points.js';
import { encodeHtml, sanitizeHtml } from './html.js';
import { forEachPiece, mapPieces } from './text-pieces.js';

export const textFunctions: readonly FunctionRow[] = [
  define(
    'string::capitalize',
    [text('string')],
    'string',
    'Makes the first letter of each word a capital one.',
    (string) => string.replace(/(?<!\P{White_Space})\P{White_Space}/gu, (letter) => letter.toUpperCase()),
  ),
  define(
    'string::concat',
    [rest(any('value'))],
    'string',
    'Puts values together as one text.',
    (values, context) => joinTexts('string::concat', '', values, context),
    IN_PIECES,
  ),
  define(
    'string::contains',
    [text('string'), text('part')],
    'bool',
    'Whether a text holds another.',
    (string, part) => includesText(string, part),
    TEXTS,
  ),
  define(
    'string::ends_with',
    [text('string'), text('end')],
    'bool',
    'Whether a text ends with another.',
    (string, end) => string.endsWith(end),
    TEXTS,
  ),
  define(
    'string::html::encode',
    [text('string')],
    'string',
    'Encodes everything that means something in HTML.',
    (string, context) => mapPieces(string, context, encodeHtml),
    IN_PIECES,
  ),
  define(
    'string::html::sanitize',
    [text('html')],
    'string',
    'Keeps only harmless tags and attributes of a piece of HTML.',
    (html) => {
      checkLength('string::html::sanitize', html.length);
      return sanitizeHtml(html);
    },
    // Several microseconds for each character of what is nothing but tags.
    { largest: 2 ** 12 },
  ),
  define(
    'string::join',
    [any('separator'), rest(any('value'))],
    'string',
    'Puts values together as one text, with a separator between them.',
    (separator, values, context) => {
      checkDisplayed('string::join', separator);
      return joinTexts('string::join', toDisplay(separator), values, context);
    },
    IN_PIECES,
  ),
  define(
    'string::len',
    [text('string')],
    'int',
    'Counts the characters (Unicode code points).',
    (string, context) => countCodePoints(string, context),
    IN_PIECES,
  ),
  define(
    'string::lowercase',
    [text('string')],
    'string',
    'Makes all letters small.',
    (string) => string.toLowerCase(),
    TEXTS,
  ),
  define(
    'string::matches',
    [text('string'), any('pattern')],
    'bool',
    'Whether a regular expression matches anywhere in a text.',
    (string, pattern) => matcherOf(patternOf('string::matches', 2, pattern), string).find(),
    IN_PIECES,
  ),
  define(
    'string::repeat',
    [text('string'), integer('count')],
    'string',
    'Repeats a text.',
    (string, count) => {
      if (string === '') return string;
      const times = Number(count);
      // A negative count is read as a huge one, as the reference engine does.
      checkLength('string::repeat', times < 0 ? Number.POSITIVE_INFINITY : Buffer.byteLength(string) * times);
      return string.repeat(times);
    },
    TEXTS,
  ),
  define(
    'string::replace',
    [text('string'), any('search'), text('replacement')],
    'string',
    'Replaces every occurrence of a text, or every match of a regular expression.',
    replace,
    IN_PIECES,
  ),
  define(
    'string::reverse',
    [text('string')],
    'string',
    'SerialQueue the order of the characters round.',
    (string, context) => reverse(string, context),
    IN_PIECES,
  ),
  {
    name: 'string::slice',
    parameters: [text('string'), optional(any('start')), optional(integer('end'))],
    returns: 'string',
    description:
      'The characters from a start to before an end, each counted from the end if negative; or those in a range.',
    ...TEXTS,
    run: ([value, ...bounds]) => {
      const string = value as string;
      // Sic: the reference engine's errors name another function.
      const { start, end } = sliceOf('array::slice', codePointCount(string), bounds);
      return sliceCodePoints(string, start, end);
    },
  },
  define(
    'string::slug',
    [text('string')],
    'string',
    'Makes a text fit for URLs: lower-case ASCII with hyphens.',
    (string) => {
      checkLength('string::slug', string.length);
      return slug(string);
    },
  ),
  define(
    'string::split',
    [text('string'), text('separator')],
    'array<string>',
    'Cuts a text at a separator.',
    (string, separator, context) => split('string::split', string, separator, context, () => {}),
    IN_PIECES,
  ),
  define(
    'string::starts_with',
    [text('string'), text('start')],
    'bool',
    'Whether a text begins with another.',
    (string, start) => string.startsWith(start),
    TEXTS,
  ),
  define('string::trim', [text('string')], 'string', 'Cuts off blanks at both ends.', (string) => trim(string)),
  define(
    'string::uppercase',
    [text('string')],
    'string',
    'Makes all letters capital.',
    (string) => string.toUpperCase(),
    TEXTS,
  ),
  define('string::words', [text('string')], 'array<string>', 'Cuts a text at blanks.', wordsOf, IN_PIECES),
];

const REPLACE = 'string::replace';

function replace(string: string, search: Value, replacement: string, context: FunctionContext): PromiseOrValue<string> {
  if (search instanceof Regex) return replaceMatches(string, search, replacement, context);
  if (typeof search !== 'string') {
    throw invalidArguments(
      REPLACE,
      `Argument 2 was the wrong type. Expected a string but found ${toErrorText(search)}`,
    );
  }
  let length = 0;
  return andThen(
    split(REPLACE, string, search, context, (part) => {
      length += part.length + replacement.length;
      checkLength(REPLACE, length - replacement.length);
    }),
    (parts) => limitedText(REPLACE, parts.join(replacement)),
  );
}

/**
 * The replacement is plain text: `$1` means itself. One match is found in linear time, but there may be as many as
 * characters, and the search for each may go to the end.
 */
function replaceMatches(
  string: string,
  search: Regex,
  replacement: string,
  context: FunctionContext,
): PromiseOrValue<string> {
  const matcher = matcherOf(patternOf(REPLACE, 2, search), string);
  let result = '';
  let from = 0;
  const step = () => {
    if (!matcher.find()) return true;
    // An empty match directly behind a match is skipped.
    if (from > 0 && matcher.start() === from && matcher.end() === from) return false;
    result += string.slice(from, matcher.start()) + replacement;
    from = matcher.end();
    checkLength(REPLACE, result.length);
    return andThen(context.checkpoint(), () => false);
  };
  return andThen(untilTrue(step), () => limitedText(REPLACE, result + string.slice(from)));
}

/** An empty separator cuts around each character, also before the first and after the last. */
function split(
  name: string,
  string: string,
  separator: string,
  work: Work,
  check: (part: string) => void,
): PromiseOrValue<string[]> {
  if (separator === '') {
    checkInput(name, string.length, MAX_INPUT);
    const parts = ['', ...Array.from(string), ''];
    for (const part of parts) check(part);
    return parts;
  }
  const find = finderOf(string, separator);
  const parts: string[] = [];
  const keep = (part: string) => {
    check(part);
    parts.push(part);
  };
  let from = 0;
  const step = () => {
    for (let cut = 0; cut < CUTS_A_STEP; cut++) {
      const at = find(from);
      if (at < 0) return true;
      keep(string.slice(from, at));
      from = at + separator.length;
    }
    return andThen(work.checkpoint(), () => false);
  };
  return andThen(untilTrue(step), () => {
    keep(string.slice(from));
    return parts;
  });
}

/** Cuts of a text in one step. */
const CUTS_A_STEP = 2 ** 12;

function reverse(text: string, work: Work): PromiseOrValue<string> {
  const pieces: string[] = [];
  const done = forEachPiece(text, work, (piece) => {
    pieces.push(Array.from(piece).reverse().join(''));
  });
  return andThen(done, () => pieces.reverse().join(''));
}

// Regular expressions as arguments.

/** The pattern that an argument is, or whose text it is. @throws TesseraError `invalid_arguments` */
function patternOf(name: string, position: number, value: Value): RE2JS {
  try {
    if (value instanceof Regex) return compileRegex(value.source);
    if (typeof value === 'string') return compileRegex(value);
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
  }
  throw invalidArguments(
    name,
    `Argument ${position} was the wrong type. Could not cast into \`regex\` using input \`${toErrorText(value)}\``,
  );
}

/** Lower-case ASCII words joined by hyphens: `Hello, Wörld` → `hello-world`. */
function slug(text: string): string {
  return text
    .replace(/[^\0-\x7f]/gu, transliterated)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}

// Blanks are what Unicode calls white space; JavaScript's `\s` differs from it in U+0085 and U+FEFF.

const BLANK = /\p{White_Space}/u;

function isBlank(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit > 0x20 && unit < 0x7f) return false;
  return BLANK.test(text.charAt(index));
}

/** Cuts blanks off at both ends. (A pattern for the end would take quadratic time.) */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

/** The words between blanks. */
function wordsOf(text: string, work: Work): PromiseOrValue<string[]> {
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
