/** `|person:3|`, `|person:1..4|`, `|person:1>..=4|`, `|person:..4|`. */
import type { Mock } from '../../ast.js';
import type { Parser } from '../parser.js';
import { signed } from './literal.js';

/** `|person:10|` or `|person:1..10|`: generated record ids. */
export function mock(parser: Parser): Mock {
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
