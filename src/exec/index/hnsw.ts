/** HNSW indexes: the vector of each record (`index/vectors.ts`). */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { packedVector, vectorKey } from '../../index/vectors.js';
import type { Execution } from '../runtime/execution.js';
import type { IndexKeeping, KeptIndex, RecordChange } from './contract.js';
import { isSame } from './ordered.js';

export const hnsw: IndexKeeping = { maintain };

function maintain(
  index: KeptIndex,
  { context: { transaction } }: Execution,
  changes: readonly RecordChange[],
): PromiseOrValue<void> {
  for (const { key, before, after } of changes) {
    if (before !== undefined && after !== undefined && isSame(index.fields, before, after)) continue;
    const vector = after && packedVector(index.definition, after);
    const entry = vectorKey(index.prefix, key);
    if (vector !== undefined) transaction.put(entry, vector);
    else if (before !== undefined) transaction.delete(entry);
  }
}
