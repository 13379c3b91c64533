import { andThen } from '../../base/promise-or-value.js';
import { indexPrefix, prefixRange } from '../../catalog/keys.js';
import { failure } from '../../errors/error.js';
import type { Rebuild } from '../../language/ast.js';
import { authorize } from '../authorize.js';
import type { Evaluate } from '../execution.js';
import { buildIndex } from '../record/index-entries.js';

/** REBUILD INDEX: lists all records of the table anew. */
export function compileRebuild({ index: name, table, ifExists }: Rebuild): Evaluate {
  return ({ execution }) => {
    authorize(execution.identity, 'edit', execution.identity.place, 'Index');
    return andThen(execution.unit.catalog(), (catalog) => {
      const entry = catalog?.tables.get(table);
      const index = entry?.indexes.find((each) => each.name === name);
      if (catalog === undefined || entry === undefined || index === undefined) {
        if (ifExists) return undefined;
        throw failure('index_missing', { name });
      }
      const entries = prefixRange(indexPrefix(catalog.database.id, entry.definition.id, index.id));
      return andThen(execution.unit.transaction.deleteRange(entries), () =>
        andThen(buildIndex(execution, entry, index), () => undefined),
      );
    });
  };
}
