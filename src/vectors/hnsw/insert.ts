/** How a node comes into a graph (algorithm 1), and how deep. */
import type { Floats } from '../distances.js';
import { descend, searchLayer } from './descend.js';
import { CHECKPOINT, Graph, type Need } from './graph.js';
import type { FoundNode } from './layer-search.js';

/** The most layers above the lowest one: of a graph as large as ids are many, with the least M. */
const MOST_LEVEL = 32;

/** In how many layers above the lowest one the node of a record is: by its key alone, the same on each node. */
export function levelOf(key: string, levelFactor: number): number {
  const level = Math.floor(-Math.log(fraction(key)) * levelFactor);
  return Number.isFinite(level) ? Math.max(0, Math.min(level, MOST_LEVEL)) : 0;
}

/** Above 0 and at most 1, evenly: FNV-1a (RFC 9923), its bits mixed as MurmurHash3 does at its end. */
function fraction(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / 2 ** 32;
}

/** Adds a node under an id that is free. It has no links as yet. */
export function place(graph: Graph, id: number, key: string, vector: Floats): number {
  const layers = Array.from({ length: levelOf(key, graph.options.levelFactor) + 1 }, () => new Uint32Array());
  return graph.add(id, { key, vector, links: { isDead: false, layers } });
}

/** Links a node that has no links with others. */
export function* link(graph: Graph, slot: number): Generator<Need, void, void> {
  const { options } = graph;
  const level = graph.levelOf(slot);
  let near: readonly number[] = yield* descend(graph, slot, level);
  const isAlive = (at: number): boolean => !graph.isDead(at) && at !== slot;
  for (let layer = Math.min(level, graph.top); near.length > 0 && layer >= 0; layer--) {
    const ef = options.efConstruction;
    const all = yield* searchLayer(graph, { point: slot, layer, ef, accepts: isAlive }, near);
    const candidates = options.extendCandidates ? yield* extended(graph, slot, all, layer) : all;
    const chosen = yield* chooseLinks(graph, candidates, options.m);
    graph.setLinks(
      slot,
      layer,
      chosen.map((each) => graph.idOf(each)),
    );
    for (const each of chosen) {
      yield* linkTo(graph, each, slot, layer);
      yield CHECKPOINT;
    }
    if (all.length > 0) near = all.map((each) => each.slot);
  }
  if (graph.entry !== undefined && level <= graph.top) return;
  graph.entry = graph.idOf(slot);
  graph.top = level;
}

/** Candidates with the nodes to which they link. */
function* extended(
  graph: Graph,
  slot: number,
  candidates: readonly FoundNode[],
  layer: number,
): Generator<Need, FoundNode[], void> {
  const slots = candidates.map((each) => each.slot);
  const missing = missingLinks(graph, slots, layer);
  if (missing.length > 0) yield missing;
  const all = new Set(slots);
  for (const each of slots) for (const linked of linkedSlots(graph, each, layer)) all.add(linked);
  return byDistance(
    graph,
    slot,
    [...all].filter((each) => each !== slot && !graph.isDead(each)),
  );
}

/**
 * Takes the links to dead nodes from a node, and links it with what these led to instead, so that no one needs them any
 * more once all nodes were mended.
 */
export function* mend(graph: Graph, slot: number): Generator<Need, void, void> {
  for (let layer = 0; layer <= graph.levelOf(slot); layer++) {
    const missing = missingLinks(graph, [slot], layer);
    if (missing.length > 0) yield missing;
    const linked = linkedSlots(graph, slot, layer);
    if (!linked.some((each) => graph.isDead(each))) continue;
    const candidates = yield* beyondDead(graph, slot, linked, layer);
    const chosen = yield* chooseLinks(graph, byDistance(graph, slot, candidates), graph.mostLinks(layer));
    graph.setLinks(
      slot,
      layer,
      chosen.map((each) => graph.idOf(each)),
    );
    for (const each of chosen) if (!linked.includes(each)) yield* linkTo(graph, each, slot, layer);
  }
}

/** Where fewer living nodes lie beyond dead ones, no more than this many dead ones are followed to them. */
const MOST_CANDIDATES = 256;
const MOST_FOLLOWED = 256;
/** So many dead nodes are followed between two checkpoints. */
const FOLLOWED_AT_ONCE = 64;

/** The living among some nodes, and those to which the dead among them lead, in as few steps as possible. */
function* beyondDead(
  graph: Graph,
  slot: number,
  linked: readonly number[],
  layer: number,
): Generator<Need, number[], void> {
  const met = new Set([slot, ...linked]);
  const living: number[] = [];
  const dead: number[] = [];
  const sort = (each: number): void => {
    (graph.isDead(each) ? dead : living).push(each);
  };
  linked.forEach(sort);
  let followed = 0;
  // Of a whole region that died one living node is looked for, however far away.
  const isEnough = () => living.length >= MOST_CANDIDATES || (followed >= MOST_FOLLOWED && living.length > 0);
  while (followed < dead.length && !isEnough()) {
    const some = dead.slice(followed, followed + FOLLOWED_AT_ONCE);
    yield missingLinks(graph, some, layer);
    for (const each of some) {
      for (const next of linkedSlots(graph, each, layer)) {
        if (met.has(next)) continue;
        met.add(next);
        sort(next);
      }
    }
    followed += some.length;
  }
  return living;
}

// Which nodes a node links to: far apart from each other rather than nearest alone (algorithm 4).

/** Components that are measured between two checkpoints: some hundred microseconds. */
const COMPONENTS_AT_ONCE = 2 ** 18;

/**
 * The slots of at most `most` candidates, which come nearest first: each lies nearer to the node than to those that
 * were chosen before it.
 */
function* chooseLinks(graph: Graph, candidates: readonly FoundNode[], most: number): Generator<Need, number[], void> {
  const { arena, options } = graph;
  const chosen: number[] = [];
  const pruned: number[] = [];
  let components = 0;
  for (const { slot, distance } of candidates) {
    if (chosen.length >= most) break;
    components += chosen.length * options.dimension;
    if (components > COMPONENTS_AT_ONCE) {
      components = 0;
      yield CHECKPOINT;
    }
    arena.slots.set(chosen);
    arena.measure(slot, chosen.length);
    let isApart = true;
    for (let at = 0; at < chosen.length && isApart; at++) isApart = !((arena.out[at] as number) < distance);
    (isApart ? chosen : pruned).push(slot);
  }
  if (options.keepPrunedConnections) chosen.push(...pruned.slice(0, most - chosen.length));
  return chosen;
}

/** The ids of nodes that aren't here, of those to which some nodes link. */
function missingLinks(graph: Graph, slots: readonly number[], layer: number): number[] {
  const links = graph.linksBuffer;
  const missing = new Set<number>();
  for (const slot of slots) {
    const count = graph.readLinks(slot, layer, links);
    for (let at = 0; at < count; at++) {
      const id = links[at] as number;
      if (Graph.isMissing(graph.slotOf(id))) missing.add(id);
    }
  }
  return [...missing];
}

/** The slots of the nodes to which one links; those that are gone are left out. */
function linkedSlots(graph: Graph, slot: number, layer: number): number[] {
  const links = graph.linksBuffer;
  const count = graph.readLinks(slot, layer, links);
  const slots: number[] = [];
  for (let at = 0; at < count; at++) {
    const linked = graph.slotOf(links[at] as number);
    if (Graph.isHere(linked)) slots.push(linked);
  }
  return slots;
}

/** Nodes by how near they lie to one, nearest first. */
function byDistance(graph: Graph, slot: number, others: readonly number[]): FoundNode[] {
  const { arena } = graph;
  const found: FoundNode[] = [];
  for (let from = 0; from < others.length; from += arena.slots.length) {
    const some = others.slice(from, from + arena.slots.length);
    arena.slots.set(some);
    arena.measure(slot, some.length);
    for (let at = 0; at < some.length; at++) {
      found.push({ slot: some[at] as number, distance: arena.out[at] as number });
    }
  }
  return found.sort((a, b) => a.distance - b.distance);
}

/** Has a node link to another one; where it has no room, its links are chosen again. */
function* linkTo(graph: Graph, slot: number, other: number, layer: number): Generator<Need, void, void> {
  const missing = missingLinks(graph, [slot], layer);
  if (missing.length > 0) yield missing;
  const linked = linkedSlots(graph, slot, layer);
  if (linked.includes(other)) return;
  linked.push(other);
  const most = graph.mostLinks(layer);
  const kept = linked.length <= most ? linked : yield* chooseLinks(graph, byDistance(graph, slot, linked), most);
  graph.setLinks(
    slot,
    layer,
    kept.map((each) => graph.idOf(each)),
  );
}
