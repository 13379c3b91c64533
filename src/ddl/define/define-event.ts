/** DEFINE EVENT, on a table that it defines if there is none. */
import { putEvent } from '../../catalog/ddl/define.js';
import { failure } from '../../errors/error.js';
import type { DefineEvent, Expression } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine, tableToDefineOn } from './definition.js';

/** Without WHEN it is true. */
const ALWAYS: Expression = { kind: 'literal', value: true };

export function compileDefineEvent(statement: DefineEvent, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'event name', compiler);
  const tableOf = compileName(statement.table, 'target table', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'database', 'edit', 'Event');
    const name = await nameOf(frame);
    const tableName = await tableOf(frame);
    const { catalog, table } = await tableToDefineOn(execution, tableName);
    const taken = table.events.some((event) => event.name === name);
    if (!shouldDefine(statement.mode, taken, () => failure('event_exists', { name }))) return;
    const event = settled(statement, { name, table: tableName, when: statement.when ?? ALWAYS });
    await putEvent(change, catalog, table.definition, event);
    return finish(execution);
  };
}
