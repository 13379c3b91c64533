/** `{ s; s; e }`. */
import type { Block, Expression, Statement } from '../ast.js';
import { SESSION_KEYWORDS } from '../keywords.js';
import type { Mark } from '../source-error.js';
import type { Parser } from './parser.js';
import type { ReadStatement } from './suggestion.js';

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
    const first = begunStatement(parser);
    if (first.statement.kind === 'expression' && parser.acceptPunct(',')) {
      const items = [first.statement.expression, ...parser.listUntil('}', openedAt, () => parser.expression())];
      parser.leave(outer);
      return items;
    }
    endOfStatement(parser, openedAt, first);
    statements.push(first.statement);
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
    const read = begunStatement(parser);
    list.items.push(read.statement);
    endOfStatement(parser, openedAt, read);
    parser.mayPause(list);
  }
  parser.pauses?.close(key, list);
  return list.items;
}

/** A statement of a block, with the keyword of a session statement that is all of it. */
interface BlockStatement extends ReadStatement {
  readonly keyword: Mark | undefined;
}

function begunStatement(parser: Parser): BlockStatement {
  const { start, end } = parser;
  const isReserved = SESSION_KEYWORDS.has(parser.word);
  const statement = parser.grammar.statement(parser);
  return { statement, start, keyword: isReserved && parser.previousEnd === end ? { start, end } : undefined };
}

/**
 * A statement ends with a semicolon, unless the block ends or a brace has just ended what a semicolon would. A keyword
 * of a session statement isn't taken for a field: nothing would be done, without an error.
 */
function endOfStatement(parser: Parser, openedAt: number, read: BlockStatement): void {
  const isEnded = parser.isPunct(';') || parser.isPunct('}') || parser.source[parser.previousEnd - 1] === '}';
  if (!isEnded) parser.unclosed('}', openedAt, read);
  const { keyword } = read;
  if (keyword !== undefined) {
    const name = parser.source.slice(keyword.start, keyword.end).toUpperCase();
    parser.fail(`Unexpected token \`${name}\`, expected a statement`, { ...keyword, label: RESERVED });
  }
  parser.acceptPunct(';');
}

const RESERVED = 'This is a reserved keyword here; a field of this name is written in backticks';
