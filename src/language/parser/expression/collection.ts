/** Brackets and braces: arrays, objects, sets, blocks. */
import { failure } from '../../../errors/error.js';
import type { ArrayLiteral, Expression, ObjectLiteral } from '../../ast.js';
import { keepConstant } from '../../constant-value.js';
import { blockRest } from '../block.js';
import type { Parser } from '../parser.js';

export function arrayLiteral(parser: Parser): ArrayLiteral {
  const openedAt = parser.start;
  parser.advance();
  const before = parser.code;
  return written(parser, before, { kind: 'array', items: parser.listUntil(']', openedAt, () => parser.expression()) });
}

export function objectLiteral(parser: Parser): ObjectLiteral {
  const openedAt = parser.start;
  parser.advance();
  return objectRest(parser, openedAt);
}

/**
 * `{…}`: an object if it is empty or begins with a key and a colon, a set if a comma follows the first value, else a
 * block.
 */
export function braces(parser: Parser): Expression {
  const openedAt = parser.start;
  parser.advance();
  if (parser.isPunct('}') || isKey(parser)) return objectRest(parser, openedAt);
  if (parser.acceptPunct(',')) {
    parser.expectClose('}', openedAt);
    return { kind: 'set', items: [] };
  }
  const block = blockRest(parser, openedAt);
  if (!Array.isArray(block)) return block;
  return { kind: 'set', items: block };
}

/** Whether the current token is the key of an object. */
function isKey(parser: Parser): boolean {
  switch (parser.kind) {
    case 'word':
    case 'quoted':
    case 'string':
    case 'number':
    case 'duration': {
      const next = parser.nextOffset();
      return parser.source[next] === ':' && parser.source[next + 1] !== ':';
    }
    default:
      return false;
  }
}

/**
 * Objects of more fields take longer to make than others should wait; objects of messages have the same limit by
 * default.
 */
const MAX_FIELDS = 15_000;

function objectRest(parser: Parser, openedAt: number): ObjectLiteral {
  const before = parser.code;
  const entries = parser.listUntil('}', openedAt, () => {
    const { start } = parser;
    const key = objectKey(parser);
    parser.expectPunct(':');
    return parser.begunAt(start, [key, parser.expression()] as const);
  });
  if (entries.length > MAX_FIELDS) {
    throw failure('query_too_large', { limit: MAX_FIELDS, what: 'fields in one object', setting: 'fixed' });
  }
  return written(parser, before, { kind: 'object', entries });
}

/** In a long text, constant literals are detected while parsing, so that they needn't be walked later. */
function written<L extends ArrayLiteral | ObjectLiteral>(parser: Parser, codeBefore: number, literal: L): L {
  if (parser.pauses !== undefined && keepConstant(literal)) parser.data += parser.code - codeBefore;
  return literal;
}

/** A key: a word, a text, or a number as it is written. */
export function objectKey(parser: Parser): string {
  const kind = parser.kind;
  if (kind !== 'word' && kind !== 'quoted' && kind !== 'string' && kind !== 'number' && kind !== 'duration') {
    parser.unexpected('an object key');
  }
  const key = kind === 'number' ? parser.source.slice(parser.start, parser.end) : parser.text;
  parser.advance();
  return key;
}
