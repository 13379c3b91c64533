/**
 * Links the vectors of an HNSW index into its graph, in the background: what writers have noted as changed, some of it
 * at a time. When many nodes are dead, the others are mended, and the dead ones removed.
 */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { ScanOptions, Stored } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import type { Floats } from '../../vectors/distances.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import { insert } from '../../vectors/hnsw/insert.js';
import { unpackVector } from '../../vectors/vector-type.js';
import { encodedVectorKey } from '../vectors.js';
import type { GraphState } from './graph-state.js';
import { apartKey, changedKey, freeKey, idKey, idOf, rangeOf, recordIn } from './layout.js';
import type { LinkSite } from './link-site.js';
import type { StoredGraph } from './stored-graph.js';
import { isWorn, sweepSome } from './sweep.js';

/** Entries that are read between two pauses. */
const BATCH = 64;

/** So many changes are linked together, and no fewer. */
export interface LinkBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * Does some of what there is to do.
 * @returns whether there may be more
 */
export function linkChanged(site: LinkSite, bounds: LinkBounds): PromiseOrValue<boolean> {
  const { stored } = site;
  return andThen(stored.state(), (state) => {
    if (state.sweep !== undefined) return sweepSome(site, state);
    // Whatever changes meanwhile is for the next step.
    const options = { limit: bounds.most, foundOnly: true };
    return andThen(notedKeys(stored, 'changed', options), (keys) => {
      if (keys.length < bounds.least) return isWorn(state) && sweepSome(site, state);
      return andThen(new Linking(site, state).run(keys), () => true);
    });
  });
}

/**
 * The encoded keys of records that are noted: `changed`, whose current vectors aren't linked yet, or `apart`, whose
 * vectors the graph can't hold but which may be near.
 */
export function notedKeys(
  { transaction, index, pause }: Pick<StoredGraph, 'transaction' | 'index' | 'pause'>,
  tag: 'changed' | 'apart',
  options: ScanOptions,
): PromiseOrValue<string[]> {
  const keys: string[] = [];
  const read = forEachBatch(transaction.scan(rangeOf(index, tag), { ...options, batch: BATCH }), (batch) => {
    for (const [key] of batch) keys.push(recordIn(index, key));
    return andThen(pause(), () => false);
  });
  return andThen(read, () => keys);
}

/** What may be read of a graph that isn't kept in memory, in bytes. */
const MOST_READ = 16 * 2 ** 20;

class Linking {
  readonly #site: LinkSite;
  readonly #before: GraphState;
  #next: number;
  #live: number;
  #dead: number;
  #unlinked: number;
  #free: number[] = [];

  constructor(site: LinkSite, state: GraphState) {
    this.#site = site;
    this.#before = state;
    this.#next = state.next;
    this.#live = state.live;
    this.#dead = state.dead;
    this.#unlinked = state.unlinked;
  }

  run(keys: readonly string[]): PromiseOrValue<void> {
    const { stored, graphs, stamp } = this.#site;
    return andThen(this.#readFree(keys.length), () =>
      andThen(graphs.change(stored, this.#before), ({ graph, made, failed }) =>
        otherwise(
          () =>
            andThen(this.#linkAll(graph, keys), () => {
              const next: GraphState = {
                ...this.#before,
                sequence: this.#before.sequence + 1,
                stamp,
                next: this.#next,
                entry: graph.entry,
                top: graph.top,
                live: this.#live,
                dead: this.#dead,
                unlinked: this.#unlinked,
              };
              return andThen(stored.write(graph, next), () => made(next));
            }),
          (error) => {
            failed();
            throw error;
          },
        ),
      ),
    );
  }

  #readFree(most: number): PromiseOrValue<void> {
    const { transaction, index, pause } = this.#site.stored;
    return forEachBatch(transaction.scan(rangeOf(index, 'free'), { limit: most, batch: BATCH }), (batch) => {
      for (const [key] of batch) this.#free.push(idOf(index, key));
      return andThen(pause(), () => false);
    });
  }

  #linkAll(graph: Graph, keys: readonly string[]): PromiseOrValue<void> {
    let from = 0;
    return untilTrue(() => {
      const some = keys.slice(from, from + BATCH / 2);
      from += some.length;
      return andThen(this.#linkSome(graph, some), (isFull) => isFull || from >= keys.length);
    });
  }

  /** @returns whether no more should be linked in this step */
  #linkSome(graph: Graph, keys: readonly string[]): PromiseOrValue<boolean> {
    const { transaction, index, pause } = this.#site.stored;
    const wanted = [...keys.map((key) => idKey(index, key)), ...keys.map((key) => encodedVectorKey(index, key))];
    // Of a graph that isn't kept in memory ever more nodes would be.
    const isFull = () => graph.isPart && graph.size > MOST_READ;
    const linked = andThen(transaction.getMany(wanted), (found) =>
      andThen(pause(), () =>
        forEachInOrder(keys, (key, at) =>
          andThen(this.#relink(graph, key, found[at], found[keys.length + at]), () => {
            transaction.delete(changedKey(index, key));
            return andThen(pause(), isFull);
          }),
        ),
      ),
    );
    return andThen(linked, isFull);
  }

  #relink(graph: Graph, key: string, former: Stored | undefined, stored: Stored | undefined): PromiseOrValue<void> {
    const vector = stored instanceof Uint8Array ? stored : undefined;
    return andThen(this.#unlink(graph, key, former, vector), (isSame) => {
      const { transaction, index } = this.#site.stored;
      if (isSame) return;
      if (vector !== undefined) return this.#link(graph, key, vector);
      if (former !== undefined) transaction.delete(idKey(index, key));
    });
  }

  /** The former node of a record only leads to others; answers true where it has the same vector instead. */
  #unlink(
    graph: Graph,
    key: string,
    former: Stored | undefined,
    vector: Uint8Array | undefined,
  ): PromiseOrValue<boolean> {
    if (former === undefined) return false;
    const id = Number(former);
    if (id === UNLINKED) {
      this.#unlinked--;
      this.#site.stored.transaction.delete(apartKey(this.#site.stored.index, key));
      return false;
    }
    const here = Graph.isMissing(graph.slotOf(id)) ? this.#site.stored.read(graph, [id]) : undefined;
    return andThen(here, () => {
      const slot = graph.slotOf(id);
      if (!Graph.isHere(slot)) return false;
      if (vector !== undefined && isEqual(graph.arena.vector(slot), unpackVector(vector, this.#site.type))) return true;
      graph.kill(slot);
      this.#live--;
      this.#dead++;
      return false;
    });
  }

  #link(graph: Graph, key: string, bytes: Uint8Array): PromiseOrValue<void> {
    const { stored, type } = this.#site;
    const { transaction, index } = stored;
    const vector = unpackVector(bytes, type);
    if (!graph.arena.isMeasurable(vector)) {
      this.#unlinked++;
      transaction.put(idKey(index, key), UNLINKED);
      if (graph.arena.hasDistance(vector)) transaction.put(apartKey(index, key), true);
      return;
    }
    const id = this.#newId();
    stored.writeNode(id, key, vector, type === 'F32' ? bytes : undefined);
    transaction.put(idKey(index, key), id);
    this.#live++;
    return stored.run(graph, insert(graph, id, key, vector));
  }

  #newId(): number {
    const free = this.#free.pop();
    if (free === undefined) return this.#next++;
    const { transaction, index } = this.#site.stored;
    transaction.delete(freeKey(index, free));
    return free;
  }
}

/** Instead of an id: the vector of a record can't have a node. */
const UNLINKED = -1;

function isEqual(a: Float32Array, b: Floats): boolean {
  return a.every((component, at) => component === Math.fround(b[at] as number));
}
