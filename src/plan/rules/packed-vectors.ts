/**
 * `v <|10,EUCLIDEAN|> $query` over all records of a table: their vectors are kept packed, by which most are known to be
 * too far away without being measured exactly. Only where all see the same records, of which the same are packed.
 */
import { fieldNameOf } from '../../language/field-name-of.js';
import { isScreened } from '../../vectors/screen.js';
import type { NodeRule } from './rule.js';

export const packedVectors: NodeRule<'knn-top-k'> = {
  name: 'packed-vectors',
  kind: 'knn-top-k',
  rewrite(node, { isChecked }) {
    const { input, metric, field } = node;
    if (isChecked || input.kind !== 'table-scan' || !isScreened(metric)) return;
    return fieldNameOf(field) === undefined ? undefined : { ...node, packed: input.table };
  },
};
