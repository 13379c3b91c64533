/** WHERE over the rows of sources: filters, and the search for neighbours between them. */
import type { Expression, IndexHints } from '../language/ast.js';
import { bindNearest } from './bind-nearest.js';
import type { Binding } from './bind-sources.js';
import { nearestCondition } from './nearest-condition.js';
import type { SourceNode, StreamNode } from './nodes.js';

/** The plan that finds rows that meet a condition, in the requested order if `mayOrder`. */
export type BindSource = (where: Expression | undefined, mayOrder: boolean) => SourceNode;

/** What has a condition. */
interface Filtered {
  readonly where?: Expression | undefined;
  readonly with?: IndexHints | undefined;
}

/** The source to filter, and whether rows are shown rather than changed. */
interface FilteredTargets {
  readonly targets: readonly Expression[];
  readonly isRead: boolean;
}

/** @throws TesseraError `nearest_nested`, `nearest_form`, `nearest_index_missing`, `index_building` */
export function bindWhere(
  { where, with: hints }: Filtered,
  { targets, isRead }: FilteredTargets,
  binding: Binding,
  bindSource: BindSource,
): StreamNode {
  const condition = nearestCondition(where);
  if (condition === undefined) return filtered(where, bindSource(where, true));
  const { nearest, before, after } = condition;
  const found = bindNearest(nearest, {
    targets,
    isRead,
    with: hints,
    binding,
    rows: (source) => filtered(before, source ?? bindSource(before, false)),
  });
  return filtered(after, found);
}

function filtered(condition: Expression | undefined, input: StreamNode): StreamNode {
  return condition === undefined ? input : { kind: 'filter', condition, input };
}
