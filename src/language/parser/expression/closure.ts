/** Closures and the parameters that functions share with them. */
import type { ClosureExpression, Parameter } from '../../ast.js';
import { block } from '../block.js';
import type { Parser } from '../parser.js';
import { closureType, type } from '../type.js';

/** `|$a, $b: int| -> string { … }`, `|$a| expr`, `|| expr`. */
export function closure(parser: Parser): ClosureExpression {
  const outer = parser.enter();
  const parameters = closureParameters(parser);
  const returns = parser.acceptPunct('->') ? closureType(parser) : undefined;
  const body = returns === undefined ? parser.expression() : block(parser);
  parser.leave(outer);
  return { kind: 'closure', parameters, ...(returns !== undefined && { returns }), body };
}

function closureParameters(parser: Parser): Parameter[] {
  if (parser.acceptPunct('||')) return [];
  const openedAt = parser.start;
  parser.advance();
  return parser.listUntil('|', openedAt, () => {
    const name = parser.param();
    return { name, type: parser.acceptPunct(':') ? closureType(parser) : ANY };
  });
}

const ANY = { kind: 'any' } as const;

/** `($a: int, $b: option<string>)`, of a defined function. */
export function functionParameters(parser: Parser): Parameter[] {
  const openedAt = parser.start;
  parser.expectPunct('(');
  return parser.listUntil(')', openedAt, () => {
    const name = parser.param();
    parser.expectPunct(':');
    return { name, type: type(parser) };
  });
}
