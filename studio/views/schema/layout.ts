/** Where the tables and links of the diagram stand, by dagre: in ranks from left to right. */
import { Graph, layout } from '@dagrejs/dagre';
import type { TableParts } from '../../connection/definitions.js';
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

export function layOut(tables: readonly TableParts[], links: readonly Link[]): Diagram {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranksep: 70, nodesep: 24, marginx: MARGIN, marginy: MARGIN });
  for (const { name } of tables) {
    graph.setNode(name, { width: shortened(name).length * LETTER + MARGIN, height: HEIGHT });
  }
  for (const [at, { from, to, label }] of links.entries()) {
    graph.setEdge(from, to, { width: shortened(label).length * SMALL_LETTER, height: 14, labelpos: 'c' }, String(at));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: tables.map(({ name, kind }) => ({ name, isRelation: kind.kind === 'RELATION', ...graph.node(name) })),
    lines: links.map((link, at) => ({ link, ...graph.edge(link.from, link.to, String(at)) })),
  };
}

export function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
}
