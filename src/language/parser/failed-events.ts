/** RETRY EVENT and KILL EVENT. */
import type { FailedEvents } from '../ast.js';
import type { Parser } from './parser.js';

const OF_EVENTS = /EVENTS?\b/iy;

/** Whether `RETRY` or `KILL`, the current word, is about events. */
export function concernsEvents(parser: Parser): boolean {
  OF_EVENTS.lastIndex = parser.nextOffset();
  return OF_EVENTS.test(parser.source);
}

export function failedEvents(parser: Parser): FailedEvents {
  const action = parser.isWord('RETRY') ? 'retry' : 'kill';
  parser.advance();
  if (parser.acceptWord('EVENTS')) return { kind: 'failed-events', action };
  parser.expectWord('EVENT');
  return { kind: 'failed-events', action, id: parser.expression() };
}
