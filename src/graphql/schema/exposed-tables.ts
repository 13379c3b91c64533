import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import type { GraphqlConfig } from '../../language/ast.js';

/** The tables that a config exposes, in the order of their names. */
export function exposedTables({ tables }: DatabaseCatalog, { tables: exposed }: GraphqlConfig): readonly TableEntry[] {
  const entries = [...tables.values()];
  switch (exposed.kind) {
    case 'none':
      return [];
    case 'auto':
      return entries;
    default: {
      const names = new Set(exposed.names);
      return entries.filter(({ definition }) => names.has(definition.name) === (exposed.kind === 'include'));
    }
  }
}

/** Whether those who are bound by PERMISSIONS can do nothing at all with the records of a table. */
export function isDenied({ definition: { permissions } }: TableEntry): boolean {
  return Object.values(permissions).every(({ kind }) => kind === 'none');
}
