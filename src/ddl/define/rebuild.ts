/** REBUILD INDEX: the entries of all records of a table, made again at once or in the background. */
import { stateOf } from '../../catalog/definitions/index-states.js';
import { failure } from '../../errors/error.js';
import type { Rebuild } from '../../language/ast.js';
import type { Evaluate } from '../../runtime/frame.js';
import { defineAndBuild } from './define-index.js';
import { beginDefinition } from './definition.js';

/** @throws TesseraError `index_missing`, `index_building`, `index_withdrawn`, when it runs */
export function compileRebuild({ index: name, table, ifExists, concurrently }: Rebuild): Evaluate {
  return async ({ execution }) => {
    const { change } = beginDefinition(execution, 'database', 'edit', 'Index');
    const catalog = await execution.context.catalog();
    const entry = catalog?.tables.get(table);
    const definition = entry?.indexes.find((each) => each.name === name);
    if (catalog === undefined || entry === undefined || definition === undefined) {
      if (ifExists) return undefined;
      throw failure('index_missing', { name });
    }
    const state = stateOf(definition);
    if (state === 'building') throw failure('index_building', { index: name });
    if (state === 'withdrawn') throw failure('index_withdrawn');
    return defineAndBuild(execution, change, { catalog, table: entry, definition, isLater: concurrently });
  };
}
