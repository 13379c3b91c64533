/**
 * Gives nodes to the vectors of an HNSW index that writers have noted as changed: they are in the graph then, without
 * links as yet, where searches measure them together. It takes a hundredth of the time that linking does.
 */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Stored } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import type { Floats } from '../../vectors/distances.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import { place } from '../../vectors/hnsw/insert.js';
import { vectorReader } from '../../vectors/vector-type.js';
import { encodedVectorKey } from '../vectors.js';
import { type ChangeSite, type GraphChange, isFull } from './change-graph.js';
import type { GraphState } from './graph-state.js';
import { apartKey, changedKey, freeKey, idKey, idOf, rangeOf, waitingKey } from './layout.js';

/** Records whose vectors are read together; fewer of many components. */
const BATCH = 32;
const COMPONENTS = 2 ** 15;
/** Ids that are read between two checkpoints. */
const IDS = 64;

/** To be run once. */
export class Placing {
  readonly #site: ChangeSite;
  readonly #before: GraphState;
  readonly #read: (bytes: Uint8Array) => Floats;
  #next: number;
  #live: number;
  #dead: number;
  #waiting: number;
  #unlinked: number;
  #free: number[] = [];

  constructor(site: ChangeSite, state: GraphState) {
    this.#site = site;
    this.#before = state;
    this.#read = vectorReader(site.type, site.stored.options.dimension);
    this.#next = state.next;
    this.#live = state.live;
    this.#dead = state.dead;
    this.#waiting = state.waiting;
    this.#unlinked = state.unlinked;
  }

  /** @param keys of records, encoded */
  run(graph: Graph, keys: readonly string[]): PromiseOrValue<GraphChange> {
    return andThen(this.#readFree(keys.length), () =>
      andThen(this.#placeAll(graph, keys), () => ({
        state: {
          ...this.#before,
          next: this.#next,
          live: this.#live,
          dead: this.#dead,
          waiting: this.#waiting,
          unlinked: this.#unlinked,
        },
      })),
    );
  }

  #readFree(most: number): PromiseOrValue<void> {
    const { transaction, index, work } = this.#site.stored;
    return forEachBatch(transaction.scan(rangeOf(index, 'free'), { limit: most, batch: IDS }), (batch) => {
      for (const [key] of batch) this.#free.push(idOf(index, key));
      return andThen(work.checkpoint(), () => false);
    });
  }

  #placeAll(graph: Graph, keys: readonly string[]): PromiseOrValue<void> {
    const size = Math.max(1, Math.min(BATCH, Math.floor(COMPONENTS / graph.options.dimension)));
    let from = 0;
    return untilTrue(() => {
      const some = keys.slice(from, from + size);
      from += some.length;
      return andThen(this.#placeSome(graph, some), () => isFull(graph) || from >= keys.length);
    });
  }

  #placeSome(graph: Graph, keys: readonly string[]): PromiseOrValue<void> {
    const { transaction, index, work } = this.#site.stored;
    const wanted = [...keys.map((key) => idKey(index, key)), ...keys.map((key) => encodedVectorKey(index, key))];
    return andThen(transaction.getMany(wanted), (found) =>
      andThen(work.checkpoint(), () =>
        forEachInOrder(keys, (key, at) =>
          andThen(this.#replace(graph, key, found[at], found[keys.length + at]), () => {
            transaction.delete(changedKey(index, key));
            return andThen(work.checkpoint(), () => false);
          }),
        ),
      ),
    );
  }

  /** @param former the id of the node that the record had */
  #replace(graph: Graph, key: string, former: Stored | undefined, stored: Stored | undefined): PromiseOrValue<void> {
    const bytes = stored instanceof Uint8Array ? stored : undefined;
    return andThen(this.#giveUp(graph, key, former, bytes), (isSame) => {
      const { transaction, index } = this.#site.stored;
      if (isSame) return;
      if (bytes !== undefined) this.#place(graph, key, bytes);
      else if (former !== undefined) transaction.delete(idKey(index, key));
    });
  }

  /** The former node of a record only leads to others; returns true where it has the same vector instead. */
  #giveUp(
    graph: Graph,
    key: string,
    former: Stored | undefined,
    bytes: Uint8Array | undefined,
  ): PromiseOrValue<boolean> {
    if (former === undefined) return false;
    const { stored } = this.#site;
    const id = Number(former);
    if (id === UNLINKED) {
      this.#unlinked--;
      stored.transaction.delete(apartKey(stored.index, key));
      return false;
    }
    const here = Graph.isMissing(graph.slotOf(id)) ? stored.read(graph, [id]) : undefined;
    return andThen(here, () => {
      const slot = graph.slotOf(id);
      if (!Graph.isHere(slot)) return false;
      if (bytes !== undefined && isEqual(graph.arena.vector(slot), this.#read(bytes))) return true;
      graph.kill(slot);
      this.#live--;
      this.#dead++;
      return false;
    });
  }

  #place(graph: Graph, key: string, bytes: Uint8Array): void {
    const { stored, type } = this.#site;
    const { transaction, index } = stored;
    const vector = this.#read(bytes);
    if (!graph.arena.isMeasurable(vector)) {
      this.#unlinked++;
      transaction.put(idKey(index, key), UNLINKED);
      if (graph.arena.hasDistance(vector)) transaction.put(apartKey(index, key), true);
      return;
    }
    const id = this.#newId();
    stored.writeNode(id, key, vector, type === 'F32' ? bytes : undefined);
    transaction.put(idKey(index, key), id);
    transaction.put(waitingKey(index, id), true);
    place(graph, id, key, vector);
    this.#live++;
    this.#waiting++;
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
