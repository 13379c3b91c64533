import { andThen, mapInOrder } from '../../base/promise-or-value.js';
import type { Delete } from '../../language/ast.js';
import { NO_FIELDS } from '../../plan/fields-read.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';
import type { Meter } from '../explain/meter.js';
import type { Planned } from '../explain/planned.js';
import { compileTargets } from '../targets.js';
import { compileTimeout } from '../timeout.js';
import { compileFinder, type Found } from './change.js';
import { answerWritten, compileOutput } from './output.js';
import { countWritten, writeNode } from './plan.js';

export function planDelete(statement: Delete, compiler: Compiler): Planned {
  const targets = compileTargets(statement, compiler);
  const finder = compileFinder('DELETE', statement, NO_FIELDS, compiler);
  const output = compileOutput(statement.output, 'none', compiler);
  const assemble = (meter: Meter): Evaluate => {
    const find = finder.find(meter);
    const write = meter.each(
      'write',
      ({ execution }: Frame, found: readonly Found[]) =>
        mapInOrder(found, ({ id }) => execution.writer.delete(execution, id)),
      countWritten,
    );
    return (frame) =>
      andThen(targets(frame), (named) =>
        andThen(find(frame, named), (found) =>
          andThen(write(frame, found), (all) => answerWritten(frame, all, output, statement.only)),
        ),
      );
  };
  return {
    run: (meter) => compileTimeout(statement.timeout, compiler, assemble(meter)),
    plan: (frame, nested) =>
      andThen(finder.plan(frame, nested), (from) => writeNode('Delete', statement.targets, from)),
  };
}
