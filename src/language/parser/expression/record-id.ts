/**
 * Record ids: `person:1`, `person:⟨a b⟩`, `person:[1, $x]`, `person:ulid()`, `person:1..5`. No blank may stand in one.
 */
import { MAX_INT, MIN_INT } from '../../../value/number.js';
import { int } from '../../../value/value.js';
import type { KeyBound, RecordIdLiteral, RecordKeyExpression } from '../../ast.js';
import type { Parser } from '../parser.js';
import { arrayLiteral, objectLiteral } from './collection.js';
import { uuidLiteral } from './literal.js';

const GENERATORS: ReadonlyMap<string, Generate['generator']> = new Map([
  ['rand', 'rand'],
  ['ulid', 'ulid'],
  ['uuid', 'uuid'],
]);

/** A record id whose table is the current token and is followed by a colon. */
export function recordId(parser: Parser): RecordIdLiteral {
  const { start, text: table } = parser;
  return parser.begunAt(start, { kind: 'record-id', table, key: recordKeyAt(parser, parser.end + 1, table) });
}

/** The same where no range can stand: what would be one ends before its dots. */
export function singleRecordId(parser: Parser): RecordIdLiteral {
  const { start, text: table } = parser;
  return parser.begunAt(start, { kind: 'record-id', table, key: keyAt(parser, parser.end + 1, table) });
}

/** The key that begins at `offset`; afterwards the token behind it is the current one. */
export function recordKeyAt(parser: Parser, offset: number, table: string): RecordKeyExpression {
  if (parser.source.startsWith('..', offset)) {
    parser.jump(offset);
    return range(parser, undefined, table);
  }
  const start = keyAt(parser, offset, table);
  if (start.kind === 'generate') return start;
  const isRange = parser.kind === 'punct' && RANGE_OPERATORS.has(parser.text) && parser.start === parser.previousEnd;
  return isRange ? range(parser, start.value, table) : start;
}

/**
 * The rest of a range whose operator is the current token. White space ends it, since a following word belongs to the
 * statement.
 */
function range(parser: Parser, start: KeyBound['value'] | undefined, table: string): RecordKeyExpression {
  const operator = parser.text;
  const endAt = parser.end;
  let end: Key | undefined;
  if (KEY_BEGIN.test(parser.source.slice(endAt, endAt + 2))) end = keyAt(parser, endAt, table);
  else {
    parser.advance();
    if (operator.endsWith('=')) parser.unexpected('an identifier');
  }
  if (end?.kind === 'generate') return parser.unexpected('a key');
  return {
    kind: 'key-range',
    ...(start !== undefined && { start: { value: start, inclusive: !operator.startsWith('>') } }),
    ...(end !== undefined && { end: { value: end.value, inclusive: operator.endsWith('=') } }),
  };
}

const RANGE_OPERATORS = new Set(['..', '..=', '>..', '>..=']);

type Generate = Extract<RecordKeyExpression, { kind: 'generate' }>;
type Key = Extract<RecordKeyExpression, { kind: 'key' | 'generate' }>;

/** Digits that may be an int, with any zeros ahead of it: more of them would take long to read. */
const LONGEST_INT = 4096;

const KEY_BEGIN = /^(?:[A-Za-z0-9_`⟨[{]|-\d)/;

/** One key. What would be a number or a keyword elsewhere is read by its characters here: `1a`, `01`, `select`. */
function keyAt(parser: Parser, offset: number, table: string): Key {
  const source = parser.source;
  const negative = source[offset] === '-';
  const end = parser.wordEnd(negative ? offset + 1 : offset);
  const text = source.slice(offset, end);
  if (/^-?[0-9]+$/.test(text)) {
    parser.jump(end);
    const number = text.length <= LONGEST_INT ? BigInt(text) : MAX_INT + 1n;
    const fits = number <= MAX_INT && number >= MIN_INT;
    return literalKey(parser, offset, fits ? int(number) : text);
  }
  if (!negative && end > offset) {
    const next = source[end];
    if (text === 'u' && (next === "'" || next === '"')) {
      parser.jump(offset);
      return { kind: 'key', value: uuidLiteral(parser) };
    }
    parser.jump(end);
    const generator = GENERATORS.get(text.toLowerCase());
    if (next === '(' && generator !== undefined) {
      parser.advance();
      parser.expectPunct(')');
      return { kind: 'generate', generator };
    }
    return literalKey(parser, offset, text);
  }
  parser.jump(offset);
  if (parser.kind === 'quoted' && parser.start === offset) return literalKey(parser, offset, parser.name());
  if (parser.isPunct('[') && parser.start === offset) return { kind: 'key', value: arrayLiteral(parser) };
  if (parser.isPunct('{') && parser.start === offset) return { kind: 'key', value: objectLiteral(parser) };
  if (parser.kind === 'param' && !parser.isInner) {
    parser.failToken(
      'Unexpected token `$param` expected a record-id key',
      `Record-id's can be create from a param with \`type::record("${table}",$${parser.text})\``,
    );
  }
  if (parser.acceptPunct('-')) parser.unexpected('a number');
  return parser.unexpected(parser.kind === 'string' || parser.isInner ? 'an identifier' : 'a record-id key');
}

function literalKey(parser: Parser, start: number, value: string | number | bigint): Key {
  return { kind: 'key', value: parser.begunAt(start, { kind: 'literal', value }) };
}
