/** Whether a walk has missed what is near, by a sample of all vectors (`graph.ts` says how). */
import type { Floats } from '../distances.js';
import type { CodeArena } from './code-arena.js';
import { CHECKPOINT, Graph, type Need } from './graph.js';
import type { FoundNode } from './layer-search.js';

/** One in so many vectors is measured. */
const SAMPLED = 16;
/** So many that lie side by side: groups of codes. */
const TOGETHER = 32;
/** Components that are measured between two checkpoints: some hundred microseconds. */
const COMPONENTS = 2 ** 20;

/** Of which nodes a walk has found the nearest. */
export interface WalkSample {
  readonly point: Floats;
  /** Which slots count. */
  readonly accepts: (slot: number) => boolean;
  /** The walk can meet those in front of this slot. */
  readonly end: number;
}

/** Samples what a walk has found, nearest first; answers whether it was poor. */
export function* isPoorWalk(
  graph: Graph,
  codes: CodeArena,
  { point, accepts, end }: WalkSample,
  found: readonly FoundNode[],
): Generator<Need, boolean, void> {
  const last = found.at(-1);
  if (last === undefined) return true;
  const query = codes.query(point);
  const reach = codes.squareOf(last.distance);
  let sampled = 0;
  let shown = 0;
  let measured = 0;
  for (let from = 0; from < end; from += SAMPLED * TOGETHER) {
    // Not all at the same distance, which may be that of something in what was written.
    const first = from + TOGETHER * (((from / TOGETHER / SAMPLED) * 5) % SAMPLED);
    const count = Math.min(TOGETHER, end - first);
    if (count <= 0) continue;
    const least = codes.bound(query, first, count);
    for (let at = 0; at < count; at++) {
      const slot = first + at;
      if ((least[at] as number) + codes.uncertainty(query, slot) / 2 > reach) continue;
      if (Graph.isHere(graph.slotOf(slot)) && accepts(slot)) shown++;
    }
    sampled += count;
    measured += count * point.length;
    if (measured < COMPONENTS) continue;
    measured = 0;
    yield CHECKPOINT;
  }
  return graph.walks.note((found.length * sampled) / end, shown);
}
