/** Values that are their own text. */
import { Buffer } from 'node:buffer';
import { MAX_SCALE, parseDecimal } from '../../../value/decimal.js';
import { MAX_INT, MIN_INT } from '../../../value/number.js';
import { parseDatetime } from '../../../value/time/datetime.js';
import { parseDuration } from '../../../value/time/duration.js';
import { parseUuid } from '../../../value/uuid.js';
import { type Datetime, type Duration, FileReference, float, int, Regex, type Value } from '../../../value/value.js';
import type { Literal, RecordIdLiteral } from '../../ast.js';
import type { StringPrefix } from '../../lexer.js';
import { bytesFault, datetimeFault, fileFault, type LiteralFault, uuidFault } from '../../literal-fault.js';
import type { Parser } from '../parser.js';

const DURATION_TOO_LONG = 'Invalid token, failed to parse duration digits: number too large to fit in target type';

/** The string or duration that is the current token. */
export function literal(parser: Parser): Literal {
  const { start } = parser;
  return parser.begunAt(start, {
    kind: 'literal',
    value: parser.kind === 'string' ? parser.string() : duration(parser),
  });
}

/** The duration that is the current token, where nothing else may stand. */
export function durationLiteral(parser: Parser): Literal {
  return { kind: 'literal', value: duration(parser) };
}

/** The duration that is the current token, in nanoseconds. */
export function nanoseconds(parser: Parser): bigint {
  return duration(parser).nanoseconds;
}

function duration(parser: Parser): Duration {
  if (parser.kind === 'number') parser.noUnit();
  if (parser.kind !== 'duration') parser.unexpected('a duration');
  const value = parseDuration(parser.text);
  if (value === undefined) parser.failToken(DURATION_TOO_LONG);
  parser.advance();
  return value;
}

/** The number that is the current token. */
export function numberLiteral(parser: Parser): Literal {
  return signedNumber(parser, '+');
}

/** The number that is the current token and whose sign has been read: `-9223372036854775808` is an int, too. */
export function signedNumber(parser: Parser, sign: '+' | '-'): Literal {
  const text = sign === '-' ? `-${parser.text}` : parser.text;
  const value = numberOf(parser, text);
  const { start } = parser;
  parser.advance();
  return parser.begunAt(start, { kind: 'literal', value });
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

/** An int with or without a sign. */
export function signed(parser: Parser): bigint {
  const isNegative = parser.acceptPunct('-');
  if (!isNegative) parser.acceptPunct('+');
  const value = unsigned(parser, 'an signed integer', isNegative ? -MIN_INT : MAX_INT);
  return isNegative ? -value : value;
}

/** `-Infinity`, whose sign has been read. */
export function signedInfinity(parser: Parser, sign: '+' | '-'): Literal {
  parser.advance();
  return { kind: 'literal', value: sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY };
}

function numberOf(parser: Parser, text: string): Value {
  if (parser.form === 'float') return float(Number(text));
  if (parser.form === 'decimal') return parseDecimal(text, true) ?? noDecimal(parser, text);
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
  (read: (text: string) => Value, faultOf: (text: string) => LiteralFault | undefined): PrefixedReader =>
  (parser, text) => {
    const value = read(text);
    const fault = value === undefined ? faultOf(text) : undefined;
    if (fault !== undefined) parser.failInContent(fault.what, fault);
    const { start } = parser;
    parser.advance();
    return parser.begunAt(start, { kind: 'literal', value });
  };

const PREFIXED: Readonly<Record<StringPrefix, PrefixedReader>> = {
  r: (parser, text) => {
    const record = parser.grammar.recordId(parser.within(text));
    parser.advance();
    return record;
  },
  d: plain(parseDatetime, datetimeFault),
  u: plain((text) => (uuidFault(text) === undefined ? parseUuid(text) : undefined), uuidFault),
  b: plain(bytes, bytesFault),
  f: plain(file, fileFault),
};

function noDecimal(parser: Parser, text: string): never {
  const scale = Math.abs(Number(/[eE](.*)$/.exec(text)?.[1] ?? 0));
  const why =
    scale > MAX_SCALE
      ? `Scale exceeds the maximum precision allowed: ${scale} > ${MAX_SCALE}`
      : 'Invalid decimal: overflow from too many digits';
  return parser.failToken(`Failed to parser decimal: ${why}`);
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
  return fileFault(text) === undefined
    ? new FileReference(text.slice(0, separator), text.slice(separator + 1))
    : undefined;
}

/** `/…/`, whose first slash is the current token. */
export function regexLiteral(parser: Parser): Literal {
  return { kind: 'literal', value: new Regex(parser.readRegex()) };
}
