import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Update } from '../language/ast.js';
import type { Value } from '../value/value.js';
import { compileFinder } from './change.js';
import { compileData } from './data.js';
import type { Compiler, Evaluate, Frame } from './execution.js';
import { notSupported } from './not-supported.js';
import { answerWritten, compileOutput } from './output.js';
import { compileTargets } from './targets.js';
import { compileTimeout } from './timeout.js';

export function compileUpdate(update: Update, compiler: Compiler): Evaluate {
  if (update.explain !== undefined) return notSupported('EXPLAIN');
  const targets = compileTargets(update, compiler);
  const find = compileFinder('UPDATE', update, compiler);
  const data = compileData(update.data, compiler);
  const output = compileOutput(update.output, 'after', compiler);
  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(targets(frame), (named) =>
      andThen(find(frame, named), (found) => {
        const { execution } = frame;
        const written = mapInOrder(found, ({ id, seen }) =>
          execution.writer.update(execution, id, data.draft(frame.within(seen)), data.options),
        );
        return andThen(written, (all) => answerWritten(frame, all, output, update.only));
      }),
    );
  return compileTimeout(update.timeout, compiler, run);
}
