/** Values that are their own text. */
import { parseDatetime } from '../../value/datetime.js';
import { parseDecimal } from '../../value/decimal.js';
import { parseDuration } from '../../value/duration.js';
import { MAX_INT, MIN_INT } from '../../value/number.js';
import { parseUuid } from '../../value/uuid.js';
import { type Datetime, FileReference, float, int, Regex, type Value } from '../../value/value.js';
import type { Literal, RecordIdLiteral } from '../ast.js';
import type { StringPrefix } from '../lexer.js';
import type { Parser } from './parser.js';

const DURATION_TOO_LONG = 'Invalid token, failed to parse duration digits: number too large to fit in target type';

/** The string or duration that is the current token. */
export function literal(parser: Parser): Literal {
  if (parser.kind === 'string') return { kind: 'literal', value: parser.string() };
  const value = parseDuration(parser.text);
  if (value === undefined) parser.failToken(DURATION_TOO_LONG);
  parser.advance();
  return { kind: 'literal', value };
}

/** The duration that is the current token, in nanoseconds. */
export function nanoseconds(parser: Parser): bigint {
  if (parser.kind === 'number') unsuffixed(parser);
  if (parser.kind !== 'duration') parser.unexpected('a duration');
  const value = parseDuration(parser.text);
  if (value === undefined) parser.failToken(DURATION_TOO_LONG);
  parser.advance();
  return value.nanoseconds;
}

/** A number stands where a duration should. */
function unsuffixed(parser: Parser): never {
  const digits = /^[0-9_]*/.exec(parser.source.slice(parser.start, parser.end)) as RegExpExecArray;
  const at = parser.start + digits[0].length;
  const found = parser.source[at];
  return parser.fail(`Invalid duration token, expected a duration suffix found \`${found ?? 'end of file'}\``, {
    start: parser.start,
    end: Math.min(at + 1, parser.source.length),
  });
}

/** The number that is the current token. */
export function numberLiteral(parser: Parser): Literal {
  return signedNumber(parser, '+');
}

/** The number that is the current token and whose sign has been read: `-9223372036854775808` is an int, too. */
export function signedNumber(parser: Parser, sign: '+' | '-'): Literal {
  const text = sign === '-' ? `-${parser.text}` : parser.text;
  const value = numberOf(parser, text);
  parser.advance();
  return { kind: 'literal', value };
}

/** The digits that are the current token: an int from 0 to `most`. */
export function unsigned(parser: Parser, expected: string, most: bigint): bigint {
  if (parser.isPunct('-') && expected === 'an unsigned integer') {
    parser.failToken('Unexpected token `-`', 'Only positive integers allowed here');
  }
  if (parser.kind !== 'number' && parser.kind !== 'duration') parser.unexpected(expected);
  const rest = parser.source.slice(parser.start, parser.end).replace(/^[0-9_]+/, '');
  if (rest.startsWith('.')) {
    const at = parser.end - rest.length;
    parser.fail('Unexpected character `.` starting float, only integers are allowed here', { start: at, end: at + 1 });
  }
  if (rest !== '') parser.failToken(`Invalid token, found unexpected character \`${rest[0]} after integer token`);
  const value = BigInt(parser.text);
  if (value > most) parser.failToken('Invalid integer: number too large to fit in target type');
  parser.advance();
  return value;
}

/** `-Infinity`, whose sign has been read. */
export function signedInfinity(parser: Parser, sign: '+' | '-'): Literal {
  parser.advance();
  return { kind: 'literal', value: sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY };
}

function numberOf(parser: Parser, text: string): Value {
  if (parser.form === 'float') return float(Number(text));
  if (parser.form === 'decimal') {
    return (
      parseDecimal(text, true) ??
      parser.failToken('Failed to parser decimal: Invalid decimal: overflow from too many digits')
    );
  }
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  const exact = BigInt(text);
  if (exact < MIN_INT || exact > MAX_INT) {
    parser.failToken('Failed to parse number: number cannot fit within a 64bit signed integer');
  }
  return int(exact);
}

/** What is wrong with the content of a string, and where in it. */
interface Fault {
  readonly what: string;
  readonly at: number;
}

type PrefixedReader = (parser: Parser, text: string) => Literal | RecordIdLiteral;

const plain =
  (read: (text: string) => Value, fault: (text: string) => Fault): PrefixedReader =>
  (parser, text) => {
    const value = read(text);
    if (value === undefined) {
      const { what, at } = fault(text);
      const start = parser.start + 2 + at;
      parser.fail(what, { start, end: start + 1 });
    }
    parser.advance();
    return { kind: 'literal', value };
  };

const PREFIXED: Readonly<Record<StringPrefix, PrefixedReader>> = {
  r: (parser, text) => {
    const record = parser.grammar.recordId(parser.within(text));
    parser.advance();
    return record;
  },
  d: plain(parseDatetime, datetimeFault),
  u: plain(parseUuid, uuidFault),
  b: plain(bytes, bytesFault),
  f: plain(file, (text) => ({ what: 'Unexpected end of file string, missing bucket seperator `:/`', at: text.length })),
};

function datetimeFault(text: string): Fault {
  if (text === '') return { what: 'Expected end of datetime, expected datetime digit character', at: 0 };
  const at = text.search(/[^-+0-9TtZz:. ]/);
  if (at !== -1) return { what: `Invalid datetime, expected digit character found \`${text[at]}\``, at };
  return { what: 'Invalid datetime, expected a date or a date and a time with a zone', at: 0 };
}

function uuidFault(text: string): Fault {
  if (text.length < 36) return { what: 'Unexpected end of string, expected UUID token to finish', at: text.length };
  return { what: 'Unexpected characters in the string, expected a UUID', at: 0 };
}

function bytesFault(text: string): Fault {
  const at = text.search(/[^0-9a-fA-F]/);
  if (at === -1) return { what: 'Unexpected end of byte-string, expected a hexidecimal digit', at: text.length };
  return { what: `Unexpected character \`${text[at]}\`, expected a hexidecimal digit`, at };
}

/** The string with a prefix that is the current token. */
export function prefixedLiteral(parser: Parser): Literal | RecordIdLiteral {
  return PREFIXED[parser.form as StringPrefix](parser, parser.text);
}

/** The `d'…'` that is the current token. */
export function datetime(parser: Parser): Datetime {
  if (parser.kind !== 'prefixed' || parser.form !== 'd') parser.unexpected('a datetime');
  return (PREFIXED.d(parser, parser.text) as Literal).value as Datetime;
}

/** The `u'…'` that is the current token. */
export function uuidLiteral(parser: Parser): Literal {
  return PREFIXED.u(parser, parser.text) as Literal;
}

function bytes(text: string): Uint8Array | undefined {
  return text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text) ? new Uint8Array(Buffer.from(text, 'hex')) : undefined;
}

function file(text: string): FileReference | undefined {
  const separator = text.indexOf(':/');
  return separator > 0 ? new FileReference(text.slice(0, separator), text.slice(separator + 1)) : undefined;
}

/** `/…/`, whose first slash is the current token. */
export function regexLiteral(parser: Parser): Literal {
  return { kind: 'literal', value: new Regex(parser.readRegex()) };
}
