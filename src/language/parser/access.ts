/** ACCESS: granting, showing and revoking what bearer and record access methods hand out, and changing their keys. */
import type { Access, KeyRotation, RecordIdLiteral } from '../ast.js';
import type { Mark } from '../source-error.js';
import { level } from './clauses.js';
import { nanoseconds } from './expression/literal.js';
import { singleRecordId } from './expression/record-id.js';
import type { Parser } from './parser.js';

export function access(parser: Parser): Access {
  parser.advance();
  const name = parser.name();
  const at = parser.acceptWord('ON') ? level(parser) : undefined;
  return { kind: 'access', name, ...(at !== undefined && { level: at }), action: action(parser) };
}

function action(parser: Parser): Access['action'] {
  const word = parser.tokenMark();
  switch (parser.acceptOneOf('GRANT', 'SHOW', 'REVOKE', 'PURGE', 'ROTATE', 'LINK')) {
    case 'GRANT':
      return grant(parser, word);
    case 'SHOW':
      return { kind: 'show', which: which(parser, 'SHOW', word) };
    case 'REVOKE':
      return { kind: 'revoke', which: which(parser, 'REVOKE', word) };
    case 'PURGE':
      return purge(parser, word);
    case 'ROTATE':
      return { kind: 'rotate', rotation: rotation(parser) };
    case 'LINK':
      return link(parser);
    case undefined:
      return parser.unexpected('one of GRANT, SHOW, REVOKE or PURGE');
  }
}

/** The peer points at the word whose rest is wrong. */
function wrongRest(parser: Parser, word: string, mark: Mark, expected: string): never {
  parser.fail(`Unexpected token \`${word}\`, expected ${expected}`, mark);
}

function grant(parser: Parser, word: Mark): Access['action'] {
  parser.expectWord('FOR');
  if (parser.acceptWord('USER')) return { kind: 'grant', subject: { kind: 'user', name: parser.name() } };
  if (!parser.acceptWord('RECORD')) wrongRest(parser, 'GRANT', word, 'either USER or RECORD');
  return { kind: 'grant', subject: { kind: 'record', record: record(parser) } };
}

/** The rest of `LINK RECORD user:ann SUBJECT '…'`. */
function link(parser: Parser): Access['action'] {
  parser.expectWord('RECORD');
  const id = record(parser);
  parser.expectWord('SUBJECT');
  return { kind: 'link', record: id, subject: parser.string() };
}

function record(parser: Parser): RecordIdLiteral {
  if (!parser.isName()) parser.unexpected('an identifier');
  if (parser.source[parser.end] === ':') return singleRecordId(parser);
  parser.advance();
  return parser.unexpected(':');
}

function which(
  parser: Parser,
  word: 'SHOW' | 'REVOKE',
  mark: Mark,
): Extract<Access['action'], { kind: 'show' | 'revoke' }>['which'] {
  if (parser.isWord('GRANT')) return { kind: 'grant', id: grantId(parser) };
  switch (parser.acceptOneOf('ALL', 'WHERE')) {
    case 'ALL':
      return { kind: 'all' };
    case 'WHERE':
      return { kind: 'where', condition: parser.expression() };
    case undefined:
      return wrongRest(parser, word, mark, 'one of ALL, GRANT or WHERE');
  }
}

function purge(parser: Parser, mark: Mark): Access['action'] {
  const states = new Set<string>();
  for (;;) {
    const state = parser.acceptOneOf('EXPIRED', 'REVOKED');
    if (state === undefined) break;
    if (states.has(state)) wrongRest(parser, 'PURGE', mark, 'ACCESS PURGE statement to end');
    states.add(state);
    parser.acceptPunct(',');
  }
  if (states.size === 0) wrongRest(parser, 'PURGE', mark, 'EXPIRED, or REVOKED');
  const older = parser.acceptWord('FOR') ? nanoseconds(parser) : undefined;
  return {
    kind: 'purge',
    expired: states.has('EXPIRED'),
    revoked: states.has('REVOKED'),
    ...(older !== undefined && { inactiveFor: older }),
  };
}

/** The rest of `ROTATE [KEY '…'] [WITH ISSUER KEY '…'] [KEEP 1h]`. */
function rotation(parser: Parser): KeyRotation {
  const key = parser.acceptWord('KEY') ? parser.string() : undefined;
  let issuerKey: string | undefined;
  if (parser.acceptWord('WITH')) {
    parser.expectWord('ISSUER');
    parser.expectWord('KEY');
    issuerKey = parser.string();
  }
  const keep = parser.acceptWord('KEEP') ? nanoseconds(parser) : undefined;
  return {
    ...(key !== undefined && { key }),
    ...(issuerKey !== undefined && { issuerKey }),
    ...(keep !== undefined && { keep }),
  };
}

/** The id behind the word GRANT, by its characters: it may begin with a digit. */
function grantId(parser: Parser): string {
  const start = parser.nextOffset();
  const end = parser.wordEnd(start);
  if (end === start) {
    parser.advance();
    return parser.name();
  }
  parser.jump(end);
  return parser.source.slice(start, end);
}
