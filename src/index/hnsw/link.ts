/**
 * Keeps the graph of an HNSW index, in the background, some of the work at a time: what writers have noted as changed
 * gets nodes first (`place.ts`), then these are linked. When many nodes are dead, the others are mended, and the dead
 * ones removed (`sweep.ts`).
 */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { ScanOptions } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import { link } from '../../vectors/hnsw/insert.js';
import { type ChangeSite, changeGraph, type GraphChange, isFull } from './change-graph.js';
import type { GraphState } from './graph-state.js';
import { idOf, rangeOf, recordIn, waitingKey } from './layout.js';
import { Placing } from './place.js';
import type { StoredGraph } from './stored-graph.js';
import { isWorn, sweepSome } from './sweep.js';

/** Entries that are read between two checkpoints. */
const BATCH = 64;
/** Nodes that are read together. */
const READ_AT_ONCE = 32;

/** The bounds of one transaction. */
export interface LinkBounds {
  /** Fewer changes wait for more. */
  readonly least: number;
  readonly placed: number;
  readonly linked: number;
}

/**
 * Does some of the pending work.
 * @returns whether there may be more
 */
export function linkChanged(site: ChangeSite, bounds: LinkBounds): PromiseOrValue<boolean> {
  const { stored } = site;
  return andThen(stored.state(), (state) => {
    if (state.sweep !== undefined) return sweepSome(site, state);
    // Whatever changes meanwhile is for the next step.
    const options = { limit: bounds.placed, foundOnly: true };
    return andThen(notedKeys(stored, 'changed', options), (keys) => {
      if (keys.length >= bounds.least) {
        const placing = new Placing(site, state);
        return andThen(
          changeGraph(site, state, (graph) => placing.run(graph, keys)),
          () => true,
        );
      }
      if (state.waiting === 0) return isWorn(state) && sweepSome(site, state);
      if (bounds.linked === 0) return false;
      const linked = andThen(waitingIds(stored, bounds.linked), (ids) =>
        changeGraph(site, state, (graph) => linkAll(graph, stored, state, ids)),
      );
      return andThen(linked, () => true);
    });
  });
}

/**
 * The encoded keys of records that are noted: `changed`, whose current vectors have no nodes yet, or `apart`, whose
 * vectors the graph can't hold but which may be near.
 */
export function notedKeys(
  stored: Pick<StoredGraph, 'transaction' | 'index' | 'work'>,
  tag: 'changed' | 'apart',
  options: ScanOptions,
): PromiseOrValue<string[]> {
  return listed(stored, tag, options, recordIn);
}

/** The ids of nodes that aren't linked yet, the least ones first. */
export function waitingIds(stored: StoredGraph, most: number): PromiseOrValue<number[]> {
  return listed(stored, 'waiting', { limit: most }, idOf);
}

function listed<T>(
  { transaction, index, work }: Pick<StoredGraph, 'transaction' | 'index' | 'work'>,
  tag: Parameters<typeof rangeOf>[1],
  options: ScanOptions,
  read: (index: string, key: string) => T,
): PromiseOrValue<T[]> {
  const all: T[] = [];
  const scanned = forEachBatch(transaction.scan(rangeOf(index, tag), { ...options, batch: BATCH }), (batch) => {
    for (const [key] of batch) all.push(read(index, key));
    return andThen(work.checkpoint(), () => false);
  });
  return andThen(scanned, () => all);
}

/** Links nodes that have waited; those that died meanwhile need no links. */
function linkAll(
  graph: Graph,
  stored: StoredGraph,
  state: GraphState,
  ids: readonly number[],
): PromiseOrValue<GraphChange> {
  let linked = 0;
  const linkSome = (some: readonly number[]): PromiseOrValue<void> => {
    const missing = some.filter((id) => Graph.isMissing(graph.slotOf(id)));
    return andThen(missing.length === 0 ? undefined : stored.read(graph, missing), () =>
      forEachInOrder(some, (id) => {
        const slot = graph.slotOf(id);
        const isWanted = Graph.isHere(slot) && !graph.isDead(slot);
        return andThen(isWanted ? stored.run(graph, link(graph, slot)) : undefined, () => {
          stored.transaction.delete(waitingKey(stored.index, id));
          linked++;
          return andThen(stored.work.checkpoint(), () => isFull(graph));
        });
      }),
    );
  };
  let from = 0;
  const done = untilTrue(() => {
    const some = ids.slice(from, from + READ_AT_ONCE);
    from += some.length;
    return andThen(linkSome(some), () => isFull(graph) || from >= ids.length);
  });
  return andThen(done, () => ({ state: { ...state, waiting: state.waiting - linked } }));
}
