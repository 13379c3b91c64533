/** DEFINE EVENT: its clauses. */
import { Table } from '../../value/value.js';
import { ASYNC_EVENT, type DefineEvent } from '../ast.js';
import { expressions } from '../parser/clauses.js';
import { unsigned } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { clause, clauses, list, type Printer } from '../printer/printer.js';
import { each } from '../visitor/rebuild.js';
import {
  type ClauseRows,
  codeClause,
  type DefinitionDraft,
  type DefinitionGrammar,
  readClauses,
  shownCode,
} from './clause.js';
import { COMMENT } from './shared-clauses.js';
import { fixedName, ON_TABLE } from './subjects.js';

type Node = DefinitionDraft<DefineEvent>;

const WHEN = codeClause<DefineEvent>(
  'WHEN',
  (node) => node.when,
  (when) => ({ when }),
);

const CLAUSES: ClauseRows<DefineEvent> = {
  async: {
    parse: {
      ASYNC: (_, node) => ({ async: { ...node.async } }),
      RETRY: (parser, node) => ({ async: { ...asyncOf(parser, node, 'RETRY'), retry: count(parser) } }),
      MAXDEPTH: (parser, node) => ({ async: { ...asyncOf(parser, node, 'MAXDEPTH'), maxDepth: count(parser) } }),
    },
    text: ({ async }, printer) => async && asyncText(async, printer),
    structure: ({ async }) => {
      if (async === undefined) return {};
      const { maxDepth, retry } = { ...ASYNC_EVENT, ...async };
      return { async: true, maxdepth: maxDepth, retry };
    },
  },
  when: {
    ...WHEN,
    text: (node, printer, code) => WHEN.text(node, printer, code) ?? (printer.secrets ? undefined : 'WHEN true'),
    altered: { text: WHEN.text },
  },
  then: {
    unset: [],
    parse: { THEN: (parser) => ({ then: expressions(parser) }) },
    text: ({ then }, _, code) => `THEN ${list(then, code)}`,
    structure: ({ then }, printer) => ({ then: then.map((code) => shownCode(code, printer)) }),
    map: (then, mapper) => each(then, mapper.expression),
  },
  comment: COMMENT,
};

export const DEFINE_EVENT: DefinitionGrammar<DefineEvent> = {
  words: ['EVENT'],
  subject: {
    ...ON_TABLE,
    structure: ({ name, table }) => ({ name: fixedName(name), what: new Table(fixedName(table)) }),
  },
  clauses: CLAUSES,
  read(parser, table, start) {
    const node = readClauses<Node>(parser, table, start);
    if (node.then.length > 0) return node;
    const mark = { start: parser.previousStart, end: parser.previousEnd, label: '`THEN` statement required' };
    return parser.fail('Expected at least one `THEN` statement', mark);
  },
  alter: {
    clauses: ['async', 'when', 'then', 'comment'],
    drops: ['async', 'when', 'comment'],
  },
};

/** The options of an asynchronous event; another event has none. */
function asyncOf(parser: Parser, { async }: Node, word: string): NonNullable<Node['async']> {
  if (async !== undefined) return async;
  const { previousStart: start, previousEnd: end } = parser;
  return parser.fail(`Unexpected token \`${word}\``, { start, end, label: `${word} must be set after ASYNC` });
}

function count(parser: Parser): number {
  return Number(unsigned(parser, 'an unsigned integer', 0xffffn));
}

function asyncText({ retry, maxDepth }: NonNullable<DefineEvent['async']>, printer: Printer): string {
  return `ASYNC${clauses(
    clause('RETRY', retry ?? (printer.secrets ? undefined : ASYNC_EVENT.retry), String),
    clause('MAXDEPTH', maxDepth ?? (printer.secrets ? undefined : ASYNC_EVENT.maxDepth), String),
  )}`;
}
