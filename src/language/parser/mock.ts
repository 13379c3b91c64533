/** `|person:3|`, `|person:1..4|`. */
import type { Mock } from '../ast.js';
import type { Parser } from './parser.js';

/** As errors name a bound. */
const SIGNED = 'an signed integer';

export function mock(parser: Parser): Mock {
  const openedAt = parser.start;
  parser.advance();
  const table = parser.name();
  parser.expectPunct(':');
  const count = parser.natural(SIGNED);
  let result: Mock = { kind: 'mock', table, count };
  if (parser.isPunct('..') || parser.isPunct('..=')) {
    const inclusive = parser.isPunct('..=');
    parser.advance();
    result = { kind: 'mock', table, range: { from: count, to: parser.natural(SIGNED), inclusive } };
  }
  parser.expectClose('|', openedAt);
  return result;
}
