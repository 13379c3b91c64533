import type { ApiConfig, Config, DefaultConfig, DefineConfig, GraphqlConfig } from '../ast.js';
import { handling } from './define-api.js';
import { type ClauseTable, clauses, mode } from './definition.js';
import type { Parser } from './parser.js';

export function defineConfig(parser: Parser): DefineConfig {
  return { kind: 'define-config', ...mode(parser), config: config(parser) };
}

function config(parser: Parser): Config {
  if (parser.acceptWord('GRAPHQL')) return graphql(parser);
  if (parser.acceptWord('API')) return api(parser);
  if (parser.acceptWord('DEFAULT')) return defaults(parser);
  return parser.unexpected('a type of config');
}

type GraphqlNode = { -readonly [K in keyof GraphqlConfig]: GraphqlConfig[K] };

const GRAPHQL_CLAUSES: ClauseTable<GraphqlNode> = new Map<
  string,
  (parser: Parser, node: GraphqlNode) => Partial<GraphqlNode>
>([
  ['AUTO', () => ({ tables: { kind: 'auto' }, functions: { kind: 'auto' } })],
  ['NONE', () => ({ tables: { kind: 'none' }, functions: { kind: 'none' } })],
  ['TABLES', (parser) => ({ tables: selection(parser, () => parser.name()) })],
  ['FUNCTIONS', (parser) => ({ functions: functions(parser) })],
  ['DEPTH', (parser) => ({ depth: parser.natural() })],
  ['COMPLEXITY', (parser) => ({ complexity: parser.natural() })],
  ['INTROSPECTION', (parser) => ({ introspection: introspection(parser) })],
]);

function graphql(parser: Parser): GraphqlConfig {
  return clauses<GraphqlNode>(parser, GRAPHQL_CLAUSES, {
    kind: 'graphql',
    tables: { kind: 'none' },
    functions: { kind: 'none' },
  });
}

function selection(parser: Parser, name: () => string): GraphqlConfig['tables'] {
  if (parser.acceptWord('AUTO')) return { kind: 'auto' };
  if (parser.acceptWord('NONE')) return { kind: 'none' };
  if (parser.acceptWord('INCLUDE')) return { kind: 'include', names: parser.commaList(name) };
  if (parser.acceptWord('EXCLUDE')) return { kind: 'exclude', names: parser.commaList(name) };
  return parser.unexpected('`NONE`, `AUTO`, `INCLUDE` or `EXCLUDE`');
}

/** Names of functions are given without `fn::`; a list may stand in brackets, as the documentation has it. */
function functions(parser: Parser): GraphqlConfig['functions'] {
  return selection(parser, () => {
    let name = parser.name();
    if (name.toLowerCase() === 'fn' && parser.acceptPunct('::')) name = parser.name();
    while (parser.acceptPunct('::')) name += `::${parser.name()}`;
    return name;
  });
}

function introspection(parser: Parser): 'auto' | 'none' {
  if (parser.acceptWord('AUTO')) return 'auto';
  return parser.acceptWord('NONE') ? 'none' : parser.unexpected('`AUTO` or `NONE`');
}

function api(parser: Parser): ApiConfig {
  return { kind: 'api', ...handling(parser) };
}

function defaults(parser: Parser): DefaultConfig {
  const config: { -readonly [K in keyof DefaultConfig]: DefaultConfig[K] } = { kind: 'default' };
  for (;;) {
    if (parser.acceptOneOf('NAMESPACE', 'NS') !== undefined) config.namespace = parser.name();
    else if (parser.acceptOneOf('DATABASE', 'DB') !== undefined) config.database = parser.name();
    else break;
  }
  if (config.namespace === undefined && config.database === undefined) {
    parser.unexpected('a namespace or database name');
  }
  return config;
}
