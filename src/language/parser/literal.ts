/** Values that are their own text. */
import { parseDatetime } from '../../value/datetime.js';
import { parseDecimal } from '../../value/decimal.js';
import { parseDuration } from '../../value/duration.js';
import { MAX_INT, MIN_INT } from '../../value/number.js';
import { parseUuid } from '../../value/uuid.js';
import { FileReference, float, int, Regex, type Value } from '../../value/value.js';
import type { Literal, RecordIdLiteral } from '../ast.js';
import type { StringPrefix } from '../lexer.js';
import type { Parser } from './parser.js';

/** The string or duration that is the current token. */
export function literal(parser: Parser): Literal {
  if (parser.kind === 'string') return { kind: 'literal', value: parser.string() };
  const value = parseDuration(parser.text);
  if (value === undefined) parser.failToken('Failed to parse duration: the duration is too long');
  parser.advance();
  return { kind: 'literal', value };
}

/** The duration that is the current token, in nanoseconds. */
export function nanoseconds(parser: Parser): bigint {
  if (parser.kind !== 'duration') parser.unexpected('a duration');
  const value = parseDuration(parser.text);
  if (value === undefined) parser.failToken('Failed to parse duration: the duration is too long');
  parser.advance();
  return value.nanoseconds;
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

function numberOf(parser: Parser, text: string): Value {
  if (parser.form === 'float') return float(Number(text));
  if (parser.form === 'decimal') {
    return (
      parseDecimal(text, true) ?? parser.failToken('Failed to parse decimal number: overflow from too many digits')
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

type PrefixedReader = (parser: Parser, text: string) => Literal | RecordIdLiteral;

const plain =
  (read: (text: string) => Value, what: string): PrefixedReader =>
  (parser, text) => {
    const value = read(text);
    if (value === undefined) parser.failToken(what);
    parser.advance();
    return { kind: 'literal', value };
  };

const PREFIXED: Readonly<Record<StringPrefix, PrefixedReader>> = {
  r: (parser, text) => {
    const record = parser.grammar.recordId(parser.within(text));
    parser.advance();
    return record;
  },
  d: plain(parseDatetime, 'Unexpected characters in the string, expected a datetime'),
  u: plain(parseUuid, 'Unexpected characters in the string, expected a UUID'),
  b: plain(bytes, 'Unexpected characters in the string, expected hexidecimal digits in pairs'),
  f: plain(file, 'Unexpected end of file string, missing bucket seperator `:/`'),
};

/** The string with a prefix that is the current token. */
export function prefixedLiteral(parser: Parser): Literal | RecordIdLiteral {
  return PREFIXED[parser.form as StringPrefix](parser, parser.text);
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
