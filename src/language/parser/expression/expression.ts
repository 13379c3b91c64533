/**
 * Operators, by precedence climbing. Chains of one level are parsed in a loop; the right operand recurses at most once
 * per precedence level before `Parser.enter` counts it.
 */
import { METRIC_NAMES } from '../../../vectors/metric.js';
import type {
  BinaryOperator,
  Expression,
  MatchesOperator,
  NearestOperator,
  RangeExpression,
  UnaryOperator,
} from '../../ast.js';
import { BINARY_POWERS, isChainable, POWER, powerOf } from '../../precedence.js';
import type { Parser } from '../parser.js';
import { castType } from '../type.js';
import { signedInfinity, signedNumber, unsigned } from './literal.js';
import { operand, postfix } from './operand.js';

/** Keyword operators. */
const WORDS: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ['OR', '||'],
  ['AND', '&&'],
  ['IS', '='],
  ['IN', 'IN'],
  ['INSIDE', 'IN'],
  ['NOTINSIDE', 'NOT IN'],
  ['CONTAINS', 'CONTAINS'],
  ['CONTAINSNOT', 'CONTAINSNOT'],
  ['CONTAINSALL', 'CONTAINSALL'],
  ['CONTAINSANY', 'CONTAINSANY'],
  ['CONTAINSNONE', 'CONTAINSNONE'],
  ['ALLINSIDE', 'ALLINSIDE'],
  ['ANYINSIDE', 'ANYINSIDE'],
  ['NONEINSIDE', 'NONEINSIDE'],
  ['OUTSIDE', 'OUTSIDE'],
  ['INTERSECTS', 'INTERSECTS'],
]);

const RANGES: ReadonlyMap<string, { readonly excludesStart: boolean; readonly includesEnd: boolean }> = new Map([
  ['..', { excludesStart: false, includesEnd: false }],
  ['..=', { excludesStart: false, includesEnd: true }],
  ['>..', { excludesStart: true, includesEnd: false }],
  ['>..=', { excludesStart: true, includesEnd: true }],
]);

/** Operators before an operand. */
const UNARY: ReadonlySet<string> = new Set<UnaryOperator>(['!', '!!', '+', '-']);

/** Delimiters and operators that can begin an operand. */
const OPENERS: ReadonlySet<string> = new Set([
  '(',
  '[',
  '{',
  '<',
  '->',
  '<-',
  '<->',
  '<~',
  '-',
  '+',
  '!',
  '!!',
  '@',
  '/',
  '|',
  '||',
  '$',
]);

/** An expression, one level further down. */
export function expression(parser: Parser): Expression {
  const outer = parser.enter();
  const result = tighter(parser, 0);
  parser.leave(outer);
  return result;
}

/** An operand and the operators behind it that bind tighter than `power`. */
export function tighter(parser: Parser, power: number): Expression {
  const outer = parser.beginTree();
  const result = operators(parser, prefix(parser, power), power);
  parser.endTree(outer);
  return result;
}

/**
 * A statement that has been read, as a value with the path and the operators behind it; itself if none follow: `INFO
 * FOR DB.tables`.
 */
export function continued(parser: Parser, statement: Expression): Expression {
  const outer = parser.beginTree();
  const result = operators(parser, postfix(parser, statement), 0);
  parser.endTree(outer);
  return result;
}

function operators(parser: Parser, first: Expression, power: number): Expression {
  let left = first;
  let previous = 0;
  for (;;) {
    const start = parser.start;
    let own: number;
    if (power < POWER.range && parser.kind === 'punct' && RANGES.has(parser.text)) {
      own = POWER.range;
      left = range(parser, left);
    } else {
      const operator = takeOperator(parser, power);
      if (operator === undefined) break;
      own = powerOf(operator);
      left = { kind: 'binary', operator, left, right: tighter(parser, own) };
    }
    if (own === previous && !isChainable(own)) {
      parser.fail('Chained relational operators have no defined associativity.', {
        start,
        // Together with the token behind.
        end: parser.end,
        label: "Use parens, '()', to specify which operator must be evaluated first",
      });
    }
    previous = own;
    parser.grow();
  }
  return left;
}

/** The operator that is the current token, taken, if it binds tighter than `power`. */
function takeOperator(parser: Parser, power: number): BinaryOperator | undefined {
  if (parser.kind === 'punct') {
    const text = parser.text;
    const own = BINARY_POWERS.get(text);
    if (own !== undefined) {
      if (own <= power) return undefined;
      if (text === '??' && parser.source[parser.end] === ':') failAtFirst(parser);
      parser.advance();
      return text as BinaryOperator;
    }
    if (power >= POWER.relation) return undefined;
    if (text === '@') return matches(parser);
    if (text === '?') return parser.unexpected('`??`');
    return text === '<|' ? nearest(parser) : undefined;
  }
  if (parser.kind !== 'word') return undefined;
  if (parser.word === 'NOT' && power < POWER.relation) {
    parser.advance();
    parser.expectWord('IN');
    return 'NOT IN';
  }
  const operator = WORDS.get(parser.word);
  if (operator === undefined || powerOf(operator) <= power) return undefined;
  parser.advance();
  return operator === '=' && parser.acceptWord('NOT') ? '!=' : operator;
}

/** `??:` is `?` and `?:`. */
function failAtFirst(parser: Parser): never {
  parser.fail('Unexpected token `?`, expected `??`', { start: parser.start, end: parser.start + 1 });
}

const MAX_REFERENCE = 255n;

/** `@@`, `@1@`, `@OR@`, `@1,OR@`, `@QUERY@`. */
function matches(parser: Parser): MatchesOperator {
  parser.advance();
  const reference = parser.kind === 'number' ? Number(unsigned(parser, 'a match reference', MAX_REFERENCE)) : undefined;
  if (reference !== undefined) parser.acceptPunct(',');
  // Default: all words must match.
  const word = parser.acceptOneOf('AND', 'OR', 'QUERY');
  const operator = word === 'AND' ? undefined : word;
  const isEmpty = reference === undefined && word === undefined;
  if (!parser.acceptPunct('@')) parser.unexpected(isEmpty ? 'a match reference, operator or `@`' : '@');
  return {
    kind: 'matches',
    ...(reference !== undefined && { reference }),
    ...(operator !== undefined && { operator }),
  };
}

/** `<|k|>`, `<|k,ef|>`, `<|k,EUCLIDEAN|>`, `<|k,MINKOWSKI 3|>`. */
function nearest(parser: Parser): NearestOperator {
  const openedAt = parser.start;
  parser.advance();
  const k = parser.natural();
  let distance: string | undefined;
  let ef: number | undefined;
  if (parser.acceptPunct(',')) {
    if (parser.kind === 'number') ef = parser.natural();
    else distance = DISTANCES.has(parser.word) ? distanceName(parser) : failWithoutDistance(parser);
  }
  parser.expectClose('|>', openedAt);
  return { kind: 'nearest', k, ...(distance !== undefined && { distance }), ...(ef !== undefined && { ef }) };
}

/** Neither a distance nor a number. */
function failWithoutDistance(parser: Parser): never {
  const label = 'The NN operator accepts either a distance or an EF value (integer)';
  parser.fail(`Unexpected token ${parser.tokenName()} expected a distance of an integer`, {
    ...parser.tokenMark(),
    label,
  });
}

const DISTANCES: ReadonlySet<string> = new Set(METRIC_NAMES);

/** The name of a distance in capitals, `MINKOWSKI` with its order. */
export function distanceName(parser: Parser, expected = 'a distance kind'): string {
  const name = parser.word;
  if (!DISTANCES.has(name)) parser.unexpected(expected);
  parser.advance();
  if (name !== 'MINKOWSKI') return name;
  if (parser.kind !== 'number') parser.unexpected('a number');
  const order = parser.text;
  parser.advance();
  return `${name} ${order}`;
}

/**
 * The rest of a range whose operator is the current token. After a range without an end a path continues: `1.. [0]`.
 */
function range(parser: Parser, start: Expression | undefined): Expression {
  // `..==` is a range without an end, compared with the right operand.
  const isCompared = parser.text === '..=' && parser.source[parser.end] === '=';
  const text = isCompared ? '..' : parser.text;
  const { excludesStart, includesEnd } = RANGES.get(text) as NonNullable<ReturnType<typeof RANGES.get>>;
  if (isCompared) parser.jump(parser.start + text.length);
  else parser.advance();
  const end = includesEnd || beginsEnd(parser) ? tighter(parser, POWER.range) : undefined;
  const result: RangeExpression = {
    kind: 'range',
    ...(start !== undefined && { start: { value: start, inclusive: !excludesStart } }),
    ...(end !== undefined && { end: { value: end, inclusive: includesEnd } }),
  };
  return end === undefined ? postfix(parser, result) : result;
}

/** An operand directly behind the dots belongs to the range; a blank ends it: `FOR $i IN 1.. { … }`. */
function beginsEnd(parser: Parser): boolean {
  if (parser.start !== parser.previousEnd) return false;
  return parser.kind === 'punct' ? OPENERS.has(parser.text) : parser.kind !== 'end';
}

/** Operators before an operand, and the operand. */
function prefix(parser: Parser, power: number): Expression {
  if (parser.kind !== 'punct') return operand(parser);
  const text = parser.text;
  if (UNARY.has(text)) return unary(parser, text as UnaryOperator);
  if (text === '<') {
    const outer = parser.enter();
    const type = castType(parser);
    const result: Expression = { kind: 'cast', type, operand: tighter(parser, POWER.cast) };
    parser.leave(outer);
    return result;
  }
  if (power < POWER.range && (text === '..' || text === '..=')) return range(parser, undefined);
  return operand(parser);
}

function unary(parser: Parser, operator: UnaryOperator): Expression {
  parser.advance();
  if (operator === '-' || operator === '+') {
    if (parser.kind === 'number') return postfix(parser, signedNumber(parser, operator));
    if (parser.kind === 'word' && parser.text === 'Infinity') return postfix(parser, signedInfinity(parser, operator));
  }
  const outer = parser.enter();
  const result: Expression = { kind: 'unary', operator, operand: tighter(parser, POWER.unary) };
  parser.leave(outer);
  return result;
}
