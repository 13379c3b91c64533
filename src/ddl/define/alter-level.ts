/** ALTER SYSTEM, NAMESPACE and DATABASE. */
import { failure } from '../../errors/error.js';
import type { AlterLevel } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { cast } from '../../value/cast.js';
import { Duration } from '../../value/value.js';
import { beginDefinition } from './definition.js';

/**
 * No engine needs to be compacted manually: engines reuse freed space.
 * @throws TesseraError `not_allowed`, `compaction_unsupported`, when it runs
 */
export function compileAlterLevel({ level, compact, queryTimeout }: AlterLevel, compiler: Compiler): Evaluate {
  const evaluate = typeof queryTimeout === 'object' ? compiler.expression(queryTimeout) : () => undefined;
  const resource = level === 'root' ? 'Any' : level === 'namespace' ? 'Namespace' : 'Database';
  return async (frame) => {
    const { change } = beginDefinition(frame.execution, level, 'own', resource);
    const value = await evaluate(frame);
    if (queryTimeout !== undefined) {
      const timeout = queryTimeout === 'drop' ? undefined : cast(value, { kind: 'duration' }, parseRecordId);
      const isSet = timeout instanceof Duration && timeout.nanoseconds > 0n;
      frame.execution.services.queryTimeout.set(change.transaction, isSet ? timeout : undefined);
    }
    if (compact) throw failure('compaction_unsupported');
    return undefined;
  };
}
