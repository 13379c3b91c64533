/** `(…)`: an expression, a statement as a value, or a point. */
import { Float, Geometry } from '../../../value/value.js';
import type { Expression } from '../../ast.js';
import { SESSION_KEYWORDS } from '../../keywords.js';
import type { Parser } from '../parser.js';

const COORDINATE = 'a floating point number';

/** Operands that begin with `(`: an expression in parentheses, a subquery, or a point `(longitude, latitude)`. */
export function parenthesized(parser: Parser): Expression {
  const openedAt = parser.start;
  parser.advance();
  const word = { name: parser.word, start: parser.start, end: parser.end };
  const inner = parser.expression();
  if (parser.previousEnd === word.end && SESSION_KEYWORDS.has(word.name) && !parser.isPunct(')')) {
    parser.fail(`Unexpected token \`${word.name}\` expected \`)\``, parser.tokenMark(), {
      start: word.start,
      end: word.end,
      label: "This is a reserved keyword here and can't be an identifier",
    });
  }
  const longitude = parser.isPunct(',') ? coordinate(inner) : undefined;
  if (longitude === undefined) {
    parser.expectClose(')', openedAt);
    return inner;
  }
  parser.advance();
  if (parser.kind !== 'number' && !parser.isPunct('-') && !parser.isPunct('+')) parser.unexpected(COORDINATE);
  const latitude = coordinate(parser.expression());
  if (latitude === undefined) parser.unexpected(COORDINATE);
  parser.expectClose(')', openedAt);
  return { kind: 'literal', value: new Geometry({ type: 'Point', coordinates: [longitude, latitude] }) };
}

/** The number of a literal that may be part of a point: an int or a float. */
function coordinate(expression: Expression): number | undefined {
  if (expression.kind !== 'literal') return undefined;
  const { value } = expression;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Float ? value.number : undefined;
}
