import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Limit } from '../../../plan/nodes.js';
import type { Value } from '../../../value/value.js';
import type { List, OperatorContext } from '../operator.js';
import { compileCount } from './row-count.js';

/** LIMIT and START. */
export function compileLimit(node: Limit, context: OperatorContext): List {
  const { limit, start, isPlainScan, skipsKeys, input: below } = node;
  const input = context.list(below);
  const clause = limit !== undefined && isPlainScan ? 'LIMIT/START' : undefined;
  const evaluateLimit = compileCount(clause ?? 'LIMIT', limit, context.compiler);
  const evaluateStart = compileCount(clause ?? 'START', start, context.compiler);
  return (frame, { targets }) =>
    andThen(evaluateLimit(frame), (most) =>
      andThen(evaluateStart(frame), (skip = 0): PromiseOrValue<readonly Value[]> => {
        if (skipsKeys) return input(frame, { rows: most, inOrder: most, skip, targets });
        const end = most === undefined ? undefined : skip + most;
        return andThen(input(frame, { rows: end, targets }), (rows) => rows.slice(skip, end));
      }),
    );
}
