/** Statements, by their first keyword. */
import type { Statement } from '../ast.js';
import { access } from './access.js';
import {
  bare,
  forStatement,
  letStatement,
  option,
  returnStatement,
  sleep,
  throwStatement,
  transaction,
  use,
} from './control.js';
import { create } from './create.js';
import { deleteStatement } from './delete.js';
import { continued } from './expression/expression.js';
import { asExpression } from './expression/subquery.js';
import { concernsEvents, failedEvents } from './failed-events.js';
import { explain, info, rebuild } from './info.js';
import { insert } from './insert.js';
import { kill, killInBlock, killsSessions, live, showChanges, showsChanges } from './live.js';
import type { Parser } from './parser.js';
import { relate } from './relate.js';
import { remove } from './remove.js';
import { select } from './select.js';
import { update, upsert } from './update.js';

type Read = (parser: Parser) => Statement;

/** Statements that may stand anywhere, also as values. */
const STATEMENTS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['ALTER', (parser) => parser.grammar.alter(parser)],
  ['BREAK', bare('break')],
  ['CONTINUE', bare('continue')],
  ['CREATE', create],
  ['DEFINE', (parser) => parser.grammar.define(parser)],
  ['DELETE', deleteStatement],
  ['EXPLAIN', explain],
  ['FOR', forStatement],
  ['INFO', info],
  ['INSERT', insert],
  ['KILL', killInBlock],
  ['LET', letStatement],
  ['REBUILD', rebuild],
  ['RELATE', relate],
  ['REMOVE', remove],
  ['RETURN', returnStatement],
  ['SELECT', select],
  ['SHOW', showChanges],
  ['SLEEP', sleep],
  ['THROW', throwStatement],
  ['UPDATE', update],
  ['UPSERT', upsert],
]);

/** Session statements: only at the top level. Within blocks their keywords are fields. */
const SESSION_STATEMENTS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['ACCESS', access],
  ['BEGIN', transaction('begin')],
  ['CANCEL', transaction('cancel')],
  ['COMMIT', transaction('commit')],
  ['KILL', (parser) => (concernsEvents(parser) ? failedEvents(parser) : kill(parser))],
  ['LIVE', live],
  ['OPTION', option],
  ['RETRY', (parser) => (concernsEvents(parser) ? failedEvents(parser) : statement(parser))],
  ['SHOW', showChanges],
  ['USE', use],
]);

/** The end of a top-level statement. */
const ENDS: ReadonlySet<string> = new Set([';', '}', ')']);

/** Whether the current word begins a statement; EXPLAIN and words of clauses aren't counted. */
export function beginsStatement({ word }: Parser): boolean {
  return word === 'IF' || SESSION_STATEMENTS.has(word) || (word !== 'EXPLAIN' && STATEMENTS.has(word));
}

/** A statement at the top of a text. `access::identities(…)` is a call. */
export function topStatement(parser: Parser): Statement {
  const read = parser.kind === 'word' ? SESSION_STATEMENTS.get(parser.word) : undefined;
  const isPath = parser.source.startsWith('::', parser.nextOffset());
  return read === undefined || isPath ? statement(parser) : read(parser);
}

/** Configurations, in an export of the reference engine without the words before them: `GRAPHQL TABLES AUTO`. */
const CONFIGS: ReadonlySet<string> = new Set(['API', 'DEFAULT', 'GRAPHQL']);
const WORD = /[A-Za-z]/;

/** A statement at the top of an export. */
export function exportedStatement(parser: Parser): Statement {
  const isConfig = CONFIGS.has(parser.word) && WORD.test(parser.source[parser.nextOffset()] ?? '');
  if (!isConfig) return topStatement(parser);
  const outer = parser.enter();
  const config = parser.grammar.config(parser);
  parser.leave(outer);
  return config;
}

/** A statement anywhere. */
export function statement(parser: Parser): Statement {
  if (parser.kind === 'param') refuseAssignment(parser);
  const read = keywordStatement(parser);
  if (read === undefined) return { kind: 'expression', expression: parser.expression() };
  if ((parser.kind !== 'punct' && parser.kind !== 'word') || ENDS.has(parser.text)) return read;
  const value = asExpression(read);
  const expression = continued(parser, value);
  return expression === value ? read : { kind: 'expression', expression };
}

/** The statement that the current word introduces. `sleep(1s)` and `SLEEP (1s)` are calls. */
export function keywordStatement(parser: Parser): Statement | undefined {
  if (parser.kind !== 'word') return undefined;
  const read = STATEMENTS.get(parser.word);
  if (read === undefined || (parser.word === 'SLEEP' && parser.source[parser.nextOffset()] === '(')) return undefined;
  if (parser.word === 'KILL' && !killsSessions(parser)) return undefined;
  if (parser.word === 'SHOW' && !showsChanges(parser)) return undefined;
  const outer = parser.enter();
  const result = read(parser);
  parser.leave(outer);
  return result;
}

/** `$a = 5` would be a comparison; as a statement, LET is probably meant. */
function refuseAssignment(parser: Parser): void {
  const next = parser.nextOffset();
  if (parser.source[next] !== '=' || parser.source[next + 1] === '=') return;
  const { start, text } = parser;
  parser.advance();
  parser.advance();
  parser.expression();
  parser.fail('Parameter declarations without `let` are deprecated.', {
    start,
    end: parser.previousEnd,
    label: `Replace with \`let $${text} = ...\` to keep the previous behavior.`,
  });
}
