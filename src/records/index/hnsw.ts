/**
 * HNSW indexes. A writer puts the vector of each record, and notes that it was changed, both under keys of the record's
 * own; what is noted is linked into the graph in the background (`index/hnsw/link.ts`).
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { changedKey } from '../../index/hnsw/layout.js';
import { linkChanged } from '../../index/hnsw/link.js';
import { StoredGraph } from '../../index/hnsw/stored-graph.js';
import { encodedVectorKey, graphOptions, packedVector, vectorTypeOf } from '../../index/vectors.js';
import type { Execution } from '../../runtime/execution.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import type { IndexedChange, IndexKeeping, KeptIndex } from './contract.js';
import { countNote } from './noted-changes.js';
import { isSame } from './ordered.js';

export const hnsw: IndexKeeping = { maintain, fold, prepare };

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

/** Vectors that one transaction places in the graph, or links. */
const PLACED = 4_096;
const LINKED = 1_024;
/** Their components: 16 MiB of 32-bit floats. */
const COMPONENTS = 2 ** 22;
/** Minimum number of changes. */
const LEAST = 64;

function fold(index: KeptIndex, execution: Execution): PromiseOrValue<boolean> {
  return linkSome(index, execution, LINKED);
}

/** Once it is used, all its vectors are measured together, as few as are linked. */
function prepare(index: KeptIndex, execution: Execution): PromiseOrValue<boolean> {
  return linkSome(index, execution, 0);
}

function linkSome({ prefix, definition }: KeptIndex, execution: Execution, linked: number): PromiseOrValue<boolean> {
  const { context, services } = execution;
  const work = execution.interrupt;
  const options = graphOptions(definition);
  const stored = new StoredGraph(context.transaction, prefix, options, work);
  const stamp = Buffer.from(services.environment.random.bytes(9)).toString('base64url');
  const most = Math.max(LEAST, Math.floor(COMPONENTS / options.dimension));
  const bounds = { least: LEAST, placed: Math.min(PLACED, most), linked: Math.min(linked, most) };
  return linkChanged({ stored, type: vectorTypeOf(definition), graphs: services.graphs, stamp }, bounds);
}
