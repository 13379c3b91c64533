/** Statements other than definitions as text, one row for each kind. */
import { escapeIdentifier, quoteString } from '../../value/text/quote.js';
import { typeText } from '../../value/text/type-text.js';
import { formatDuration } from '../../value/time/duration.js';
import { Duration } from '../../value/value.js';
import type {
  Access,
  DefineStatement,
  Delete,
  Explain,
  Expression,
  Info,
  Insert,
  KeyRotation,
  KillSessions,
  Name,
  RemoveStatement,
  Select,
  Update,
  Upsert,
} from '../ast.js';
import {
  assignmentsText,
  dataText,
  durationText,
  explainText,
  expressionsText,
  groupText,
  hintsText,
  levelText,
  limitText,
  orderText,
  outputText,
  projectionsText,
  splitText,
} from './clauses.js';
import {
  clause,
  clauses,
  functionPath,
  list,
  nameText,
  type Printer,
  paramText,
  plainName,
  REDACTED_LITERAL,
  type StatementPrinters,
} from './printer.js';

export const STATEMENT_PRINTERS: Omit<StatementPrinters, DefineStatement['kind'] | 'alter' | 'alter-level'> = {
  expression: ({ expression }, printer) => expressionStatement(expression, printer),
  use: ({ namespace, database }, printer) => {
    const text = (name: Name): string => (typeof name === 'string' ? plainName(name) : nameText(name, printer));
    return `USE${clauses(clause('NAMESPACE', namespace, text), clause('DATABASE', database, text))}`;
  },
  let: ({ name, type, value }, printer) =>
    `LET ${paramText(name)}${type === undefined ? '' : `: ${typeText(type)}`} = ${printer.expression(value)}`,
  return: ({ value, fetch }, printer) =>
    `RETURN ${printer.expression(value)}${clauses(expressionsText('FETCH', fetch, printer))}`,
  throw: ({ value }, printer) => `THROW ${printer.expression(value)}`,
  for: ({ variable, over, body }, printer) =>
    `FOR ${paramText(variable)} IN ${printer.beforeBlock(over)} ${printer.block(body)}`,
  break: () => 'BREAK',
  continue: () => 'CONTINUE',
  begin: () => 'BEGIN',
  commit: () => 'COMMIT',
  cancel: () => 'CANCEL',
  option: ({ name, value }) => `OPTION ${plainName(name)}${value ? '' : ' = FALSE'}`,
  sleep: ({ duration }, printer) => `SLEEP ${printer.expression(duration)}`,
  select: selectText,
  create: ({ only, targets, data, output, version, timeout }, printer) =>
    `CREATE${clauses(
      only && 'ONLY',
      list(targets, printer.expression),
      dataText(data, printer),
      outputText(output, printer),
      clause('VERSION', version, printer.expression),
      clause('TIMEOUT', timeout, printer.expression),
    )}`,
  insert: insertText,
  update: (node, printer) => `UPDATE${changeText(node, printer)}`,
  upsert: (node, printer) => `UPSERT${changeText(node, printer)}`,
  delete: (node, printer) => `DELETE${changeText(node, printer)}`,
  relate: ({ only, orUpdate, from, edge, to, data, output, timeout }, printer) =>
    `RELATE${clauses(
      only && 'ONLY',
      orUpdate && 'OR UPDATE',
      `${endText(from, printer)} -> ${endText(edge, printer)} -> ${endText(to, printer)}`,
      dataText(data, printer),
      outputText(output, printer),
      clause('TIMEOUT', timeout, printer.expression),
    )}`,
  live: ({ projections, from, where, fetch, since }, printer) =>
    `LIVE SELECT${clauses(
      projections.kind === 'diff' ? 'DIFF' : projectionsText(projections, printer),
      `FROM ${printer.expression(from)}`,
      clause('WHERE', where, printer.expression),
      expressionsText('FETCH', fetch, printer),
      clause('SINCE', since, printer.expression),
    )}`,
  'live-result': ({ diff, expression, every, since }, printer) =>
    `LIVE QUERY${clauses(
      diff && 'DIFF',
      printer.expression(expression),
      clause('EVERY', every, printer.expression),
      clause('SINCE', since, printer.expression),
    )}`,
  kill: ({ id }, printer) => `KILL ${printer.expression(id)}`,
  'kill-sessions': ({ which }, printer) => `KILL ${sessionsText(which, printer)}`,
  'failed-events': ({ action, id }, printer) =>
    `${action.toUpperCase()} ${id === undefined ? 'EVENTS' : `EVENT ${printer.expression(id)}`}`,
  'show-changes': ({ table, since, limit }, printer) =>
    `SHOW CHANGES FOR ${table === undefined ? 'DATABASE' : `TABLE ${plainName(table)}`}${clauses(
      `SINCE ${printer.expression(since)}`,
      limit !== undefined && `LIMIT ${limit}`,
    )}`,
  info: ({ of, structure, version }, printer) =>
    `INFO FOR ${infoSubject(of, printer)}${clauses(structure && 'STRUCTURE', clause('VERSION', version, printer.expression))}`,
  rebuild: ({ ifExists, index, table, concurrently }) =>
    `REBUILD INDEX${clauses(
      ifExists && 'IF EXISTS',
      `${escapeIdentifier(index)} ON ${escapeIdentifier(table)}`,
      concurrently && 'CONCURRENTLY',
    )}`,
  explain: explainStatement,
  'explain-permissions': ({ statement, as }, printer) =>
    `EXPLAIN PERMISSIONS ${printer.statement(statement)}${clauses(clause('AS', as, printer.expression))}`,
  'explain-record-permissions': ({ action, target, to, as, access }, printer) =>
    `EXPLAIN PERMISSIONS FOR ${action} ON ${printer.expression(target)}${clauses(
      clause('TO', to, printer.expression),
      clause('AS', as, printer.expression),
      access !== undefined && `ACCESS ${plainName(access)}`,
    )}`,
  access: ({ name, level, action }, printer) =>
    `ACCESS ${plainName(name)}${clauses(level !== undefined && levelText(level), accessAction(action, printer))}`,
  remove: removeText,
};

/** `$a = 5` would be taken for an assignment. */
const ASSIGNMENT_LIKE = /^\$(?:\w+|`(?:[^`\\]|\\.)*`)\s*=(?!=)/;

function expressionStatement(expression: Expression, printer: Printer): string {
  const text = printer.expression(expression);
  return ASSIGNMENT_LIKE.test(text) ? `(${text})` : text;
}

function selectText(node: Select, printer: Printer): string {
  return `SELECT${clauses(
    projectionsText(node.projections, printer),
    expressionsText('OMIT', node.omit, printer),
    `FROM${node.only ? ' ONLY' : ''} ${list(node.from, printer.expression)}`,
    hintsText(node.with),
    clause('WHERE', node.where, printer.expression),
    splitText(node.split, printer),
    groupText(node.group, printer),
    orderText(node.order, printer),
    limitText(node.limit, node.start, printer),
    expressionsText('FETCH', node.fetch, printer),
    clause('VERSION', node.version, printer.expression),
    clause('TIMEOUT', node.timeout, printer.expression),
    node.parallel && 'PARALLEL',
    node.tempfiles && 'TEMPFILES',
    explainText(node.explain),
  )}`;
}

function changeText(node: Update | Upsert | Delete, printer: Printer): string {
  return clauses(
    node.only && 'ONLY',
    list(node.targets, printer.expression),
    hintsText(node.with),
    node.kind !== 'delete' && dataText(node.data, printer),
    clause('WHERE', node.where, printer.expression),
    outputText(node.output, printer),
    clause('TIMEOUT', node.timeout, printer.expression),
    explainText(node.explain),
  );
}

function insertText(node: Insert, printer: Printer): string {
  const { relation, ignore, into, data, onDuplicate, output, version, timeout } = node;
  return `INSERT${clauses(
    relation && 'RELATION',
    ignore && 'IGNORE',
    clause('INTO', into, printer.expression),
    data.kind === 'value' ? printer.expression(data.value) : rowsText(data, printer),
    onDuplicate !== undefined && `ON DUPLICATE KEY UPDATE ${assignmentsText(onDuplicate, printer)}`,
    outputText(output, printer),
    clause('VERSION', version, printer.expression),
    clause('TIMEOUT', timeout, printer.expression),
  )}`;
}

function rowsText({ fields, rows }: Extract<Insert['data'], { kind: 'rows' }>, printer: Printer): string {
  const values = list(rows, (row) => `(${list(row, printer.expression)})`);
  return `(${list(fields, printer.idiom)}) VALUES ${values}`;
}

/** Kinds that may stand at an arrow as they are. */
const ENDS: ReadonlySet<Expression['kind']> = new Set(['param', 'record-id', 'array', 'table', 'subquery']);

function endText(node: Expression, printer: Printer): string {
  const text = printer.expression(node);
  return ENDS.has(node.kind) ? text : `(${text})`;
}

function infoSubject(of: Info['of'], printer: Printer): string {
  switch (of.kind) {
    case 'root':
    case 'namespace':
    case 'database':
    case 'sessions':
    case 'nodes':
    case 'mail':
    case 'events':
    case 'tables':
    case 'buckets':
      return of.kind.toUpperCase();
    case 'signin-attempts':
      return 'SIGNIN ATTEMPTS';
    case 'audit-verification':
      return 'AUDIT VERIFY';
    case 'audit':
      return `AUDIT${clauses(
        clause('WHERE', of.where, printer.expression),
        of.limit !== undefined && `LIMIT ${of.limit}`,
      )}`;
    case 'table':
      return `TABLE ${nameText(of.name, printer)}`;
    case 'user':
    case 'access':
      return `${of.kind.toUpperCase()} ${nameText(of.name, printer)}${clauses(of.level !== undefined && levelText(of.level))}`;
    case 'index':
      return `INDEX ${nameText(of.name, printer)} ON ${nameText(of.table, printer)}`;
  }
}

function sessionsText(which: KillSessions['which'], printer: Printer): string {
  switch (which.kind) {
    case 'one':
      return `SESSION ${printer.expression(which.id)}`;
    case 'own':
      return 'SESSIONS';
    case 'others':
      return 'OTHER SESSIONS';
    case 'user':
      return `SESSIONS FOR USER ${plainName(which.name)}${clauses(which.level !== undefined && levelText(which.level))}`;
    case 'record':
      return `SESSIONS FOR RECORD ${printer.expression(which.record)}`;
  }
}

function explainStatement({ analyze, format, statement }: Explain, printer: Printer): string {
  const how = clauses(analyze && 'ANALYZE', format !== undefined && `FORMAT ${format.toUpperCase()}`);
  return `EXPLAIN${how} ${printer.statement(statement)}`;
}

function accessAction(action: Access['action'], printer: Printer): string {
  switch (action.kind) {
    case 'grant':
      return action.subject.kind === 'user'
        ? `GRANT FOR USER ${plainName(action.subject.name)}`
        : `GRANT FOR RECORD ${printer.expression(action.subject.record)}`;
    case 'show':
    case 'revoke':
      return `${action.kind.toUpperCase()} ${grantsText(action.which, printer)}`;
    case 'link':
      return `LINK RECORD ${printer.expression(action.record)} SUBJECT ${secretText(action.subject, printer)}`;
    case 'rotate':
      return `ROTATE${rotationText(action.rotation, printer)}`;
    case 'purge': {
      const states = [action.expired && 'EXPIRED', action.revoked && 'REVOKED'].filter(Boolean).join(', ');
      const inactive =
        action.inactiveFor === undefined ? '' : ` FOR ${formatDuration(new Duration(action.inactiveFor))}`;
      return `PURGE ${states}${inactive}`;
    }
  }
}

/** What may be a secret, such as that of an authenticator app. */
function secretText(text: string, { secrets }: Printer): string {
  return secrets ? quoteString(text) : REDACTED_LITERAL;
}

function rotationText({ key, issuerKey, keep }: KeyRotation, printer: Printer): string {
  const secret = (text: string) => secretText(text, printer);
  return clauses(
    clause('KEY', key, secret),
    clause('WITH ISSUER KEY', issuerKey, secret),
    clause('KEEP', keep, durationText),
  );
}

function grantsText(which: Extract<Access['action'], { kind: 'show' | 'revoke' }>['which'], printer: Printer): string {
  if (which.kind === 'all') return 'ALL';
  return which.kind === 'grant' ? `GRANT ${grantId(which.id)}` : `WHERE ${printer.expression(which.condition)}`;
}

/** An id may begin with a digit. */
function grantId(id: string): string {
  return /^\w+$/.test(id) ? id : plainName(id);
}

function removeText({ ifExists, of }: RemoveStatement, printer: Printer): string {
  return `REMOVE ${of.kind.toUpperCase()}${clauses(ifExists && 'IF EXISTS', removedText(of, printer))}`;
}

function removedText(of: RemoveStatement['of'], printer: Printer): string {
  switch (of.kind) {
    case 'param':
      return paramText(of.name);
    case 'function':
      return functionPath(of.name);
    case 'field':
      return `${printer.idiom(of.path)} ON ${nameText(of.table, printer)}`;
    case 'index':
    case 'event':
      return `${nameText(of.name, printer)} ON ${nameText(of.table, printer)}`;
    case 'user':
    case 'access':
      return `${nameText(of.name, printer)} ${levelText(of.level)}`;
    case 'config':
      return of.config.toUpperCase();
    default:
      return nameText(of.name, printer);
  }
}
