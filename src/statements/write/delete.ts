/** DELETE. */
import { andThen } from '../../base/promise-or-value.js';
import type { Delete as DeleteStatement } from '../../language/ast.js';
import { bindFound } from '../../plan/bind-change.js';
import { NO_FIELDS } from '../../plan/fields-read.js';
import type { Delete } from '../../plan/nodes.js';
import { compileTargets, type Target } from '../../query/expression/targets.js';
import { OperatorCompiler } from '../../query/operators/operators.js';
import { Prepared } from '../../query/statement/prepared.js';
import { compileTimeout } from '../../query/statement/timeout.js';
import { prefetchRecords, type RecordReads } from '../../records/prefetch.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import type { FoundRecord } from '../../runtime/record-access.js';
import { compileFind, recordTargets } from './finder.js';
import { answerWritten, compileOutput } from './output.js';
import { countWritten, planningOf } from './planning.js';

export function planDelete(statement: DeleteStatement, compiler: Compiler): Prepared<Delete> {
  const targets = compileTargets(statement, compiler);
  const output = compileOutput(statement.output, 'none', compiler);
  return new Prepared<Delete>(
    {
      ...planningOf(statement, 'delete', NO_FIELDS),
      bind: (binding, targets) => ({
        kind: 'delete',
        targets: statement.targets,
        input: bindFound({ ...statement, targets }, binding),
      }),
      timed: (run) => compileTimeout(statement.timeout, compiler, run),
      readerOf: ({ input }) => input,
      compile: (tree, meter, reading) => {
        const find = compileFind('DELETE', tree.input, new OperatorCompiler(compiler, reading, meter));
        const write = meter.each(
          tree,
          ({ execution }: Frame, found: readonly FoundRecord[]) =>
            execution.services.writer.deleteMany(execution, found),
          countWritten,
        );
        return (frame) =>
          andThen(targets(frame), (named) =>
            andThen(
              prefetchRecords(frame.execution, () => readsOfTargets(named)),
              () =>
                andThen(find(frame, named), (found) =>
                  andThen(write(frame, found), (all) => answerWritten(frame, all, output, statement.only)),
                ),
            ),
          );
      },
    },
    compiler,
  );
}

function readsOfTargets(targets: readonly Target[]): RecordReads {
  const records = recordTargets(targets);
  return { records, nodes: records };
}
