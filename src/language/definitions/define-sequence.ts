/** DEFINE SEQUENCE: its clauses, which come in one order. */
import type { DefineSequence } from '../ast.js';
import { timeout } from '../parser/clauses.js';
import { clause } from '../printer/printer.js';
import { type ClauseRows, type DefinitionGrammar, NONE, shownCode } from './clause.js';
import { mapPermission, permission, permissionText, shownPermission } from './shared-clauses.js';
import { NAMED } from './subjects.js';

const CLAUSES: ClauseRows<DefineSequence> = {
  batch: {
    unset: { kind: 'literal', value: 1000 },
    parse: { BATCH: (parser) => ({ batch: parser.expression() }) },
    text: ({ batch }, printer) => `BATCH ${printer.expression(batch)}`,
    structure: ({ batch }, printer) => ({ batch: shownCode(batch, printer) }),
    map: (batch, mapper) => mapper.expression(batch),
  },
  start: {
    unset: { kind: 'literal', value: 0 },
    parse: { START: (parser) => ({ start: parser.expression() }) },
    text: ({ start }, printer) => `START ${printer.expression(start)}`,
    structure: ({ start }, printer) => ({ start: shownCode(start, printer) }),
    map: (start, mapper) => mapper.expression(start),
  },
  timeout: {
    parse: { TIMEOUT: (parser) => ({ timeout: timeout(parser) }) },
    altered: { parse: { TIMEOUT: (parser) => ({ timeout: parser.expression() }) } },
    text: (node, printer) => clause('TIMEOUT', node.timeout, printer.expression),
    structure: (node) => ({ timeout: (node.timeout?.kind === 'literal' ? node.timeout.value : undefined) ?? NONE }),
    map: (given, mapper) => mapper.expression(given),
  },
  permissions: {
    parse: { PERMISSIONS: (parser) => ({ permissions: permission(parser) }) },
    text: ({ permissions }, printer) => clause('PERMISSIONS', permissions, (each) => permissionText(each, printer)),
    structure: ({ permissions }, printer) => ({ permissions: permissions && shownPermission(permissions, printer) }),
    map: mapPermission,
  },
};

export const DEFINE_SEQUENCE: DefinitionGrammar<DefineSequence> = {
  words: ['SEQUENCE'],
  subject: NAMED,
  clauses: CLAUSES,
  read(parser, table, node) {
    for (const [word, read] of table) if (parser.acceptWord(word)) Object.assign(node, read(parser, node));
    return node;
  },
  alter: {
    subject: { parse: (parser) => ({ name: parser.name() }) },
    clauses: ['timeout', 'permissions'],
    drops: [],
  },
};
