/** Statements that steer: LET, RETURN, THROW, FOR, transactions, SLEEP, OPTION, USE. */
import type { Expression, For, Let, Name, Option, Return, Sleep, Statement, Throw, Use } from '../ast.js';
import { block } from './block.js';
import { definitionName, fetchClause } from './clauses.js';
import { durationLiteral } from './expression/literal.js';
import type { Parser } from './parser.js';
import { type } from './type.js';

export function letStatement(parser: Parser): Let {
  parser.advance();
  const name = parser.param();
  const declared = parser.acceptPunct(':') ? type(parser) : undefined;
  parser.expectPunct('=');
  return { kind: 'let', name, ...(declared !== undefined && { type: declared }), value: parser.expression() };
}

export function returnStatement(parser: Parser): Return {
  parser.advance();
  return { kind: 'return', value: parser.expression(), ...fetchClause(parser) };
}

export function throwStatement(parser: Parser): Throw {
  parser.advance();
  return { kind: 'throw', value: parser.expression() };
}

export function forStatement(parser: Parser): For {
  parser.advance();
  const variable = parser.param();
  parser.expectWord('IN');
  const over: Expression = parser.expression();
  return { kind: 'for', variable, over, body: block(parser) };
}

/** A statement that is its keyword. */
export function bare(kind: 'break' | 'continue'): (parser: Parser) => Statement {
  return (parser) => {
    parser.advance();
    // A node of its own: what is derived from nodes is kept in them.
    return { kind };
  };
}

/** `BEGIN`, `COMMIT` or `CANCEL`, with or without TRANSACTION. */
export function transaction(kind: 'begin' | 'commit' | 'cancel'): (parser: Parser) => Statement {
  const statement = { kind };
  return (parser) => {
    parser.advance();
    parser.acceptWord('TRANSACTION');
    return statement;
  };
}

export function sleep(parser: Parser): Sleep {
  parser.advance();
  return { kind: 'sleep', duration: durationLiteral(parser) };
}

export function option(parser: Parser): Option {
  parser.advance();
  const name = parser.name();
  if (!parser.acceptPunct('=')) return { kind: 'option', name, value: true };
  const value = parser.acceptOneOf('TRUE', 'FALSE') ?? parser.unexpected("either 'true' or 'false'");
  return { kind: 'option', name, value: value === 'TRUE' };
}

export function use(parser: Parser): Use {
  parser.advance();
  const namespace = parser.acceptOneOf('NAMESPACE', 'NS') === undefined ? undefined : pathName(parser);
  const database = parser.acceptOneOf('DATABASE', 'DB') === undefined ? undefined : pathName(parser);
  if (namespace === undefined && database === undefined) parser.unexpected('either DATABASE or NAMESPACE');
  return { kind: 'use', ...(namespace !== undefined && { namespace }), ...(database !== undefined && { database }) };
}

/** The name of a namespace or a database, also as an expression. */
function pathName(parser: Parser): Name {
  const name = definitionName(parser);
  if (typeof name === 'string' || name.kind !== 'literal' || typeof name.value !== 'string') return name;
  return name.value;
}
