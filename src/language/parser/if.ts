/** `IF c { … } ELSE IF c { … } ELSE { … }` and `IF c THEN e ELSE e END`. */
import type { Expression, If } from '../ast.js';
import { block } from './block.js';
import type { Parser } from './parser.js';

export function ifExpression(parser: Parser): If {
  const outer = parser.enter();
  parser.advance();
  const branches = [];
  let otherwise: Expression | undefined;
  /** The first branch decides how all are written. */
  let hasThen = false;
  for (let more = true; more; ) {
    const condition = parser.expression();
    if (branches.length === 0) {
      hasThen = parser.acceptWord('THEN');
      if (!hasThen && !parser.isPunct('{')) parser.unexpected("THEN or '{'");
    } else if (hasThen) parser.expectWord('THEN');
    else if (!parser.isPunct('{')) parser.unexpected('{');
    branches.push({ condition, then: branch(parser, hasThen) });
    parser.grow();
    const hasElse = parser.acceptWord('ELSE');
    more = hasElse && parser.acceptWord('IF');
    if (hasElse && !more) otherwise = branch(parser, hasThen);
  }
  if (hasThen && !parser.acceptWord('END')) parser.unexpected(otherwise === undefined ? 'if to end' : 'END');
  parser.leave(outer);
  return { kind: 'if', branches, ...(otherwise !== undefined && { otherwise }) };
}

/** The body of a branch: a block, or behind THEN any expression, whose braces may be an object or a set. */
function branch(parser: Parser, hasThen: boolean): Expression {
  if (!hasThen) return block(parser);
  const value = parser.expression();
  parser.acceptPunct(';');
  return value;
}
