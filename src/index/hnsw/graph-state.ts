/** The state of the graph of an HNSW index. */
import type { Stored } from '../../storage/contract.js';
import { isObject, objectFrom, type Value } from '../../value/value.js';

export interface GraphState {
  /** Counts the changes of the graph. */
  readonly sequence: number;
  /** Drawn for each change, so that an abandoned one isn't mistaken for the one that replaced it. */
  readonly stamp: string;
  /** The least id that was never used. */
  readonly next: number;
  /** Where searches begin. */
  readonly entry: number | undefined;
  readonly top: number;
  /** Nodes of vectors, and those that only lead to others. */
  readonly live: number;
  readonly dead: number;
  /** Nodes that have no links yet, so that no walk meets them, dead ones among them. */
  readonly waiting: number;
  /** Vectors that can't be measured in 32 bits, or not against each other. */
  readonly unlinked: number;
  /** The sequence number with which nodes were removed last. */
  readonly freed: number;
  /** The graph is being mended where nodes are dead, or these are being removed: up to an id. */
  readonly sweep: Sweep | undefined;
}

export interface Sweep {
  readonly phase: 'mend' | 'free';
  readonly position: number;
  /** The visited live node in the highest layer. */
  readonly entry: number | undefined;
  readonly top: number;
}

export const EMPTY_GRAPH: GraphState = {
  sequence: 0,
  stamp: '',
  next: 0,
  entry: undefined,
  top: 0,
  live: 0,
  dead: 0,
  waiting: 0,
  unlinked: 0,
  freed: 0,
  sweep: undefined,
};

export function readGraphState(stored: Stored | undefined): GraphState {
  if (!isObject(stored)) return EMPTY_GRAPH;
  const { sequence, stamp, next, entry, top, live, dead, waiting = 0, unlinked, freed, sweep } = stored;
  return {
    sequence: Number(sequence),
    stamp: String(stamp),
    next: Number(next),
    entry: optional(entry),
    top: Number(top),
    live: Number(live),
    dead: Number(dead),
    waiting: Number(waiting),
    unlinked: Number(unlinked),
    freed: Number(freed),
    sweep: isObject(sweep) ? readSweep(sweep) : undefined,
  };
}

function readSweep({ phase, position, entry, top }: { readonly [name: string]: Value }): Sweep {
  return {
    phase: phase === 'free' ? 'free' : 'mend',
    position: Number(position),
    entry: optional(entry),
    top: Number(top),
  };
}

function optional(value: Value): number | undefined {
  return value === undefined ? undefined : Number(value);
}

export function storeGraphState({ sweep, ...state }: GraphState): Stored {
  return present({ ...state, sweep: sweep && present({ ...sweep }) });
}

function present(fields: { readonly [name: string]: Value }): Exclude<Value, undefined> {
  return objectFrom(Object.entries(fields).filter(([, value]) => value !== undefined));
}
