/** `LIVE SELECT DIFF`: the differences between the old and the new record, of records that meet the condition. */
import { andThen } from '../../../base/promise-or-value.js';
import type { Diff } from '../../../plan/nodes.js';
import { diff } from '../../../value/patch/diff.js';
import type { List, OperatorContext } from '../operator.js';

export function compileDiff({ input: below }: Diff, context: OperatorContext): List {
  const input = context.list(below);
  return (frame, demand) =>
    andThen(input(frame, demand), (rows) => rows.map(() => diff(frame.scope.get('before'), frame.scope.get('after'))));
}
