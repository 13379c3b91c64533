/**
 * HNSW indexes. A writer puts the vector of each record, and notes that it was changed, both under keys of the record's
 * own; what is noted is linked into the graph in the background (`index/hnsw/link.ts`).
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { changedKey } from '../../index/hnsw/layout.js';
import { linkChanged } from '../../index/hnsw/link.js';
import { StoredGraph } from '../../index/hnsw/stored-graph.js';
import { encodedVectorKey, graphOptions, packedVector, vectorTypeOf } from '../../index/vectors.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { pausingOf } from '../runtime/cooperative-yielding.js';
import type { Execution } from '../runtime/execution.js';
import type { IndexedChange, IndexKeeping, KeptIndex } from './contract.js';
import { countNote } from './noted-changes.js';
import { isSame } from './ordered.js';

export const hnsw: IndexKeeping = { maintain, fold };

function maintain(index: KeptIndex, execution: Execution, changes: readonly IndexedChange[]): PromiseOrValue<void> {
  const { transaction } = execution.context;
  const { prefix } = index;
  for (const { key, before, after } of changes) {
    if (before !== undefined && after !== undefined && isSame(index.fields, before, after)) continue;
    const vector = after && packedVector(index.definition, after);
    if (vector === undefined && before === undefined) continue;
    const encoded = encodeKey(key);
    const entry = encodedVectorKey(prefix, encoded);
    if (vector !== undefined) transaction.put(entry, vector);
    else transaction.delete(entry);
    transaction.put(changedKey(prefix, encoded), true);
    countNote(index, execution);
  }
}

/** Vectors that are linked by one transaction. */
const BOUNDS = { least: 64, most: 1_024 };

function fold({ prefix, definition }: KeptIndex, execution: Execution): PromiseOrValue<boolean> {
  const { context, services } = execution;
  const { pause } = pausingOf(execution);
  const stored = new StoredGraph(context.transaction, prefix, graphOptions(definition), pause);
  const stamp = Buffer.from(services.environment.random.bytes(9)).toString('base64url');
  return linkChanged({ stored, type: vectorTypeOf(definition), graphs: services.graphs, stamp }, BOUNDS);
}
