/** Definitions as INFO shows them. */
import { quoteString } from '../../value/text/quote.js';
import { formatFloat } from '../../value/text/text.js';
import { typeText } from '../../value/text/type-text.js';
import {
  type AnalyzerFilter,
  ASYNC_EVENT,
  type DefineAnalyzer,
  type DefineBucket,
  type DefineEvent,
  type DefineField,
  type DefineFunction,
  type DefineIndex,
  type DefineModule,
  type DefineSequence,
  type DefineStatement,
  type DefineTable,
  type Expression,
  FIELD_ACTIONS,
  type IndexKind,
  type Reference,
  TABLE_ACTIONS,
  type TableKind,
} from '../ast.js';
import { defineAccessText, defineUserText } from './access.js';
import { defineApiText } from './api.js';
import { configText } from './config.js';
import {
  changefeedText,
  codeText,
  commentText,
  functionPath,
  graphqlTexts,
  head,
  permissionsText,
  permissionText,
} from './definition-clauses.js';
import {
  clause,
  clauses,
  list,
  nameText,
  type Printer,
  paramText,
  plainName,
  type StatementPrinters,
} from './printer.js';

export const DEFINITION_PRINTERS: Pick<StatementPrinters, DefineStatement['kind']> = {
  'define-namespace': (node, printer) =>
    `${head('NAMESPACE', node.mode)} ${nameText(node.name, printer)}${clauses(commentText(node, printer))}`,
  'define-database': (node, printer) =>
    `${head('DATABASE', node.mode)} ${nameText(node.name, printer)}${clauses(
      node.strict && 'STRICT',
      commentText(node, printer),
      changefeedText(node.changefeed),
    )}`,
  'define-table': tableText,
  'define-field': fieldText,
  'define-index': indexText,
  'define-event': eventText,
  'define-param': (node, printer) =>
    `${head('PARAM', node.mode)} ${paramText(node.name)} VALUE ${printer.expression(node.value)}${clauses(
      commentText(node, printer),
      `PERMISSIONS ${permissionText(node.permissions, printer)}`,
    )}`,
  'define-function': functionText,
  'define-sequence': sequenceText,
  'define-user': defineUserText,
  'define-access': defineAccessText,
  'define-config': (node, printer) => `${head('CONFIG', node.mode)} ${configText(node, printer)}`,
  'define-analyzer': analyzerText,
  'define-api': defineApiText,
  'define-bucket': bucketText,
  'define-module': moduleText,
};

function analyzerText(node: DefineAnalyzer, printer: Printer): string {
  const { mode, name, function: path, tokenizers, filters } = node;
  return `${head('ANALYZER', mode)} ${nameText(name, printer)}${clauses(
    clause('FUNCTION', path, functionPath),
    tokenizers.length > 0 && `TOKENIZERS ${tokenizers.join(',').toUpperCase()}`,
    filters.length > 0 && `FILTERS ${list(filters, filterText)}`,
    commentText(node, printer),
  )}`;
}

function sequenceText({ mode, name, batch, start, timeout, permissions }: DefineSequence, printer: Printer): string {
  return `${head('SEQUENCE', mode)} ${nameText(name, printer)}${clauses(
    `BATCH ${printer.expression(batch)} START ${printer.expression(start)}`,
    clause('TIMEOUT', timeout, printer.expression),
    clause('PERMISSIONS', permissions, (each) => permissionText(each, printer)),
  )}`;
}

function bucketText(node: DefineBucket, printer: Printer): string {
  return `${head('BUCKET', node.mode)} ${nameText(node.name, printer)}${clauses(
    node.readonly && 'READONLY',
    clause('BACKEND', node.backend, printer.expression),
    `PERMISSIONS ${permissionText(node.permissions, printer)}`,
    commentText(node, printer),
  )}`;
}

function moduleText(node: DefineModule, printer: Printer): string {
  return `${head('MODULE', node.mode)}${clauses(
    node.name !== undefined && `${node.name} AS`,
    printer.expression(node.source),
    commentText(node, printer),
  )}`;
}

function tableText(node: DefineTable, printer: Printer): string {
  const { mode, name, tableKind, drop, schemafull, view, changefeed, permissions } = node;
  return `${head('TABLE', mode)} ${nameText(name, printer)} TYPE ${tableKindText(tableKind)}${clauses(
    drop && 'DROP',
    schemafull ? 'SCHEMAFULL' : 'SCHEMALESS',
    commentText(node, printer),
    ...graphqlTexts(node),
    clause('AS', view, printer.statement),
    changefeedText(changefeed),
    permissionsText(permissions, TABLE_ACTIONS, ['NONE', 'FULL'], printer),
  )}`;
}

export function tableKindText(kind: TableKind): string {
  if (kind.kind !== 'relation') return kind.kind.toUpperCase();
  const tables = (names: readonly string[]) => names.map(plainName).join(' | ');
  return `RELATION${clauses(clause('IN', kind.from, tables), clause('OUT', kind.to, tables), kind.enforced && 'ENFORCED')}`;
}

function fieldText(node: DefineField, printer: Printer): string {
  const { mode, path, table, type, flexible, reference, value, assert, computed, permissions } = node;
  const code = (expression: Expression) => codeText(expression, printer);
  return `${head('FIELD', mode)} ${printer.idiom(path)} ON ${nameText(table, printer)}${clauses(
    clause('TYPE', type, typeText),
    flexible && 'FLEXIBLE',
    clause('DEFAULT', node.default, (given) => `${given.always ? 'ALWAYS ' : ''}${code(given.value)}`),
    node.readonly && 'READONLY',
    clause('VALUE', value, code),
    clause('ASSERT', assert, code),
    clause('COMPUTED', computed, code),
    clause('REFERENCE ON DELETE', reference, (clause) => referenceText(clause, printer)),
    commentText(node, printer),
    ...graphqlTexts(node),
    permissions === undefined
      ? !printer.secrets && 'PERMISSIONS FULL'
      : permissionsText(permissions, FIELD_ACTIONS, ['FULL'], printer),
  )}`;
}

export function referenceText(reference: Reference, printer: Printer): string {
  return reference.onDelete === 'then'
    ? `THEN ${printer.expression(reference.then)}`
    : reference.onDelete.toUpperCase();
}

function indexText(node: DefineIndex, printer: Printer): string {
  const { mode, name, table, fields, indexKind, concurrently } = node;
  return `${head('INDEX', mode)} ${nameText(name, printer)} ON ${nameText(table, printer)}${clauses(
    fields.length > 0 && `FIELDS ${list(fields, printer.expression)}`,
    indexKindText(indexKind, printer),
    commentText(node, printer),
    concurrently && 'CONCURRENTLY',
  )}`;
}

function indexKindText(kind: IndexKind, printer: Printer): string | undefined {
  switch (kind.kind) {
    case 'plain':
      return undefined;
    case 'unique':
      return 'UNIQUE';
    case 'count':
      return `COUNT${clauses(clause('WHERE', kind.where, printer.expression))}`;
    case 'fulltext': {
      const bm25 = kind.bm25 ?? (printer.secrets ? undefined : [1.2, 0.75]);
      return `FULLTEXT ANALYZER ${plainName(kind.analyzer)}${clauses(
        bm25 !== undefined && `BM25(${bm25[0]},${bm25[1]})`,
        kind.highlights && 'HIGHLIGHTS',
      )}`;
    }
    case 'hnsw':
      return hnswText(kind, printer);
  }
}

/** INFO fills in what follows from M: twice as many links on the lowest layer, and 1 / ln M as the factor of layers. */
function hnswText(kind: Extract<IndexKind, { kind: 'hnsw' }>, printer: Printer): string {
  const m0 = kind.m0 ?? (printer.secrets ? undefined : kind.m * 2);
  const lm = kind.lm ?? (printer.secrets ? undefined : 1 / Math.log(kind.m));
  return `HNSW DIMENSION ${kind.dimension} DIST ${kind.distance} TYPE ${kind.type} EFC ${kind.efc} M ${kind.m}${clauses(
    clause('M0', m0, String),
    clause('LM', lm, formatFloat),
    kind.extendCandidates && 'EXTEND_CANDIDATES',
    kind.keepPrunedConnections && 'KEEP_PRUNED_CONNECTIONS',
    kind.hashedVector && 'HASHED_VECTOR',
  )}`;
}

function eventText(node: DefineEvent, printer: Printer): string {
  const { mode, name, table, async, when, then } = node;
  const code = (expression: Expression) => codeText(expression, printer);
  return `${head('EVENT', mode)} ${nameText(name, printer)} ON ${nameText(table, printer)}${clauses(
    async !== undefined && asyncText(async, printer),
    clause('WHEN', when, code) ?? (!printer.secrets && 'WHEN true'),
    `THEN ${list(then, code)}`,
    commentText(node, printer),
  )}`;
}

export function asyncText({ retry, maxDepth }: NonNullable<DefineEvent['async']>, printer: Printer): string {
  return `ASYNC${clauses(
    clause('RETRY', retry ?? (printer.secrets ? undefined : ASYNC_EVENT.retry), String),
    clause('MAXDEPTH', maxDepth ?? (printer.secrets ? undefined : ASYNC_EVENT.maxDepth), String),
  )}`;
}

function functionText(node: DefineFunction, printer: Printer): string {
  const { mode, name, parameters, returns, body, permissions } = node;
  const args = list(parameters, ({ name, type }) => `${paramText(name)}: ${typeText(type)}`);
  return `${head('FUNCTION', mode)} ${functionPath(name)}(${args})${clauses(
    clause('->', returns, typeText),
    printer.block(body),
    commentText(node, printer),
    ...graphqlTexts(node),
    `PERMISSIONS ${permissionText(permissions, printer)}`,
  )}`;
}

export function filterText(filter: AnalyzerFilter): string {
  switch (filter.kind) {
    case 'edgengram':
    case 'ngram':
      return `${filter.kind.toUpperCase()}(${filter.min},${filter.max})`;
    case 'snowball':
    case 'stopwords':
      return `${filter.kind.toUpperCase()}(${filter.language.toUpperCase()})`;
    case 'mapper':
      return `MAPPER(${quoteString(filter.path)})`;
    default:
      return filter.kind.toUpperCase();
  }
}
