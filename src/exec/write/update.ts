import { andThen, mapInOrder } from '../../base/promise-or-value.js';
import type { Update } from '../../language/ast.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';
import type { Meter } from '../explain/meter.js';
import type { Planned } from '../explain/planned.js';
import { compileTargets } from '../targets.js';
import { compileTimeout } from '../timeout.js';
import { compileFinder, type Found } from './change.js';
import { compileData } from './data.js';
import { answerWritten, compileOutput } from './output.js';
import { countWritten, writeNode } from './plan.js';

export function planUpdate(update: Update, compiler: Compiler): Planned {
  const targets = compileTargets(update, compiler);
  const data = compileData(update.data, compiler);
  const finder = compileFinder('UPDATE', update, data.reads, compiler);
  const output = compileOutput(update.output, 'after', compiler);
  const assemble = (meter: Meter): Evaluate => {
    const find = finder.find(meter);
    const write = meter.each(
      'write',
      (frame: Frame, found: readonly Found[]) => {
        const { execution } = frame;
        return mapInOrder(found, ({ id, seen }) =>
          execution.writer.update(execution, id, data.draft(frame.within(seen)), data.options),
        );
      },
      countWritten,
    );
    return (frame) =>
      andThen(targets(frame), (named) =>
        andThen(
          // One after the other, so that a record that several of them name is seen as it is by then.
          mapInOrder(named, (target) => andThen(find(frame, [target]), (found) => write(frame, found))),
          (groups) => answerWritten(frame, groups.flat(), output, update.only),
        ),
      );
  };
  return {
    run: (meter) => compileTimeout(update.timeout, compiler, assemble(meter)),
    plan: (frame, nested) => andThen(finder.plan(frame, nested), (from) => writeNode('Update', update.targets, from)),
  };
}
