/** The graph of an HNSW index as a transaction sees it. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isArray } from '../../value/value.js';
import type { Floats } from '../../vectors/distances.js';
import type { Graph, GraphOptions, Need, NodeLinks } from '../../vectors/hnsw/graph.js';
import { packVector, vectorReader } from '../../vectors/vector-type.js';
import { type GraphState, readGraphState, storeGraphState } from './graph-state.js';
import { freeKey, idOf, linksKey, logKey, nodeKey, rangeOf, stateKey } from './layout.js';

/** Entries a batch. */
const BATCH = 64;
/** Nodes that are read together: a store that answers later is asked once for them. */
const READ_AT_ONCE = 128;
/** Nodes that are written between two checkpoints. */
const WRITTEN = 64;
/** Number of changes in the log. */
const LOGGED = 256;

export class StoredGraph {
  #reader: ((bytes: Uint8Array) => Floats) | undefined;

  constructor(
    readonly transaction: Transaction,
    /** The prefix of the index. */
    readonly index: string,
    readonly options: GraphOptions,
    readonly work: Work,
  ) {}

  state(): PromiseOrValue<GraphState> {
    return andThen(this.transaction.get(stateKey(this.index)), readGraphState);
  }

  /** Does work on a graph to its end, reading what it needs. */
  run<T>(graph: Graph, work: Generator<Need, T, void>): PromiseOrValue<T> {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      const read = step.value.length === 0 ? undefined : this.read(graph, step.value);
      const done = andThen(read, () => this.work.checkpoint());
      if (done instanceof Promise) return done.then(() => this.run(graph, work));
    }
  }

  /** Adds nodes to a graph as they are stored; those that aren't are taken out of it. */
  read(graph: Graph, ids: readonly number[]): PromiseOrValue<void> {
    if (ids.length <= READ_AT_ONCE) return this.#readSome(graph, ids);
    let from = 0;
    return untilTrue(() => {
      const some = ids.slice(from, from + READ_AT_ONCE);
      from += READ_AT_ONCE;
      return andThen(this.#readSome(graph, some), () => andThen(this.work.checkpoint(), () => from >= ids.length));
    });
  }

  #readSome(graph: Graph, ids: readonly number[]): PromiseOrValue<void> {
    const keys = [...ids.map((id) => linksKey(this.index, id)), ...ids.map((id) => nodeKey(this.index, id))];
    return andThen(this.transaction.getMany(keys), (stored) => {
      ids.forEach((id, at) => {
        this.#add(graph, id, stored[ids.length + at], stored[at]);
      });
    });
  }

  /** Adds all nodes to a graph. */
  readAll(graph: Graph): PromiseOrValue<void> {
    const { transaction, index } = this;
    const nodes = forEachBatch(transaction.scan(rangeOf(index, 'node'), { batch: BATCH }), (batch) => {
      for (const [key, node] of batch) this.#add(graph, idOf(index, key), node, undefined);
      return andThen(this.work.checkpoint(), () => false);
    });
    return andThen(nodes, () =>
      forEachBatch(transaction.scan(rangeOf(index, 'links'), { batch: BATCH }), (batch) => {
        for (const [key, stored] of batch) graph.replaceLinks(idOf(index, key), decodeLinks(stored));
        return andThen(this.work.checkpoint(), () => false);
      }),
    );
  }

  /** The ids that changes concerned from one state to a later one; `undefined` where the log no longer has them. */
  changedBetween(from: number, to: number): PromiseOrValue<readonly number[] | undefined> {
    if (to - from > LOGGED) return undefined;
    const keys = Array.from({ length: to - from }, (_, at) => logKey(this.index, from + 1 + at));
    return andThen(this.transaction.getMany(keys), (entries) => {
      const ids = new Set<number>();
      for (const entry of entries) {
        if (!(entry instanceof Uint8Array)) return undefined;
        for (const id of decodeIds(entry)) ids.add(id);
      }
      return [...ids];
    });
  }

  /** Writes what has changed of a graph, and its state. `freed`: the ids of nodes that were removed. */
  write(graph: Graph, state: GraphState, freed: readonly number[] = []): PromiseOrValue<void> {
    const { transaction, index } = this;
    const changed = graph.changed().map((slot) => graph.idOf(slot));
    const gone = new Set(freed);
    const isLeft = (id: number) => !gone.has(id);
    const written = this.#forEach(changed.filter(isLeft), (id) => {
      transaction.put(linksKey(index, id), encodeLinks(graph.linksOf(graph.slotOf(id))));
    });
    const removed = andThen(written, () =>
      this.#forEach(freed, (id) => {
        transaction.delete(linksKey(index, id));
        transaction.delete(nodeKey(index, id));
        transaction.put(freeKey(index, id), true);
      }),
    );
    return andThen(removed, () => {
      transaction.put(logKey(index, state.sequence), encodeIds([...changed, ...freed]));
      if (state.sequence > LOGGED) transaction.delete(logKey(index, state.sequence - LOGGED));
      transaction.put(stateKey(index), storeGraphState(state));
    });
  }

  /** Writes something for each id, with checkpoints. */
  #forEach(ids: readonly number[], write: (id: number) => void): PromiseOrValue<void> {
    let from = 0;
    return untilTrue(() => {
      for (const id of ids.slice(from, from + WRITTEN)) write(id);
      from += WRITTEN;
      return from >= ids.length || andThen(this.work.checkpoint(), () => false);
    });
  }

  #add(graph: Graph, id: number, node: Stored | undefined, links: Stored | undefined): void {
    const [key, bytes] = isArray(node) ? node : [];
    if (!(bytes instanceof Uint8Array)) {
      graph.remove(id);
      return;
    }
    this.#reader ??= vectorReader('F32', this.options.dimension);
    // The graph keeps a copy.
    graph.add(id, { key: String(key), vector: this.#reader(bytes), links: decodeLinks(links) });
  }

  /** Stores a new node; what it links to is written with all that changes. */
  writeNode(id: number, key: string, vector: Floats, stored: Uint8Array | undefined): void {
    const bytes = stored ?? packVector(Float64Array.from(vector), 'F32');
    this.transaction.put(nodeKey(this.index, id), [key, bytes]);
  }
}

const NO_LINKS: NodeLinks = { isDead: false, layers: [new Uint32Array()] };

/** 1 if the node is dead; how many layers it is in; for each from the lowest how many links in two bytes, then ids. */
function encodeLinks({ isDead, layers }: NodeLinks): Uint8Array {
  const bytes = new Uint8Array(2 + layers.reduce((sum, ids) => sum + 2 + 4 * ids.length, 0));
  const view = new DataView(bytes.buffer);
  bytes[0] = isDead ? 1 : 0;
  bytes[1] = layers.length;
  let at = 2;
  for (const ids of layers) {
    view.setUint16(at, ids.length, true);
    at += 2;
    for (const id of ids) {
      view.setUint32(at, id, true);
      at += 4;
    }
  }
  return bytes;
}

function decodeLinks(stored: Stored | undefined): NodeLinks {
  if (!(stored instanceof Uint8Array)) return NO_LINKS;
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  const layers: Uint32Array[] = [];
  let at = 2;
  for (let layer = 0; layer < (stored[1] as number); layer++) {
    const ids = new Uint32Array(view.getUint16(at, true));
    at += 2;
    for (let each = 0; each < ids.length; each++, at += 4) ids[each] = view.getUint32(at, true);
    layers.push(ids);
  }
  return { isDead: stored[0] === 1, layers };
}

function encodeIds(ids: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * ids.length);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, at) => {
    view.setUint32(4 * at, id, true);
  });
  return bytes;
}

function decodeIds(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 4 }, (_, at) => view.getUint32(4 * at, true));
}
