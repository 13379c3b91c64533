/** DEFINE TABLE: its clauses, the SELECT of a view among them. */
import { type DefineTable, type Expression, type Select, TABLE_ACTIONS, type TableKind } from '../ast.js';
import { whereClause } from '../parser/clauses.js';
import { groupClause, selected } from '../parser/grouping.js';
import type { Parser } from '../parser/parser.js';
import { clause, clauses, plainName } from '../printer/printer.js';
import { select as mapSelect } from '../visitor/select.js';
import { type ClauseRows, type DefinitionDraft, type DefinitionGrammar, flagClause, shownObject } from './clause.js';
import {
  allActions,
  CHANGEFEED,
  COMMENT,
  IN_GRAPHQL,
  mapPermissions,
  permissions,
  permissionsText,
  shownPermissions,
} from './shared-clauses.js';
import { NAMED } from './subjects.js';

type Node = DefinitionDraft<DefineTable>;

const UNSET: TableKind = { kind: 'any' };

const CLAUSES: ClauseRows<DefineTable> = {
  tableKind: {
    unset: UNSET,
    parse: { TYPE: (parser) => ({ tableKind: tableKind(parser) }) },
    text: (node) => `TYPE ${tableKindText(node.tableKind)}`,
    structure: (node) => ({ kind: shownKind(node.tableKind) }),
  },
  drop: {
    ...flagClause<DefineTable>('DROP', (node) => node.drop, { drop: true }),
    structure: ({ drop }) => ({ drop }),
  },
  schemafull: {
    unset: false,
    parse: { SCHEMAFULL: schemafull, SCHEMAFUL: schemafull, SCHEMALESS: () => ({ schemafull: false }) },
    text: (node) => (node.schemafull ? 'SCHEMAFULL' : 'SCHEMALESS'),
    altered: { parse: { SCHEMAFULL: () => ({ schemafull: true }), SCHEMAFUL: () => ({ schemafull: true }) } },
    structure: (node) => ({ schemafull: node.schemafull }),
  },
  comment: COMMENT,
  ...IN_GRAPHQL,
  view: {
    parse: { AS: (parser) => ({ view: view(parser) }) },
    text: (node, printer) => clause('AS', node.view, printer.statement),
    structure: (node, printer) => ({ view: clause('AS', node.view, printer.statement) }),
    map: mapSelect,
  },
  changefeed: CHANGEFEED,
  permissions: {
    unset: allActions(TABLE_ACTIONS, { kind: 'none' }),
    parse: { PERMISSIONS: (parser) => ({ permissions: permissions(parser, TABLE_ACTIONS, 'none') }) },
    text: (node, printer) => permissionsText(node.permissions, TABLE_ACTIONS, ['NONE', 'FULL'], printer),
    structure: (node, printer) => ({ permissions: shownPermissions(node.permissions, printer) }),
    map: mapPermissions,
  },
};

export const DEFINE_TABLE: DefinitionGrammar<DefineTable> = {
  words: ['TABLE'],
  subject: NAMED,
  clauses: CLAUSES,
  alter: {
    subject: { parse: (parser) => ({ name: parser.name() }) },
    clauses: ['tableKind', 'schemafull', 'comment', 'graphqlAlias', 'graphqlDeprecated', 'changefeed', 'permissions'],
    drops: ['comment', 'changefeed', 'graphqlAlias', 'graphqlDeprecated'],
    action: { words: ['COMPACT'], does: 'compact' },
  },
};

/** A schemafull table holds no edges unless its type says so. */
function schemafull(_: Parser, { tableKind: kind }: Node): Partial<Node> {
  return { schemafull: true, ...(kind === UNSET && { tableKind: { kind: 'normal' } }) };
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

function tableKindText(kind: TableKind): string {
  if (kind.kind !== 'relation') return kind.kind.toUpperCase();
  const names = (tables: readonly string[]) => tables.map(plainName).join(' | ');
  return `RELATION${clauses(clause('IN', kind.from, names), clause('OUT', kind.to, names), kind.enforced && 'ENFORCED')}`;
}

function shownKind(kind: TableKind) {
  if (kind.kind !== 'relation') return shownObject({ kind: kind.kind.toUpperCase() });
  return shownObject({ enforced: kind.enforced, in: kind.from, kind: 'RELATION', out: kind.to });
}

/**
 * The SELECT of a view, in parentheses or not: it reads tables alone, and has no clauses but WHERE and GROUP, since
 * order and limits can't be kept up to date.
 */
function view(parser: Parser): Select {
  const openedAt = parser.start;
  const inParentheses = parser.acceptPunct('(');
  if (!parser.isWord('SELECT')) parser.unexpected('`SELECT`');
  const outer = parser.enter();
  const tree = viewSelect(parser);
  parser.leave(outer);
  if (inParentheses) parser.expectClose(')', openedAt);
  return tree;
}

function viewSelect(parser: Parser): Select {
  parser.advance();
  const { projections, mark } = selected(parser);
  parser.expectWord('FROM');
  // Errors point at the selection with its FROM, other than those of a SELECT.
  const selection = { projections, mark: { ...mark, end: parser.previousEnd } };
  const from = parser.commaList((): Expression => ({ kind: 'table', name: parser.name() }));
  const where = whereClause(parser);
  const group = groupClause(parser, selection);
  return { kind: 'select', projections, only: false, from, ...where, ...group };
}
