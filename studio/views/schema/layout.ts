/** Where the tables and links of the diagram stand, by dagre: in ranks from left to right. */
import { Graph, layout } from '@dagrejs/dagre';
import type { TableParts } from '../../connection/table-parts.js';
import type { Link } from './links.js';

export interface Box {
  readonly name: string;
  readonly isRelation: boolean;
  /** Of its middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly link: Link;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Of the middle of its label. */
  readonly x: number;
  readonly y: number;
}

export interface Diagram {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** In pixels. */
const LETTER = 8;
const SMALL_LETTER = 6.5;
const HEIGHT = 32;
const MARGIN = 24;
/** Names are shown up to this length. */
const LONGEST = 40;

/** Of a link from a table to itself, below its box. */
const LOOP_HEIGHT = 28;
const LOOP_WIDTH = 14;

export function layOut(tables: readonly TableParts[], links: readonly Link[]): Diagram {
  const loops = (name: string) => links.filter((link) => isLoop(link) && link.from === name);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranksep: 70, nodesep: 24, marginx: MARGIN, marginy: MARGIN });
  for (const { name } of tables) {
    const labels = loops(name).map(({ label }) => shortened(label).length * SMALL_LETTER);
    // A box stays in the middle of the room that it is given.
    const height = HEIGHT + 2 * LOOP_HEIGHT * loops(name).length;
    graph.setNode(name, { width: Math.max(shortened(name).length * LETTER + MARGIN, ...labels), height });
  }
  for (const [at, link] of links.entries()) {
    if (isLoop(link)) continue;
    const label = { width: shortened(link.label).length * SMALL_LETTER, height: 14, labelpos: 'c' };
    graph.setEdge(link.from, link.to, label, String(at));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const boxes = tables.map(({ name, kind }) => {
    const isRelation = kind.kind === 'RELATION';
    return { name, isRelation, ...graph.node(name), height: HEIGHT };
  });
  const lines = links.map((link, at) => {
    const box = boxes.find(({ name }) => name === link.from);
    return isLoop(link) && box !== undefined
      ? loopOf(link, box, loops(link.from).indexOf(link))
      : { link, ...graph.edge(link.from, link.to, String(at)) };
  });
  return { width, height, boxes, lines };
}

function isLoop({ from, to }: Link): boolean {
  return from === to;
}

/** The loops of a box are one within the other. */
function loopOf(link: Link, { x, y, height }: Box, number: number): Line {
  const [aside, top] = [LOOP_WIDTH + 4 * number, y + height / 2];
  const bottom = top + LOOP_HEIGHT * (number + 0.5);
  const points = [
    { x: x - aside, y: top },
    { x: x - aside, y: bottom },
    { x: x + aside, y: bottom },
    { x: x + aside, y: top },
  ];
  return { link, points, x, y: bottom + 9 };
}

export function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
}
