/**
 * `SELECT * FROM person:1`, the most frequent query: one named record that is shown unchanged, or with its
 * fields chosen, needs no batches, nor room for other rows.
 */
import type { NodeRule } from './rule.js';

export const directLookup: NodeRule<'project'> = {
  name: 'direct-lookup',
  kind: 'project',
  rewrite(project) {
    const { projections, skipsMissing, input } = project;
    if (input.kind !== 'named-record') return undefined;
    // Written out, since statements that come once are made by the thousand, and a spread takes a third of a
    // microsecond.
    return { kind: 'project', projections, skipsMissing, input: { kind: 'named-record', id: input.id, direct: true } };
  },
};
