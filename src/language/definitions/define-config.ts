import type { Alter, ApiConfig, Config, DefaultConfig, DefineConfig, GraphqlConfig } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { PLAIN_HANDLING, writtenHandling } from './define-api.js';
import { type ClauseTable, clauses, comment, fixedComment, mode } from './shared-clauses.js';

export function defineConfig(parser: Parser): DefineConfig {
  const head = mode(parser);
  const { start } = parser;
  const config = complete(writtenConfig(parser));
  if (config.kind === 'default' && parser.previousStart === start) parser.unexpected('a namespace or database name');
  return { kind: 'define-config', ...head, config, ...(parser.acceptWord('COMMENT') && comment(parser, {})) };
}

/** ALTER CONFIG. Options that it doesn't mention stay. */
export function alterConfig(parser: Parser, ifExists: boolean): Alter {
  const written = writtenConfig(parser);
  const { kind: _, ...members } = written;
  const said = parser.acceptWord('COMMENT') ? fixedComment(parser) : {};
  return {
    kind: 'alter',
    ifExists,
    definition: { kind: 'define-config', config: complete(written), ...said },
    set: [...Object.keys(members), ...Object.keys(said)],
    dropped: dropsComment(parser) ? ['comment'] : [],
  };
}

function dropsComment(parser: Parser): boolean {
  if (!parser.acceptWord('DROP')) return false;
  return parser.acceptWord('COMMENT') || parser.unexpected('`COMMENT`');
}

/** A config as far as clauses say it. */
type Written =
  | (Pick<GraphqlConfig, 'kind'> & Partial<GraphqlConfig>)
  | (Pick<ApiConfig, 'kind'> & Partial<ApiConfig>)
  | (Pick<DefaultConfig, 'kind'> & DefaultNode);

function writtenConfig(parser: Parser): Written {
  if (parser.acceptWord('GRAPHQL')) return { kind: 'graphql', ...clauses<GraphqlNode>(parser, GRAPHQL_CLAUSES, {}) };
  if (parser.acceptWord('API')) return { kind: 'api', ...writtenHandling(parser) };
  if (parser.acceptWord('DEFAULT')) return { kind: 'default', ...clauses<DefaultNode>(parser, DEFAULT_CLAUSES, {}) };
  return parser.unexpected('a type of config');
}

/** The config with what holds where nothing is written. */
function complete(written: Written): Config {
  if (written.kind === 'graphql') return { tables: { kind: 'none' }, functions: { kind: 'none' }, ...written };
  if (written.kind === 'api') return { ...PLAIN_HANDLING, ...written };
  const { kind, namespace, database } = written;
  return { kind, ...(namespace !== undefined && { namespace }), ...(database !== undefined && { database }) };
}

type GraphqlNode = Partial<Omit<GraphqlConfig, 'kind'>>;
/** `undefined` where NONE is written. */
interface DefaultNode {
  readonly namespace?: DefaultConfig['namespace'] | undefined;
  readonly database?: DefaultConfig['database'] | undefined;
}

const GRAPHQL_CLAUSES: ClauseTable<GraphqlNode> = new Map<string, (parser: Parser) => GraphqlNode>([
  ['AUTO', () => ({ tables: { kind: 'auto' }, functions: { kind: 'auto' } })],
  ['NONE', () => ({ tables: { kind: 'none' }, functions: { kind: 'none' } })],
  ['TABLES', (parser) => ({ tables: selection(parser, tables) })],
  ['FUNCTIONS', (parser) => ({ functions: selection(parser, functions) })],
  ['DEPTH', (parser) => ({ depth: parser.natural() })],
  ['COMPLEXITY', (parser) => ({ complexity: parser.natural() })],
  ['INTROSPECTION', (parser) => ({ introspection: introspection(parser) })],
]);

const DEFAULT_CLAUSES: ClauseTable<DefaultNode> = new Map<string, (parser: Parser) => DefaultNode>([
  ['NAMESPACE', defaultNamespace],
  ['NS', defaultNamespace],
  ['DATABASE', defaultDatabase],
  ['DB', defaultDatabase],
]);

function defaultNamespace(parser: Parser): DefaultNode {
  return { namespace: parser.acceptWord('NONE') ? undefined : parser.definitionName() };
}

function defaultDatabase(parser: Parser): DefaultNode {
  return { database: parser.acceptWord('NONE') ? undefined : parser.definitionName() };
}

function selection(parser: Parser, names: (parser: Parser) => string[]): GraphqlConfig['tables'] {
  if (parser.acceptWord('AUTO')) return { kind: 'auto' };
  if (parser.acceptWord('NONE')) return { kind: 'none' };
  if (parser.acceptWord('INCLUDE')) return { kind: 'include', names: names(parser) };
  if (parser.acceptWord('EXCLUDE')) return { kind: 'exclude', names: names(parser) };
  return parser.unexpected('`NONE`, `AUTO`, `INCLUDE` or `EXCLUDE`');
}

function tables(parser: Parser): string[] {
  return parser.commaList(() => parser.name('a table config'));
}

/** Functions may stand in brackets, as the documentation has them. */
function functions(parser: Parser): string[] {
  const openedAt = parser.start;
  if (!parser.acceptPunct('[')) return parser.commaList(() => functionName(parser));
  if (parser.isPunct(']')) parser.unexpected('an identifier');
  return parser.listUntil(']', openedAt, () => functionName(parser));
}

/** A function, with `fn::` or without. */
function functionName(parser: Parser): string {
  let name = parser.name();
  if (name.toLowerCase() === 'fn' && parser.acceptPunct('::')) name = parser.name();
  while (parser.acceptPunct('::')) name += `::${parser.name()}`;
  return name;
}

function introspection(parser: Parser): 'auto' | 'none' {
  if (parser.acceptWord('AUTO')) return 'auto';
  return parser.acceptWord('NONE') ? 'none' : parser.unexpected('`AUTO` or `NONE`');
}
