/** Configurations as INFO shows them, without the words DEFINE CONFIG. */
import type { Config, GraphqlConfig } from '../ast.js';
import { handlingText } from './api.js';
import { clause, clauses, list, type Printer, plainName } from './printer.js';

type ConfigPrinters = {
  readonly [K in Config['kind']]: (config: Extract<Config, { kind: K }>, printer: Printer) => string;
};

const CONFIGS: ConfigPrinters = {
  graphql: ({ tables, functions, depth, complexity, introspection }, printer) =>
    `GRAPHQL TABLES ${selectionText(tables, plainName)} FUNCTIONS ${selectionText(functions, functionName)}${clauses(
      clause('DEPTH', depth, String),
      clause('COMPLEXITY', complexity, String),
      introspection === 'none' && 'INTROSPECTION NONE',
      introspection === 'auto' && printer.secrets && 'INTROSPECTION AUTO',
    )}`,
  api: (config, printer) => `API ${handlingText(config, printer)}`,
  default: ({ namespace, database }) =>
    `DEFAULT${clauses(clause('NAMESPACE', namespace, plainName), clause('DATABASE', database, plainName))}`,
};

export function configText(config: Config, printer: Printer): string {
  return (CONFIGS[config.kind] as (config: Config, printer: Printer) => string)(config, printer);
}

function selectionText(selection: GraphqlConfig['tables'], name: (name: string) => string): string {
  if (!('names' in selection)) return selection.kind.toUpperCase();
  return `${selection.kind.toUpperCase()} ${list(selection.names, name)}`;
}

function functionName(name: string): string {
  return name.split('::').map(plainName).join('::');
}
