/** Configurations as INFO shows them, without the words DEFINE CONFIG. */
import type { Config, DefineConfig, GraphqlConfig, Name } from '../ast.js';
import { middlewareText } from './api.js';
import { commentText, permissionText } from './definition-clauses.js';
import { clause, clauses, list, nameText, type Printer, plainName } from './printer.js';

type Members<C extends Config> = {
  readonly [M in Exclude<keyof C, 'kind'>]-?: (config: C, printer: Printer) => string | undefined;
};

/**
 * The clauses of each kind, by the members that they set, in the order of printing. No two kinds have a member of one
 * name.
 */
export const CONFIG_CLAUSES: { readonly [K in Config['kind']]: Members<Extract<Config, { kind: K }>> } = {
  graphql: {
    tables: ({ tables }) => `TABLES ${selectionText(tables, plainName)}`,
    functions: ({ functions }) => `FUNCTIONS ${selectionText(functions, functionName)}`,
    depth: ({ depth }) => clause('DEPTH', depth, String),
    complexity: ({ complexity }) => clause('COMPLEXITY', complexity, String),
    introspection: ({ introspection }) => clause('INTROSPECTION', introspection, (given) => given.toUpperCase()),
  },
  api: {
    middleware: ({ middleware }, printer) => middlewareText(middleware, printer),
    permissions: ({ permissions }, printer) => `PERMISSIONS ${permissionText(permissions, printer)}`,
  },
  default: {
    namespace: ({ namespace }, printer) => `NAMESPACE ${optionalName(namespace, printer)}`,
    database: ({ database }, printer) => `DATABASE ${optionalName(database, printer)}`,
  },
};

function optionalName(name: Name | undefined, printer: Printer): string {
  return name === undefined ? 'NONE' : nameText(name, printer);
}

export function configText(
  node: Pick<DefineConfig, 'config' | 'comment' | 'computedClauses'>,
  printer: Printer,
): string {
  const config = printer.secrets ? node.config : withoutDefaults(node.config);
  const texts = Object.values<(config: never, printer: Printer) => string | undefined>(CONFIG_CLAUSES[config.kind]);
  return `${config.kind.toUpperCase()}${clauses(
    ...texts.map((text) => text(config as never, printer)),
    commentText(node, printer),
  )}`;
}

/** The reference engine doesn't show an INTROSPECTION that is as it would be without the clause. */
function withoutDefaults(config: Config): Config {
  if (config.kind !== 'graphql' || config.introspection !== 'auto') return config;
  const { introspection: _, ...shown } = config;
  return shown;
}

function selectionText(selection: GraphqlConfig['tables'], name: (name: string) => string): string {
  if (!('names' in selection)) return selection.kind.toUpperCase();
  return `${selection.kind.toUpperCase()} ${list(selection.names, name)}`;
}

function functionName(name: string): string {
  return name.split('::').map(plainName).join('::');
}
