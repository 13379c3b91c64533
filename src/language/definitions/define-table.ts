import { type DefineTable, type Permission, TABLE_ACTIONS, type TableKind, type TablePermissions } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { IN_GRAPHQL } from './graphql-clauses.js';
import { type ClauseTable, changefeed, clauses, comment, mode, permissions } from './shared-clauses.js';
import { view } from './view.js';

type Node = { -readonly [K in keyof DefineTable]: DefineTable[K] };

const NONE: Permission = { kind: 'none' };
const NO_PERMISSIONS: TablePermissions = { select: NONE, create: NONE, update: NONE, delete: NONE };

export const TABLE_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['DROP', () => ({ drop: true })],
  ['SCHEMAFULL', schemafull],
  ['SCHEMAFUL', schemafull],
  ['SCHEMALESS', () => ({ schemafull: false })],
  ['TYPE', (parser) => ({ tableKind: tableKind(parser) })],
  ['AS', (parser) => ({ view: view(parser) })],
  ['CHANGEFEED', (parser) => ({ changefeed: changefeed(parser) })],
  ['PERMISSIONS', (parser) => ({ permissions: permissions(parser, TABLE_ACTIONS, 'none') })],
  ['COMMENT', comment],
  ...IN_GRAPHQL,
]);

export function defineTable(parser: Parser): DefineTable {
  return clauses<Node>(parser, TABLE_CLAUSES, tableNode({ ...mode(parser), name: parser.definitionName() }));
}

const UNSET: TableKind = { kind: 'any' };

/** A schemafull table holds no edges unless its type says so. */
function schemafull(_: Parser, { tableKind: kind }: Node): Partial<Node> {
  return { schemafull: true, ...(kind === UNSET && { tableKind: { kind: 'normal' } }) };
}

/** A table without clauses. */
export function tableNode(head: Pick<DefineTable, 'mode' | 'name'>): DefineTable {
  return {
    kind: 'define-table',
    ...head,
    drop: false,
    schemafull: false,
    tableKind: UNSET,
    permissions: NO_PERMISSIONS,
  };
}

function tableKind(parser: Parser): TableKind {
  if (parser.acceptWord('ANY')) return { kind: 'any' };
  if (parser.acceptWord('NORMAL')) return { kind: 'normal' };
  if (parser.acceptWord('RELATION')) return relation(parser);
  return parser.unexpected('`NORMAL`, `RELATION`, or `ANY`');
}

/** What follows RELATION. */
function relation(parser: Parser): TableKind {
  let from: string[] | undefined;
  let to: string[] | undefined;
  for (;;) {
    if (parser.acceptOneOf('IN', 'FROM') !== undefined) from = tables(parser);
    else if (parser.acceptOneOf('OUT', 'TO') !== undefined) to = tables(parser);
    else break;
  }
  return {
    kind: 'relation',
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    enforced: parser.acceptWord('ENFORCED'),
  };
}

function tables(parser: Parser): string[] {
  const names = [parser.name()];
  while (parser.acceptPunct('|')) names.push(parser.name());
  return names;
}
