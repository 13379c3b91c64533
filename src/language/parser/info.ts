/** INFO, REBUILD and EXPLAIN. */
import type { Explain, ExplainPermissions, ExplainRecordPermissions, Info, Level, Name, Rebuild } from '../ast.js';
import { definitionName, ifExists, level, onTable, versionClause, whereClause } from './clauses.js';
import { unsigned } from './expression/literal.js';
import { live } from './live.js';
import type { Parser } from './parser.js';

export function info(parser: Parser): Info {
  parser.advance();
  parser.expectWord('FOR');
  const of = subject(parser);
  const structure = parser.acceptWord('STRUCTURE');
  return { kind: 'info', of, structure, ...versionClause(parser) };
}

const SUBJECTS = [
  'ROOT',
  'KV',
  'NAMESPACE',
  'NS',
  'DATABASE',
  'DB',
  'TABLE',
  'TB',
  'TABLES',
  'BUCKETS',
  'USER',
  'INDEX',
  'ACCESS',
  'SESSIONS',
  'NODES',
  'MAIL',
  'EVENTS',
  'SIGNIN',
  'AUDIT',
] as const;

function subject(parser: Parser): Info['of'] {
  switch (parser.acceptOneOf(...SUBJECTS)) {
    case 'ROOT':
    case 'KV':
      return { kind: 'root' };
    case 'NAMESPACE':
    case 'NS':
      return { kind: 'namespace' };
    case 'DATABASE':
    case 'DB':
      return { kind: 'database' };
    case 'TABLE':
    case 'TB':
      return { kind: 'table', name: definitionName(parser) };
    case 'TABLES':
      return { kind: 'tables' };
    case 'BUCKETS':
      return { kind: 'buckets' };
    case 'SESSIONS':
      return { kind: 'sessions' };
    case 'NODES':
      return { kind: 'nodes' };
    case 'MAIL':
      return { kind: 'mail' };
    case 'EVENTS':
      return { kind: 'events' };
    case 'SIGNIN':
      parser.expectWord('ATTEMPTS');
      return { kind: 'signin-attempts' };
    case 'AUDIT':
      return audit(parser);
    case 'USER':
      return { kind: 'user', ...atLevel(parser) };
    case 'ACCESS':
      return { kind: 'access', ...atLevel(parser) };
    case 'INDEX': {
      const name = definitionName(parser);
      onTable(parser);
      return { kind: 'index', name, table: definitionName(parser) };
    }
    case undefined:
      return parser.unexpected('an info target', SUBJECTS);
  }
}

/** `ann ON ROOT`; without ON at the level that is selected. */
function atLevel(parser: Parser): { readonly name: Name; readonly level?: Level } {
  const name = definitionName(parser);
  return { name, ...(parser.acceptWord('ON') && { level: level(parser) }) };
}

/** Default number of records. */
const MOST_AUDIT_RECORDS = 1_000n;

function audit(parser: Parser): Info['of'] {
  if (parser.acceptWord('VERIFY')) return { kind: 'audit-verification' };
  return {
    kind: 'audit',
    ...whereClause(parser),
    ...(parser.acceptWord('LIMIT') && {
      limit: Number(unsigned(parser, `a number up to ${MOST_AUDIT_RECORDS}`, MOST_AUDIT_RECORDS)),
    }),
  };
}

export function rebuild(parser: Parser): Rebuild {
  parser.advance();
  if (!parser.acceptWord('INDEX')) parser.unexpected('a rebuild statement keyword', ['INDEX']);
  const exists = ifExists(parser);
  const index = parser.name();
  onTable(parser);
  return {
    kind: 'rebuild',
    ifExists: exists,
    index,
    table: parser.name(),
    concurrently: parser.acceptWord('CONCURRENTLY'),
  };
}

export function explain(parser: Parser): Explain | ExplainPermissions | ExplainRecordPermissions {
  parser.advance();
  if (parser.acceptWord('PERMISSIONS')) {
    return parser.acceptWord('FOR') ? explainRecordPermissions(parser) : explainPermissions(parser);
  }
  const analyze = parser.acceptWord('ANALYZE');
  let format: Explain['format'];
  if (parser.acceptWord('FORMAT')) {
    const word = parser.acceptOneOf('TEXT', 'JSON');
    if (word === undefined) parser.unexpected('TEXT or JSON');
    format = word === 'JSON' ? 'json' : 'text';
  }
  const outer = parser.enter();
  // What a live query shows can't be measured: that is done when something changes.
  const statement = !analyze && parser.word === 'LIVE' ? live(parser) : parser.grammar.statement(parser);
  parser.leave(outer);
  return { kind: 'explain', analyze, ...(format !== undefined && { format }), statement };
}

const EXPLAINED: ReadonlySet<string> = new Set(['SELECT', 'UPDATE', 'DELETE']);

/** The record stands last, as after all clauses of the statement. */
function explainPermissions(parser: Parser): ExplainPermissions {
  if (!EXPLAINED.has(parser.word)) parser.unexpected('SELECT, UPDATE, DELETE or FOR');
  const outer = parser.enter();
  const statement = parser.grammar.statement(parser) as ExplainPermissions['statement'];
  parser.leave(outer);
  if (!parser.acceptWord('AS')) return { kind: 'explain-permissions', statement };
  return { kind: 'explain-permissions', statement, as: parser.expression() };
}

/** `FOR select ON person:1 [AS person:2 [ACCESS account]]`, `FOR copy ON f"a:/1" TO f"b:/1" …`. */
function explainRecordPermissions(parser: Parser): ExplainRecordPermissions {
  const word = parser.acceptOneOf(...EXPLAINED_ACTIONS);
  if (word === undefined) parser.unexpected('SELECT, CREATE, UPDATE, DELETE, or an action of files');
  const action = word.toLowerCase() as ExplainRecordPermissions['action'];
  if (!parser.acceptWord('ON')) parser.unexpected('ON');
  const target = parser.expression();
  return {
    kind: 'explain-record-permissions',
    action,
    target,
    ...((action === 'copy' || action === 'rename') && parser.acceptWord('TO') && { to: parser.expression() }),
    ...explainedUser(parser),
  };
}

function explainedUser(parser: Parser): Pick<ExplainRecordPermissions, 'as' | 'access'> {
  if (!parser.acceptWord('AS')) return {};
  const as = parser.expression();
  return { as, ...(parser.acceptWord('ACCESS') && { access: parser.name() }) };
}

const EXPLAINED_ACTIONS = [
  ...(['SELECT', 'CREATE', 'UPDATE', 'DELETE'] as const),
  ...(['PUT', 'GET', 'HEAD', 'LIST', 'COPY', 'RENAME'] as const),
] as const;
