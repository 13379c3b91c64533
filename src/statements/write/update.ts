/** UPDATE: changes the records that its targets and its condition find. */
import { andThen } from '../../base/promise-or-value.js';
import type { Update as UpdateStatement } from '../../language/ast.js';
import { bindFound } from '../../plan/bind-change.js';
import type { Update } from '../../plan/nodes.js';
import { compileTargets } from '../../query/expression/targets.js';
import { OperatorCompiler } from '../../query/operators/operators.js';
import { Prepared } from '../../query/statement/prepared.js';
import { compileTimeout } from '../../query/statement/timeout.js';
import { mapPrefetched } from '../../records/prefetch.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import type { FoundRecord } from '../../runtime/record-access.js';
import { compileData } from './data.js';
import { changeFound, compileFind, readsOfTargets } from './finder.js';
import { answerWritten, compileOutput } from './output.js';
import { countWritten, planningOf } from './planning.js';

export function planUpdate(update: UpdateStatement, compiler: Compiler): Prepared<Update> {
  const targets = compileTargets(update, compiler);
  const data = compileData(update.data, compiler);
  const output = compileOutput(update.output, 'after', compiler);
  return new Prepared<Update>(
    {
      ...planningOf(update, 'update', data.reads),
      bind: (binding, targets) => ({
        kind: 'update',
        targets: update.targets,
        input: bindFound({ ...update, targets }, binding),
      }),
      timed: (run) => compileTimeout(update.timeout, compiler, run),
      readerOf: ({ input }) => input,
      compile: (tree, meter, reading) => {
        const find = compileFind('UPDATE', tree.input, new OperatorCompiler(compiler, reading, meter));
        const write = meter.each(
          tree,
          (frame: Frame, found: readonly FoundRecord[]) => changeFound(frame, found, data),
          countWritten,
        );
        return (frame) =>
          andThen(targets(frame), (named) =>
            andThen(
              // One after the other, so that a record that several of them name is seen as it is by then.
              mapPrefetched(frame.execution, named, readsOfTargets, (target) =>
                andThen(find(frame, [target]), (found) => write(frame, found)),
              ),
              (groups) => answerWritten(frame, groups.flat(), output, update.only),
            ),
          );
      },
    },
    compiler,
  );
}
