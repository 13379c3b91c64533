/**
 * INSERT: `INSERT [RELATION] [IGNORE] [INTO table] rows [ON DUPLICATE KEY UPDATE …]`; rows are a value or lists of
 * VALUES.
 */
import type { Expression, Idiom, Insert } from '../ast.js';
import { assignments, outputClause, timeoutClause, versionClause } from './clauses.js';
import { path } from './expression/call.js';
import type { Parser } from './parser.js';

export function insert(parser: Parser): Insert {
  parser.advance();
  const relation = parser.acceptWord('RELATION');
  const ignore = parser.acceptWord('IGNORE');
  const into = parser.acceptWord('INTO') ? destination(parser) : undefined;
  const data = rows(parser) ?? ({ kind: 'value', value: parser.expression() } as const);
  return {
    kind: 'insert',
    relation,
    ignore,
    ...(into !== undefined && { into }),
    data,
    ...onDuplicate(parser),
    ...outputClause(parser),
    ...versionClause(parser),
    ...timeoutClause(parser),
  };
}

/**
 * A table, a param or a call such as `type::table($t)`, never with a path: what follows in parentheses are the fields.
 */
function destination(parser: Parser): Expression {
  if (parser.kind === 'param') return parser.paramNode();
  if (parser.source.startsWith('::', parser.end)) return path(parser);
  const { start } = parser;
  return parser.begunAt(start, { kind: 'table', name: parser.name() });
}

/** `(a, b) VALUES (1, 2), (3, 4)`, if it is that. */
function rows(parser: Parser): Insert['data'] | undefined {
  const start = parser.start;
  const list = fieldList(parser);
  const selector = { start, end: parser.previousEnd };
  if (list === undefined || !parser.acceptWord('VALUES')) {
    if (list?.hasComma) parser.unexpected('VALUES');
    if (parser.start !== start) parser.reset(start);
    return undefined;
  }
  const { fields } = list;
  return {
    kind: 'rows',
    fields,
    rows: parser.commaList(() => {
      const openedAt = parser.start;
      parser.expectPunct('(');
      const row = parser.listUntil(')', openedAt, () => parser.expression());
      if (row.length !== fields.length) {
        parser.fail(
          `Invalid numbers of values to insert, found ${row.length} value(s) but selector requires ${fields.length} value(s).`,
          { start: openedAt, end: parser.previousEnd },
          { ...selector, label: `This selector has ${fields.length} field(s)` },
        );
      }
      return row;
    }),
  };
}

/**
 * Parenthesized paths; `undefined` if the parentheses contain anything else. Limited to names, dots and indexes, which
 * needs no recursion.
 */
function fieldList(parser: Parser): FieldList | undefined {
  const openedAt = parser.start;
  if (!parser.acceptPunct('(')) return undefined;
  const first = simplePath(parser);
  if (first === undefined) return undefined;
  if (parser.acceptPunct(')')) return { fields: [first], hasComma: false };
  if (!parser.acceptPunct(',')) return undefined;
  const others = parser.listUntil(')', openedAt, () => simplePath(parser) ?? parser.unexpected('an identifier'));
  return { fields: [first, ...others], hasComma: true };
}

/** With a comma in it, it is no expression. */
interface FieldList {
  readonly fields: readonly Idiom[];
  readonly hasComma: boolean;
}

function simplePath(parser: Parser): Idiom | undefined {
  if (!parser.isName()) return undefined;
  const parts: Idiom['parts'][number][] = [{ kind: 'field', name: parser.name() }];
  for (;;) {
    if (parser.acceptPunct('.')) {
      if (!parser.isName()) return undefined;
      parts.push({ kind: 'field', name: parser.name() });
    } else if (parser.acceptPunct('[')) {
      if (parser.kind !== 'number' || parser.form !== 'int') return undefined;
      parts.push({ kind: 'index', index: { kind: 'literal', value: parser.natural() } });
      if (!parser.acceptPunct(']')) return undefined;
    } else {
      return { kind: 'idiom', parts };
    }
  }
}

function onDuplicate(parser: Parser): Pick<Insert, 'onDuplicate'> {
  if (!parser.acceptWord('ON')) return {};
  parser.expectWord('DUPLICATE');
  parser.expectWord('KEY');
  parser.expectWord('UPDATE');
  return { onDuplicate: assignments(parser) };
}
