/** The tables and functions that a GRAPHQL config exposes. */
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { FunctionDefinition } from '../../catalog/definitions/definition.js';
import type { GraphqlConfig, Permission } from '../../language/ast.js';
import { changingFunctions } from '../../plan/effects.js';

/** In the order of their names. */
export interface Exposed {
  readonly tables: readonly TableEntry[];
  readonly functions: readonly FunctionDefinition[];
  /** The names of those functions of the database that may change something. */
  readonly changing: ReadonlySet<string>;
}

/** The tables and functions that DEFINE CONFIG GRAPHQL exposes. */
export function exposedBy({ tables, functions }: DatabaseCatalog, config: GraphqlConfig): Exposed {
  return {
    tables: [...tables.values()].filter(({ definition }) => exposes(config.tables, definition.name)),
    functions: [...functions.values()].filter(({ name }) => exposes(config.functions, name)),
    changing: changingFunctions(functions),
  };
}

function exposes(exposed: GraphqlConfig['tables'], name: string): boolean {
  switch (exposed.kind) {
    case 'none':
      return false;
    case 'auto':
      return true;
    default:
      return exposed.names.includes(name) === (exposed.kind === 'include');
  }
}

/** Without the parts to which users subject to PERMISSIONS have no access. */
export function withoutDenied({ tables, functions, changing }: Exposed): Exposed {
  return {
    tables: tables.filter(({ definition }) =>
      Object.values(definition.permissions).some(({ kind }: Permission) => kind !== 'none'),
    ),
    functions: functions.filter(({ permissions }) => permissions.kind !== 'none'),
    changing,
  };
}
