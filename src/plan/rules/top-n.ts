/** `ORDER BY name LIMIT 10`: sorting keeps only the requested number of rows. */
import type { NodeRule } from './rule.js';

export const topN: NodeRule<'limit'> = {
  name: 'top-n',
  kind: 'limit',
  rewrite(limit) {
    const { input } = limit;
    if (limit.limit === undefined || input.kind !== 'sort') return undefined;
    return { ...limit, input: { ...input, kind: 'top-n' } };
  },
};
