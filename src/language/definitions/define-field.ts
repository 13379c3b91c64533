import { holdsObjects } from '../../value/type.js';
import { type DefineField, FIELD_ACTIONS, type Reference } from '../ast.js';
import { onTable } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import { type } from '../parser/type.js';
import { IN_GRAPHQL } from './graphql-clauses.js';
import { type ClauseTable, clauses, comment, mode, permissions } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineField]: DefineField[K] };

export const FIELD_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['TYPE', (parser) => ({ type: type(parser) })],
  ['FLEXIBLE', flexible],
  ['FLEXI', flexible],
  ['REFERENCE', (parser) => ({ reference: reference(parser) })],
  ['DEFAULT', (parser) => ({ default: { always: parser.acceptWord('ALWAYS'), value: parser.expression() } })],
  ['READONLY', () => ({ readonly: true })],
  ['VALUE', (parser) => ({ value: parser.expression() })],
  ['ASSERT', (parser) => ({ assert: parser.expression() })],
  ['COMPUTED', (parser) => ({ computed: parser.expression() })],
  ['PERMISSIONS', (parser) => ({ permissions: permissions(parser, FIELD_ACTIONS, 'full') })],
  ['COMMENT', comment],
  ...IN_GRAPHQL,
]);

export function defineField(parser: Parser): DefineField {
  const head = mode(parser);
  const path = parser.definitionPath();
  onTable(parser);
  const table = parser.definitionName();
  const node: Node = { kind: 'define-field', ...head, path, table, flexible: false, readonly: false };
  return clauses(parser, FIELD_CLAUSES, node);
}

/** FLEXIBLE belongs to a type: behind it (3.x) or before it (2.x). */
function flexible(parser: Parser, node: Node): Partial<Node> {
  if (node.type === undefined && !parser.isWord('TYPE')) {
    parser.fail('FLEXIBLE must be specified after TYPE', {
      start: parser.previousEnd - 'FLEXIBLE'.length,
      end: parser.previousEnd,
    });
  }
  if (node.type !== undefined && !holdsObjects(node.type)) {
    parser.fail('FLEXIBLE can only be used with types containing object', {
      start: parser.previousEnd - 'FLEXIBLE'.length,
      end: parser.previousEnd,
    });
  }
  return { flexible: true };
}

const ON_DELETE = { REJECT: 'reject', CASCADE: 'cascade', IGNORE: 'ignore', UNSET: 'unset' } as const;

function reference(parser: Parser): Reference {
  if (!parser.acceptWord('ON')) return { onDelete: 'ignore' };
  parser.expectWord('DELETE');
  if (parser.acceptWord('THEN')) return { onDelete: 'then', then: parser.expression() };
  const word = parser.acceptOneOf('REJECT', 'CASCADE', 'IGNORE', 'UNSET');
  return word === undefined
    ? parser.unexpected('`REJECT`, `CASCASE`, `IGNORE`, `UNSET` or `THEN`')
    : { onDelete: ON_DELETE[word] };
}
