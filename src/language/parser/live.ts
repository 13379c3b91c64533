/** LIVE SELECT, LIVE QUERY, KILL and SHOW CHANGES. */
import { MAX_INT } from '../../value/number.js';
import { parseUuid } from '../../value/uuid.js';
import { int } from '../../value/value.js';
import type { Expression, Kill, KillSessions, Literal, Live, LiveResult, ShowChanges } from '../ast.js';
import { fetchClause, level, projections, target, whereClause } from './clauses.js';
import { durationLiteral, literal, prefixedLiteral, unsigned } from './expression/literal.js';
import type { Parser } from './parser.js';

export function live(parser: Parser): Live | LiveResult {
  parser.advance();
  if (parser.acceptWord('QUERY')) return liveResult(parser);
  parser.expectWord('SELECT');
  const selected = parser.acceptWord('DIFF') ? ({ kind: 'diff' } as const) : projections(parser);
  parser.expectWord('FROM');
  return {
    kind: 'live',
    projections: selected,
    from: target(parser),
    ...whereClause(parser),
    ...fetchClause(parser),
    ...(parser.acceptWord('SINCE') && { since: liveSince(parser) }),
  };
}

function liveResult(parser: Parser): LiveResult {
  const diff = parser.acceptWord('DIFF');
  return {
    kind: 'live-result',
    diff,
    expression: parser.expression(),
    ...(parser.acceptWord('EVERY') && { every: durationLiteral(parser) }),
    ...(parser.acceptWord('SINCE') && { since: liveSince(parser) }),
  };
}

/**
 * As in SHOW CHANGES, or what a client binds that comes back to its live query: a parameter. NONE is for one that comes
 * for the first time.
 */
function liveSince(parser: Parser): Expression {
  if (parser.kind === 'param') return { kind: 'param', name: parser.param() };
  return parser.acceptWord('NONE') ? { kind: 'literal', value: undefined } : moment(parser);
}

export function kill(parser: Parser): Kill | KillSessions {
  parser.advance();
  return killSessions(parser) ?? { kind: 'kill', id: liveId(parser) };
}

const OF_SESSIONS = /(?:OTHER|SESSIONS)\b/iy;

/** Whether `KILL`, the current word, begins what may stand in blocks. Otherwise it is a field there. */
export function killsSessions(parser: Parser): boolean {
  OF_SESSIONS.lastIndex = parser.nextOffset();
  return OF_SESSIONS.test(parser.source);
}

/** KILL OTHER SESSIONS and KILL SESSIONS FOR RECORD, which stand in blocks, too. */
export function killInBlock(parser: Parser): KillSessions {
  parser.advance();
  if (parser.isWord('OTHER')) return others(parser);
  parser.expectWord('SESSIONS');
  parser.expectWord('FOR');
  parser.expectWord('RECORD');
  return { kind: 'kill-sessions', which: { kind: 'record', record: parser.expression() } };
}

function others(parser: Parser): KillSessions {
  parser.expectWord('OTHER');
  parser.expectWord('SESSIONS');
  return { kind: 'kill-sessions', which: { kind: 'others' } };
}

/** 3.x takes UUIDs and parameters; 2.x texts of UUIDs, too. */
function liveId(parser: Parser): Expression {
  if (parser.kind === 'param') return { kind: 'param', name: parser.param() };
  if (parser.kind === 'prefixed' && parser.form === 'u') return prefixedLiteral(parser);
  if (parser.kind === 'string' && parseUuid(parser.text) !== undefined) return literal(parser);
  parser.unexpected('a UUID or a parameter');
}

const OF_CHANGES = /CHANGES\b/iy;

/** Whether `SHOW`, the current word, begins what may stand as a value. Otherwise it is a field there. */
export function showsChanges(parser: Parser): boolean {
  OF_CHANGES.lastIndex = parser.nextOffset();
  return OF_CHANGES.test(parser.source);
}

export function showChanges(parser: Parser): ShowChanges {
  parser.advance();
  parser.expectWord('CHANGES');
  parser.expectWord('FOR');
  const table = parser.acceptWord('TABLE') ? parser.name() : undefined;
  if (table === undefined && parser.acceptOneOf('DATABASE', 'DB') === undefined)
    parser.unexpected('`TABLE` or `DATABASE`');
  parser.expectWord('SINCE');
  const since = moment(parser);
  return {
    kind: 'show-changes',
    since,
    ...(table !== undefined && { table }),
    ...(parser.acceptWord('LIMIT') && { limit: Number(unsigned(parser, 'an unsigned integer', 0xffff_ffffn)) }),
  };
}

/** A versionstamp or a datetime, written out. */
function moment(parser: Parser): Literal {
  if (parser.kind === 'prefixed' && parser.form === 'd') return prefixedLiteral(parser) as Literal;
  const stamp = unsigned(parser, 'a version stamp or a date-time', 2n ** 64n - 1n);
  // Nothing is ever changed at the versionstamps that an int can't say.
  return { kind: 'literal', value: int(stamp > MAX_INT ? MAX_INT : stamp) };
}

// KILL SESSION and KILL SESSIONS.

/** KILL SESSION and KILL SESSIONS. */
function killSessions(parser: Parser): KillSessions | undefined {
  if (parser.isWord('OTHER')) return others(parser);
  switch (parser.acceptOneOf('SESSION', 'SESSIONS')) {
    case 'SESSION':
      return { kind: 'kill-sessions', which: { kind: 'one', id: parser.expression() } };
    case 'SESSIONS':
      return { kind: 'kill-sessions', which: which(parser) };
    case undefined:
      return undefined;
  }
}

function which(parser: Parser): KillSessions['which'] {
  if (!parser.acceptWord('FOR')) return { kind: 'own' };
  switch (parser.acceptOneOf('USER', 'RECORD')) {
    case 'USER': {
      const name = parser.name();
      return { kind: 'user', name, ...(parser.acceptWord('ON') && { level: level(parser) }) };
    }
    case 'RECORD':
      return { kind: 'record', record: parser.expression() };
    case undefined:
      return parser.unexpected('USER or RECORD');
  }
}
