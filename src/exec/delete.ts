import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Delete } from '../language/ast.js';
import type { Value } from '../value/value.js';
import { compileFinder } from './change.js';
import type { Compiler, Evaluate, Frame } from './execution.js';
import { notSupported } from './not-supported.js';
import { answerWritten, compileOutput } from './output.js';
import { compileTargets } from './targets.js';
import { compileTimeout } from './timeout.js';

export function compileDelete(statement: Delete, compiler: Compiler): Evaluate {
  if (statement.explain !== undefined) return notSupported('EXPLAIN');
  const targets = compileTargets(statement, compiler);
  const find = compileFinder('DELETE', statement, compiler);
  const output = compileOutput(statement.output, 'none', compiler);
  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(targets(frame), (named) =>
      andThen(find(frame, named), (found) => {
        const { execution } = frame;
        const written = mapInOrder(found, ({ id }) => execution.writer.delete(execution, id));
        return andThen(written, (all) => answerWritten(frame, all, output, statement.only));
      }),
    );
  return compileTimeout(statement.timeout, compiler, run);
}
