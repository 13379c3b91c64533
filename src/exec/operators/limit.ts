import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Limit } from '../../plan/nodes.js';
import type { Value } from '../../value/value.js';
import type { List, OperatorContext } from './operator.js';
import { compileCount } from './row-count.js';

/** LIMIT and START. */
export function compileLimit({ limit, start, isPlainScan, input: below }: Limit, context: OperatorContext): List {
  const input = context.list(below);
  const clause = limit !== undefined && isPlainScan ? 'LIMIT/START' : undefined;
  const evaluateLimit = compileCount(clause ?? 'LIMIT', limit, context.compiler);
  const evaluateStart = compileCount(clause ?? 'START', start, context.compiler);
  return (frame, { targets }) =>
    andThen(evaluateLimit(frame), (most) =>
      andThen(
        evaluateStart(frame),
        (skip = 0): PromiseOrValue<readonly Value[]> =>
          andThen(input(frame, { rows: most === undefined ? undefined : skip + most, targets }), (rows) =>
            rows.slice(skip, most === undefined ? undefined : skip + most),
          ),
      ),
    );
}
