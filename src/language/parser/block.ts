/** `{ s; s; e }`. */
import type { Block, Expression, Statement } from '../ast.js';
import type { Parser } from './parser.js';

/** A block where only a block may stand: the body of a loop, a function, a branch. */
export function block(parser: Parser): Block {
  const openedAt = parser.start;
  if (!parser.isPunct('{')) parser.unexpected('{');
  parser.advance();
  const outer = parser.enter();
  const statements = statementsUntilBrace(parser, [], openedAt);
  parser.leave(outer);
  return { kind: 'block', statements };
}

/**
 * The content of braces that isn't an object: the statements of a block, or the values of a set, which has a comma
 * after the first value.
 */
export function blockRest(parser: Parser, openedAt: number): Block | Expression[] {
  const outer = parser.enter();
  const statements: Statement[] = [];
  if (!parser.isPunct(';')) {
    const first = parser.grammar.statement(parser);
    if (first.kind === 'expression' && parser.acceptPunct(',')) {
      const items = [first.expression, ...parser.listUntil('}', openedAt, () => parser.expression())];
      parser.leave(outer);
      return items;
    }
    // A second statement must be separated; the error mentions that.
    statements.push(first);
  }
  const all = statementsUntilBrace(parser, statements, openedAt);
  parser.leave(outer);
  return { kind: 'block', statements: all };
}

function statementsUntilBrace(parser: Parser, statements: Statement[], openedAt: number): Statement[] {
  const key = 2 * openedAt;
  const list = parser.openList(key, statements);
  while (!parser.acceptPunct('}')) {
    if (parser.acceptPunct(';')) continue;
    const { start } = parser;
    const statement = parser.grammar.statement(parser);
    list.items.push(statement);
    endOfStatement(parser, openedAt, statement, start);
    parser.mayPause(list);
  }
  parser.pauses?.close(key, list);
  return list.items;
}

/** A statement ends with a semicolon, unless the block ends or a brace has just ended what a semicolon would. */
function endOfStatement(parser: Parser, openedAt: number, statement: Statement, start: number): void {
  if (parser.acceptPunct(';') || parser.isPunct('}') || parser.source[parser.previousEnd - 1] === '}') return;
  parser.unclosed('}', openedAt, { statement, start });
}
