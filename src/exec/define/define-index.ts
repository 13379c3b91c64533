import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { putIndex } from '../../catalog/definitions/define.js';
import { failure } from '../../errors/error.js';
import type { DefineIndex } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../execution.js';
import { buildIndex } from '../record/index-entries.js';
import { beginDefinition, compileName, finish, goesAhead, settled, tableNow, tableToDefineOn } from './definition.js';
import { checkColumns, compileColumns } from './index-columns.js';

/** Defines an index and lists the records that are there already. CONCURRENTLY changes nothing: it is ready when the statement ends. */
export function compileDefineIndex(statement: DefineIndex, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'index name', compiler);
  const tableOf = compileName(statement.table, 'index table', compiler);
  const columnsOf = compileColumns(statement, compiler);
  return (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'database', 'edit', 'Index');
    return andThen(nameOf(frame), (name) =>
      andThen(tableOf(frame), (tableName) =>
        andThen(tableToDefineOn(execution, tableName), ({ catalog, table }): PromiseOrValue<undefined> => {
          const taken = table.indexes.some((index) => index.name === name);
          if (!goesAhead(statement.mode, taken, () => failure('index_exists', { name }))) return;
          return andThen(columnsOf(frame), (fields) => {
            checkColumns(fields, name, table, execution.importing);
            const definition = settled(statement, { name, table: tableName, fields, concurrently: false });
            return andThen(putIndex(change, catalog, table, definition), ({ id }) => {
              finish(execution);
              return andThen(tableNow(execution, tableName), (now) => {
                const index = now.table.indexes.find((each) => each.id === id);
                invariant(index !== undefined, 'an index that was defined exists');
                return andThen(buildIndex(execution, now.table, index), () => undefined);
              });
            });
          });
        }),
      ),
    );
  };
}
