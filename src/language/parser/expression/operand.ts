/**
 * Operands: literals, names, calls, brackets, statements as values, and the path behind any of
 * them.
 */
import type { Expression, Idiom, Mock, Part } from '../../ast.js';
import { ifExpression } from '../if.js';
import type { Parser } from '../parser.js';
import { type FunctionNameSegment, knownCall, path, scriptFunction, segment } from './call.js';
import { closure } from './closure.js';
import { arrayLiteral, braces } from './collection.js';
import { afterDot, append, isPathStart, parts } from './idiom.js';
import { literal, numberLiteral, prefixedLiteral, regexLiteral, signed } from './literal.js';
import { parenthesized } from './parentheses.js';
import { recordId } from './record-id.js';
import { asExpression } from './subquery.js';

const COLON = 58;

/** Keywords that are values or begin one. Other words may be fields. */
const WORDS: ReadonlyMap<string, (parser: Parser) => Expression> = new Map([
  ['NONE', (parser: Parser) => constant(parser, undefined)],
  ['NULL', (parser: Parser) => constant(parser, null)],
  ['TRUE', (parser: Parser) => constant(parser, true)],
  ['FALSE', (parser: Parser) => constant(parser, false)],
  ['IF', ifExpression],
]);

/** An operand with its path. */
export function operand(parser: Parser): Expression {
  switch (parser.kind) {
    case 'word':
      return word(parser);
    case 'quoted':
      return named(parser);
    case 'param':
      return postfix(parser, parser.paramNode());
    case 'number':
      return postfix(parser, numberLiteral(parser));
    case 'string':
    case 'duration':
      return postfix(parser, literal(parser));
    case 'prefixed':
      return postfix(parser, prefixedLiteral(parser));
    case 'punct':
      return punctuated(parser);
    case 'end':
    case 'invalid':
      return parser.unexpected('an expression');
  }
}

function constant(parser: Parser, value: undefined | null | boolean): Expression {
  parser.advance();
  return { kind: 'literal', value };
}

function word(parser: Parser): Expression {
  // NaN and Infinity are values in this spelling only; `nan` is a field.
  if ((parser.text === 'NaN' || parser.text === 'Infinity') && parser.adjacent() !== COLON) {
    const value = Number(parser.text);
    parser.advance();
    return postfix(parser, { kind: 'literal', value });
  }
  if (parser.adjacent() === COLON) return named(parser);
  const read = WORDS.get(parser.word);
  if (read !== undefined) return postfix(parser, read(parser));
  if (parser.word === 'FUNCTION') return postfix(parser, scriptFunction(parser));
  const statement = parser.grammar.keywordStatement(parser);
  return statement === undefined ? named(parser) : postfix(parser, asExpression(statement));
}

/** Operands that begin with a name: a record id, a function, a constant, a field. */
function named(parser: Parser): Expression {
  if (parser.adjacent() === COLON) {
    return parser.adjacent(1) === COLON ? builtIn(parser) : postfix(parser, recordId(parser));
  }
  const first = segment(parser);
  const { name, start } = first;
  if (parser.isPunct(':'))
    parser.fail('Unexpected whitespace', { ...first, label: 'No whitespace allowed after this token' });
  if (parser.isPunct('::')) return builtIn(parser, first);
  if (parser.isPunct('(')) return postfix(parser, knownCall(parser, name.toLowerCase(), first));
  return { kind: 'idiom', parts: parts(parser, [parser.begunAt(start, { kind: 'field', name })]) };
}

function builtIn(parser: Parser, first?: FunctionNameSegment): Expression {
  return postfix(parser, path(parser, first));
}

function punctuated(parser: Parser): Expression {
  switch (parser.text) {
    case '(':
      return postfix(parser, parenthesized(parser));
    case '[':
      return postfix(parser, arrayLiteral(parser));
    case '{':
      return postfix(parser, braces(parser));
    case '/':
      return postfix(parser, regexLiteral(parser));
    case '|':
      return parser.source[parser.nextOffset()] === '$' ? closure(parser) : postfix(parser, mock(parser));
    case '||':
      return closure(parser);
    case '@':
      return current(parser);
    default:
      if (isPathStart(parser)) return { kind: 'idiom', parts: parts(parser, []) };
      return parser.unexpected('an expression');
  }
}

/** `@.a`, `@[0]`, `@->e`; the first dot may be missing. The current value is written only where a path follows. */
function current(parser: Parser): Idiom {
  parser.advance();
  const path: Part[] = [];
  if (!parser.isPunct('.') && !parser.isPunct('[') && !isPathStart(parser)) append(parser, path, afterDot(parser));
  return { kind: 'idiom', start: { kind: 'param', name: 'this', current: true }, parts: parts(parser, path) };
}

/** A value with the path behind it. Any value may be called; values other than closures fail at run time. */
export function postfix(parser: Parser, start: Expression): Expression {
  const path = parts(parser, [], true);
  return path.length === 0 ? start : { kind: 'idiom', start, parts: path };
}

// `|person:3|`, `|person:1..4|`, `|person:1>..=4|`, `|person:..4|`.

/** `|person:10|` or `|person:1..10|`: generated record ids. */
function mock(parser: Parser): Mock {
  const openedAt = parser.start;
  parser.advance();
  const table = parser.name();
  parser.expectPunct(':');
  const first = isRange(parser) ? undefined : signed(parser);
  const result: Mock = isRange(parser)
    ? { kind: 'mock', table, range: range(parser, first) }
    : { kind: 'mock', table, ...(first !== undefined && { count: first }) };
  parser.expectClose('|', openedAt);
  return result;
}

const RANGES: ReadonlySet<string> = new Set(['..', '..=', '>..', '>..=']);

function isRange(parser: Parser): boolean {
  return parser.kind === 'punct' && RANGES.has(parser.text);
}

/** The rest of a range whose operator is the current token. */
function range(parser: Parser, first: bigint | undefined): NonNullable<Mock['range']> {
  const operator = parser.text;
  parser.advance();
  const inclusive = operator.endsWith('=');
  const isOpen = !inclusive && parser.isPunct('|');
  return {
    ...(first !== undefined && { start: { value: first, inclusive: !operator.startsWith('>') } }),
    ...(!isOpen && { end: { value: signed(parser), inclusive } }),
  };
}
