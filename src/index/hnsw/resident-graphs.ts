/**
 * Graphs that are kept in memory between searches, each in one state: mostly the latest. What a transaction sees may be
 * another one. A graph that is older is brought up to date by what has changed since; one that is newer is searched all
 * the same, and what it finds is looked at again (`OpenedGraph.isTrusted`). Where neither is possible, and beyond the
 * memory for vectors, a search reads the nodes that it needs, and only these.
 */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import type { PackedCache } from '../../vectors/packed-cache.js';
import type { GraphState } from './graph-state.js';
import type { StoredGraph } from './stored-graph.js';

/** A graph for one search. */
export interface OpenedGraph {
  readonly graph: Graph;
  /** Whether all nodes are here, rather than those that were read. */
  readonly isWhole: boolean;
  /** Whether the graph is, at this moment, just as the transaction sees it. */
  isTrusted(): boolean;
  /** Whether nodes may be gone by now that the transaction sees. */
  isTooNew(): boolean;
}

/** A graph to be changed. */
export interface ChangingGraph {
  readonly graph: Graph;
  /** The change is complete, and leads to a state if it is committed. */
  made(next: GraphState): void;
  /** It was abandoned. */
  failed(): void;
}

interface Resident {
  readonly graph: Graph;
  /** The last that is known to be committed. */
  state: GraphState;
  /** As it is accounted for, in bytes. */
  size: number;
  /** It is being read, or brought up to date. */
  isBusy: boolean;
  /** A change that is under way, or of which it isn't known whether it was committed. */
  change: PendingChange | undefined;
}

interface PendingChange {
  readonly entry: number | undefined;
  readonly top: number;
  /** Whether nodes are removed. */
  readonly frees: boolean;
  /** The state that it leads to; `undefined` while it is under way. */
  next: GraphState | undefined;
}

export class ResidentGraphs {
  readonly #memory: PackedCache;
  /** By the prefix of the index; those used least recently first. */
  readonly #graphs = new Map<string, Resident>();

  constructor(memory: PackedCache) {
    this.#memory = memory;
  }

  /** The graph of an index as a transaction sees it, or a later one. */
  open(stored: StoredGraph, state: GraphState): PromiseOrValue<OpenedGraph> {
    return andThen(this.#upToDate(stored, state), (resident) => {
      if (resident !== undefined && !isTooNew(resident, state)) return opened(resident, state);
      const graph = new Graph(stored.options, true);
      setEntry(graph, state);
      return { graph, isWhole: false, isTrusted: () => true, isTooNew: () => false };
    });
  }

  /** The same to be changed, by the only one who does. */
  change(stored: StoredGraph, state: GraphState): PromiseOrValue<ChangingGraph> {
    return andThen(this.#upToDate(stored, state), (resident) => {
      if (resident?.state.stamp !== state.stamp) {
        const graph = new Graph(stored.options, true);
        setEntry(graph, state);
        graph.noteChanges();
        return { graph, made: () => undefined, failed: () => undefined };
      }
      // One that isn't in the state by now has failed.
      undo(resident);
      const { graph } = resident;
      const { entry, top } = graph;
      const change: PendingChange = { entry, top, frees: state.sweep?.phase === 'free', next: undefined };
      resident.change = change;
      graph.noteChanges();
      return {
        graph,
        made: (next) => {
          change.next = next;
          this.#account(stored.index, resident);
        },
        failed: () => {
          if (resident.change === change) undo(resident);
        },
      };
    });
  }

  /** The resident graph in a state or a later one; `undefined` where there is none to be had now. */
  #upToDate(stored: StoredGraph, state: GraphState): PromiseOrValue<Resident | undefined> {
    const { index } = stored;
    const resident = this.#graphs.get(index);
    if (resident === undefined) return this.#load(stored, state);
    this.#graphs.delete(index);
    this.#graphs.set(index, resident);
    if (resident.isBusy) return undefined;
    const { change } = resident;
    if (change?.next?.stamp === state.stamp) {
      resident.graph.keepChanges();
      resident.change = undefined;
      resident.state = state;
    }
    if (state.sequence <= resident.state.sequence) return resident;
    if (change !== undefined && change.next === undefined) return undefined;
    // Another node has changed the graph instead.
    undo(resident);
    return this.#advance(stored, resident, state);
  }

  #load(stored: StoredGraph, state: GraphState): PromiseOrValue<Resident | undefined> {
    const { index, options } = stored;
    const size = Graph.sizeOf(options, state.next);
    if (!this.#reserve(index, size)) return undefined;
    const graph = new Graph(options, false);
    const resident: Resident = { graph, state, size, isBusy: true, change: undefined };
    this.#graphs.set(index, resident);
    return this.#orDrop(index, resident, () => {
      graph.reserve(state.next);
      return stored.readAll(graph);
    });
  }

  #advance(stored: StoredGraph, resident: Resident, state: GraphState): PromiseOrValue<Resident | undefined> {
    const { index } = stored;
    const from = resident.state.sequence;
    resident.isBusy = true;
    return andThen(stored.changedBetween(from, state.sequence), (ids) => {
      if (ids === undefined) {
        this.#drop(index, resident);
        return this.#load(stored, state);
      }
      resident.state = state;
      return this.#orDrop(index, resident, () => stored.read(resident.graph, ids));
    });
  }

  /** Reads what makes up the state of a resident graph. */
  #orDrop(index: string, resident: Resident, read: () => PromiseOrValue<void>): PromiseOrValue<Resident> {
    return otherwise(
      () =>
        andThen(read(), () => {
          setEntry(resident.graph, resident.state);
          resident.isBusy = false;
          this.#account(index, resident);
          return resident;
        }),
      (error) => {
        this.#drop(index, resident);
        throw error;
      },
    );
  }

  /** Accounts for the size of a graph; one for which there is no longer room isn't kept. */
  #account(index: string, resident: Resident): void {
    const { size } = resident.graph;
    if (!this.#graphs.has(index) || !this.#reserve(index, size - resident.size)) this.#drop(index, resident);
    else resident.size = size;
  }

  /** Makes room for a graph, for which others are forgotten. */
  #reserve(index: string, bytes: number): boolean {
    for (;;) {
      if (this.#memory.reserve(bytes)) return true;
      const [oldest] = [...this.#graphs].filter(([other, { isBusy }]) => other !== index && !isBusy);
      if (oldest === undefined) return false;
      this.#drop(...oldest);
    }
  }

  #drop(index: string, resident: Resident): void {
    if (this.#graphs.get(index) !== resident) return;
    this.#graphs.delete(index);
    this.#memory.reserve(-resident.size);
  }
}

function opened(resident: Resident, state: GraphState): OpenedGraph {
  const { graph } = resident;
  const { version } = graph;
  const isAsSeen = resident.state.stamp === state.stamp && resident.change === undefined;
  return {
    graph,
    isWhole: true,
    isTrusted: () => isAsSeen && graph.version === version,
    isTooNew: () => isTooNew(resident, state),
  };
}

function isTooNew({ state: present, change }: Resident, state: GraphState): boolean {
  return present.freed > state.sequence || (change?.frees === true && present.sequence > state.sequence);
}

function setEntry(graph: Graph, { entry, top }: GraphState): void {
  graph.entry = entry;
  graph.top = top;
}

function undo(resident: Resident): void {
  const { graph, change } = resident;
  if (change === undefined) return;
  graph.undoChanges();
  graph.entry = change.entry;
  graph.top = change.top;
  resident.change = undefined;
}
