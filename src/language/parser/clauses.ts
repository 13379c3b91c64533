/**
 * Clauses that several statements share. Those that give an object have the fields of the node, to be spread into it.
 */
import {
  type Assignment,
  CONFIG_KINDS,
  type Config,
  type Data,
  type ExplainClause,
  type Expression,
  type Idiom,
  type IndexHints,
  type Level,
  type Name,
  type Order,
  type OrderKey,
  type Output,
  type Projection,
  type Projections,
} from '../ast.js';
import type { Parser } from './parser.js';

/** The kind of a configuration; `undefined` if the next word is none. */
export function configKind(parser: Parser): Config['kind'] | undefined {
  const kind = CONFIG_KINDS.find((each) => parser.isWord(each.toUpperCase()));
  if (kind !== undefined) parser.advance();
  return kind;
}

/** `VALUE expr [AS path]`, or `*` and expressions with names. */
export function projections(parser: Parser): Projections {
  // `SELECT value FROM t` is ambiguous with `SELECT VALUE from …`: like the reference engine, VALUE is assumed.
  if (parser.acceptWord('VALUE')) return { kind: 'value', expression: parser.expression(), ...alias(parser) };
  return { kind: 'fields', items: parser.commaList(() => projection(parser)) };
}

function projection(parser: Parser): Projection {
  if (parser.acceptPunct('*')) return { kind: 'all' };
  return { kind: 'expression', expression: parser.expression(), ...alias(parser) };
}

function alias(parser: Parser): { alias?: Idiom } {
  return parser.acceptWord('AS') ? { alias: parser.idiom() } : {};
}

/** The targets of a statement: a bare word is a table here. */
export function target(parser: Parser): Expression {
  const { start } = parser;
  const expression = parser.expression();
  if (expression.kind !== 'idiom' || expression.start !== undefined || expression.parts.length !== 1) return expression;
  const part = expression.parts[0];
  return part?.kind === 'field' ? parser.begunAt(start, { kind: 'table', name: part.name }) : expression;
}

export function targets(parser: Parser): Expression[] {
  return parser.commaList(() => target(parser));
}

export function expressions(parser: Parser): Expression[] {
  return parser.commaList(() => parser.expression());
}

export function idioms(parser: Parser): Idiom[] {
  return parser.commaList(() => parser.idiom());
}

/** `WITH INDEX a, b`, `WITH NO INDEX` or `WITH NOINDEX`, if it is there. */
export function withClause(parser: Parser): { with?: IndexHints } {
  if (!parser.acceptWord('WITH')) return {};
  if (parser.acceptWord('NOINDEX')) return { with: { kind: 'noindex' } };
  const none = parser.acceptWord('NO');
  if (!parser.acceptWord('INDEX')) parser.unexpected('`NO`, `NOINDEX` or `INDEX`');
  if (none) return { with: { kind: 'noindex' } };
  return { with: { kind: 'index', names: parser.commaList(() => parser.name()) } };
}

export function whereClause(parser: Parser): { where?: Expression } {
  return parser.acceptWord('WHERE') ? { where: parser.expression() } : {};
}

export function orderClause(parser: Parser): { order?: Order } {
  if (!parser.acceptWord('ORDER')) return {};
  parser.acceptWord('BY');
  if (parser.isWord('RAND') && parser.isAdjacent('(')) {
    parser.advance();
    const openedAt = parser.start;
    parser.advance();
    parser.expectClose(')', openedAt);
    return { order: { kind: 'random' } };
  }
  return { order: { kind: 'by', keys: parser.commaList(() => orderKey(parser)) } };
}

function orderKey(parser: Parser): OrderKey {
  const path = parser.idiom();
  const collate = parser.acceptWord('COLLATE');
  const numeric = parser.acceptWord('NUMERIC');
  const descending = parser.acceptOneOf('ASC', 'DESC') === 'DESC';
  return { path, collate, numeric, descending };
}

/** LIMIT and START, in either order. */
export function limitAndStart(parser: Parser): { limit?: Expression; start?: Expression } {
  let limit: Expression | undefined;
  let start: Expression | undefined;
  for (;;) {
    if (limit === undefined && parser.acceptWord('LIMIT')) {
      parser.acceptWord('BY');
      limit = parser.expression();
    } else if (start === undefined && parser.acceptWord('START')) {
      parser.acceptWord('AT');
      start = parser.expression();
    } else {
      return { ...(limit !== undefined && { limit }), ...(start !== undefined && { start }) };
    }
  }
}

export function fetchClause(parser: Parser): { fetch?: Expression[] } {
  return parser.acceptWord('FETCH') ? { fetch: fetchPaths(parser) } : {};
}

/** Paths, written out or given by parameters and `type::field`. */
export function fetchPaths(parser: Parser): Expression[] {
  return parser.commaList(() => {
    if (parser.kind === 'param') return parser.paramNode();
    return parser.isWord('TYPE') && parser.isAdjacent(':') ? parser.expression() : parser.idiom();
  });
}

export function timeoutClause(parser: Parser): { timeout?: Expression } {
  return parser.acceptWord('TIMEOUT') ? { timeout: timeout(parser) } : {};
}

/**
 * The duration behind TIMEOUT. The JavaScript client of the second generation writes the word twice: `TIMEOUT TIMEOUT
 * 5s`.
 */
export function timeout(parser: Parser): Expression {
  const { start } = parser;
  if (parser.acceptWord('TIMEOUT') && parser.kind !== 'duration') parser.reset(start);
  return parser.expression();
}

export function versionClause(parser: Parser): { version?: Expression } {
  return parser.acceptWord('VERSION') ? { version: parser.expression() } : {};
}

export function explainClause(parser: Parser): { explain?: ExplainClause } {
  if (!parser.acceptWord('EXPLAIN')) return {};
  return { explain: parser.acceptWord('FULL') ? 'full' : 'plan' };
}

const VALUE_DATA = { CONTENT: 'content', MERGE: 'merge', REPLACE: 'replace', PATCH: 'patch' } as const;

export function dataClause(parser: Parser): { data?: Data } {
  const word = parser.acceptOneOf('CONTENT', 'MERGE', 'REPLACE', 'PATCH');
  if (word !== undefined) return { data: { kind: VALUE_DATA[word], value: parser.expression() } };
  if (parser.acceptWord('SET')) return { data: { kind: 'set', assignments: assignments(parser) } };
  if (parser.acceptWord('UNSET')) return { data: { kind: 'unset', paths: idioms(parser) } };
  return {};
}

const ASSIGN: ReadonlySet<string> = new Set<Assignment['operator']>(['=', '+=', '-=', '+?=']);

export function assignments(parser: Parser): Assignment[] {
  return parser.commaList(() => {
    const path = parser.idiom();
    if (parser.kind !== 'punct' || !ASSIGN.has(parser.text)) parser.unexpected('an assign operator');
    const operator = parser.text as Assignment['operator'];
    parser.advance();
    return { path, operator, value: parser.expression() };
  });
}

const OUTPUTS = { NONE: 'none', NULL: 'null', BEFORE: 'before', AFTER: 'after', DIFF: 'diff' } as const;

/** `RETURN NONE|NULL|BEFORE|AFTER|DIFF|VALUE expr|projections`, of a statement that writes. */
export function outputClause(parser: Parser): { output?: Output } {
  if (!parser.acceptWord('RETURN')) return {};
  const word = parser.acceptOneOf('NONE', 'NULL', 'BEFORE', 'AFTER', 'DIFF');
  if (word !== undefined) return { output: { kind: OUTPUTS[word] } };
  return { output: { kind: 'project', projections: projections(parser) } };
}

const LEVELS = {
  ROOT: 'root',
  KV: 'root',
  NAMESPACE: 'namespace',
  NS: 'namespace',
  DATABASE: 'database',
  DB: 'database',
} as const;

/** `ROOT`, `NAMESPACE`, `DATABASE`, or one of their short forms. */
export function level(parser: Parser): Level {
  const word = parser.acceptOneOf('ROOT', 'KV', 'NAMESPACE', 'NS', 'DATABASE', 'DB');
  return word === undefined
    ? parser.unexpected("'NAMEPSPACE', 'DATABASE' or 'ROOT'", Object.keys(LEVELS))
    : LEVELS[word];
}

/** `ON [TABLE] t`. */
export function onTable(parser: Parser): void {
  parser.expectWord('ON');
  parser.acceptWord('TABLE');
}

/** Words that are values rather than names of definitions. */
const VALUES: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NONE', 'NULL']);

/** Tokens after a keyword that begins an expression rather than being a name. */
const CONTINUES = /^(?:!=|[([.+*/:=?<>&|%@-])/;

/** The name of a definition: a bare word, or an expression. */
export function definitionName(parser: Parser): Name {
  return isDefinitionName(parser, CONTINUES) ? parser.name() : parser.expression();
}

/** The path of a field that is defined or removed: literal, or an expression for its text. */
export function definitionPath(parser: Parser): Idiom {
  if (isDefinitionName(parser, /^(?:::|\()/)) return parser.idiom();
  return { kind: 'idiom', start: parser.expression(), parts: [] };
}

function isDefinitionName(parser: Parser, continues: RegExp): boolean {
  const next = parser.nextOffset();
  return parser.isName() && !VALUES.has(parser.word) && !continues.test(parser.source.slice(next, next + 2));
}

/** `IF EXISTS`, if it is there. */
export function ifExists(parser: Parser): boolean {
  if (!parser.acceptWord('IF')) return false;
  parser.expectWord('EXISTS');
  return true;
}

/** `fn::a::b`, given as `a::b`. */
export function functionName(parser: Parser): string {
  // `fn:` is no keyword to the lexer, since a record id may begin so.
  if (!parser.acceptWord('FN')) {
    if (parser.text.toLowerCase() !== 'fn' || parser.kind !== 'word') parser.unexpected('fn');
    parser.advance();
  }
  parser.expectPunct('::');
  let name = parser.name();
  while (parser.acceptPunct('::')) name += `::${parser.name()}`;
  return name;
}

/** `mod::a`, `silo::organisation::package<1.2.3>`. */
export function moduleName(parser: Parser): string {
  const names = [parser.name()];
  while (parser.acceptPunct('::')) names.push(parser.name());
  const version = names[0]?.toLowerCase() === 'silo' ? parser.version() : '';
  return names.join('::') + version;
}
