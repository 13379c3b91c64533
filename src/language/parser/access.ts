/** ACCESS: granting, showing and revoking what bearer and record access methods hand out, and changing their keys. */
import type { Access, KeyRotation } from '../ast.js';
import { level } from './clauses.js';
import { nanoseconds } from './literal.js';
import type { Parser } from './parser.js';

export function access(parser: Parser): Access {
  parser.advance();
  const name = parser.name();
  const at = parser.acceptWord('ON') ? level(parser) : undefined;
  return { kind: 'access', name, ...(at !== undefined && { level: at }), action: action(parser) };
}

function action(parser: Parser): Access['action'] {
  switch (parser.acceptOneOf('GRANT', 'SHOW', 'REVOKE', 'PURGE', 'ROTATE')) {
    case 'GRANT':
      return grant(parser);
    case 'SHOW':
      return { kind: 'show', which: which(parser) };
    case 'REVOKE':
      return { kind: 'revoke', which: which(parser) };
    case 'PURGE':
      return purge(parser);
    case 'ROTATE':
      return { kind: 'rotate', rotation: rotation(parser) };
    case undefined:
      return parser.unexpected('one of GRANT, SHOW, REVOKE or PURGE');
  }
}

function grant(parser: Parser): Access['action'] {
  parser.expectWord('FOR');
  if (parser.acceptWord('USER')) return { kind: 'grant', subject: { kind: 'user', name: parser.name() } };
  if (!parser.acceptWord('RECORD')) parser.unexpected('USER or RECORD');
  return { kind: 'grant', subject: { kind: 'record', record: parser.expression() } };
}

function which(parser: Parser): Extract<Access['action'], { kind: 'show' | 'revoke' }>['which'] {
  if (parser.isWord('GRANT')) return { kind: 'grant', id: grantId(parser) };
  switch (parser.acceptOneOf('ALL', 'WHERE')) {
    case 'ALL':
      return { kind: 'all' };
    case 'WHERE':
      return { kind: 'where', condition: parser.expression() };
    case undefined:
      return parser.unexpected('one of ALL, GRANT, WHERE');
  }
}

function purge(parser: Parser): Access['action'] {
  const states = parser.commaList(
    () => parser.acceptOneOf('EXPIRED', 'REVOKED') ?? parser.unexpected('EXPIRED or REVOKED'),
  );
  const older = parser.acceptWord('FOR') ? nanoseconds(parser) : undefined;
  return {
    kind: 'purge',
    expired: states.includes('EXPIRED'),
    revoked: states.includes('REVOKED'),
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
