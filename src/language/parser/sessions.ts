/** KILL SESSION and KILL SESSIONS. */
import type { KillSessions } from '../ast.js';
import { level } from './clauses.js';
import type { Parser } from './parser.js';

/** KILL SESSION and KILL SESSIONS. */
export function killSessions(parser: Parser): KillSessions | undefined {
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
