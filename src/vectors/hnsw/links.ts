/** Which nodes a node links to: far apart from each other rather than nearest alone (algorithm 4). */
import { Graph, type Need, PAUSE } from './graph.js';
import type { FoundNode } from './layer-search.js';

/** Components that are measured between two pauses: some hundred microseconds. */
const COMPONENTS_AT_ONCE = 2 ** 18;

/**
 * The slots of at most `most` candidates, which come nearest first: each lies nearer to the node than to those that
 * were chosen before it.
 */
export function* chooseLinks(
  graph: Graph,
  candidates: readonly FoundNode[],
  most: number,
): Generator<Need, number[], void> {
  const { arena, options } = graph;
  const chosen: number[] = [];
  const pruned: number[] = [];
  let components = 0;
  for (const { slot, distance } of candidates) {
    if (chosen.length >= most) break;
    components += chosen.length * options.dimension;
    if (components > COMPONENTS_AT_ONCE) {
      components = 0;
      yield PAUSE;
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
export function missingLinks(graph: Graph, slots: readonly number[], layer: number): number[] {
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
export function linkedSlots(graph: Graph, slot: number, layer: number): number[] {
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
export function byDistance(graph: Graph, slot: number, others: readonly number[]): FoundNode[] {
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
export function* linkTo(graph: Graph, slot: number, other: number, layer: number): Generator<Need, void, void> {
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
