import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { matcherOf } from '../../value/regex.js';
import { toDisplay, toText } from '../../value/text/text.js';
import { Regex, type Value } from '../../value/value.js';
import { invalidArguments } from '../arguments.js';
import { codePointCount, sliceCodePoints } from '../code-points.js';
import type { FunctionContext, FunctionRow } from '../contract.js';
import { define } from '../define.js';
import { joinTexts } from '../join.js';
import { checkLength, limitedText } from '../output-limit.js';
import { any, integer, optional, rest, text } from '../parameters.js';
import { patternOf } from '../pattern.js';
import { sliceOf } from '../slice.js';
import { encodeHtml, sanitizeHtml } from './html.js';
import { slug } from './slug.js';
import { trim, wordsOf } from './white-space.js';

export const textFunctions: readonly FunctionRow[] = [
  define(
    'string::capitalize',
    [text('string')],
    'string',
    'Makes the first letter of each word a capital one.',
    (string) => string.replace(/(?<!\P{White_Space})\P{White_Space}/gu, (letter) => letter.toUpperCase()),
  ),
  define('string::concat', [rest(any('value'))], 'string', 'Puts values together as one text.', (values) =>
    joinTexts('string::concat', '', values),
  ),
  define('string::contains', [text('string'), text('part')], 'bool', 'Whether a text holds another.', (string, part) =>
    string.includes(part),
  ),
  define(
    'string::ends_with',
    [text('string'), text('end')],
    'bool',
    'Whether a text ends with another.',
    (string, end) => string.endsWith(end),
  ),
  define(
    'string::html::encode',
    [text('string')],
    'string',
    'Encodes everything that means something in HTML.',
    (string) => encodeHtml(string),
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
  ),
  define(
    'string::join',
    [any('separator'), rest(any('value'))],
    'string',
    'Puts values together as one text, with a separator between them.',
    (separator, values) => joinTexts('string::join', toDisplay(separator), values),
  ),
  define('string::len', [text('string')], 'int', 'Counts the characters (Unicode code points).', (string) =>
    codePointCount(string),
  ),
  define('string::lowercase', [text('string')], 'string', 'Makes all letters small.', (string) => string.toLowerCase()),
  define(
    'string::matches',
    [text('string'), any('pattern')],
    'bool',
    'Whether a regular expression matches anywhere in a text.',
    (string, pattern) => matcherOf(patternOf('string::matches', 2, pattern), string).find(),
  ),
  define('string::repeat', [text('string'), integer('count')], 'string', 'Repeats a text.', (string, count) => {
    if (string === '') return string;
    const times = Number(count);
    // A negative count is read as a huge one, as the reference engine does.
    checkLength('string::repeat', times < 0 ? Number.POSITIVE_INFINITY : Buffer.byteLength(string) * times);
    return string.repeat(times);
  }),
  define(
    'string::replace',
    [text('string'), any('search'), text('replacement')],
    'string',
    'Replaces every occurrence of a text, or every match of a regular expression.',
    replace,
  ),
  define('string::reverse', [text('string')], 'string', 'Turns the order of the characters round.', (string) =>
    Array.from(string).reverse().join(''),
  ),
  {
    name: 'string::slice',
    parameters: [text('string'), optional(any('start')), optional(integer('end'))],
    returns: 'string',
    description:
      'The characters from a start to before an end, each counted from the end if negative; or those in a range.',
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
  define('string::split', [text('string'), text('separator')], 'array<string>', 'Cuts a text at a separator.', split),
  define(
    'string::starts_with',
    [text('string'), text('start')],
    'bool',
    'Whether a text begins with another.',
    (string, start) => string.startsWith(start),
  ),
  define('string::trim', [text('string')], 'string', 'Cuts off blanks at both ends.', (string) => trim(string)),
  define('string::uppercase', [text('string')], 'string', 'Makes all letters capital.', (string) =>
    string.toUpperCase(),
  ),
  define('string::words', [text('string')], 'array<string>', 'Cuts a text at blanks.', (string) => wordsOf(string)),
];

const REPLACE = 'string::replace';

function replace(string: string, search: Value, replacement: string, context: FunctionContext): PromiseOrValue<string> {
  if (search instanceof Regex) return replaceMatches(string, search, replacement, context);
  if (typeof search !== 'string') {
    throw invalidArguments(REPLACE, `Argument 2 was the wrong type. Expected a string but found ${toText(search)}`);
  }
  const parts = split(string, search);
  checkLength(REPLACE, string.length + (parts.length - 1) * (replacement.length - search.length));
  return limitedText(REPLACE, parts.join(replacement));
}

/**
 * The replacement is plain text: `$1` means itself. One match is found in linear time, but there may be as many as characters, and the
 * search for each may go to the end.
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
    // Nothing is found once more right behind what was found.
    if (from > 0 && matcher.start() === from && matcher.end() === from) return false;
    result += string.slice(from, matcher.start()) + replacement;
    from = matcher.end();
    checkLength(REPLACE, result.length);
    return andThen(context.pause(), () => false);
  };
  return andThen(untilTrue(step), () => limitedText(REPLACE, result + string.slice(from)));
}

/** An empty separator cuts around each character, also before the first and after the last. */
function split(string: string, separator: string): string[] {
  return separator === '' ? ['', ...Array.from(string), ''] : string.split(separator);
}
