/** Where the tables and links of the picture stand, by dagre: in ranks from left to right. */
import { Graph, layout } from '@dagrejs/dagre';
import type { DraftField, DraftTable } from './draft.js';
import type { Link } from './links.js';

export interface Box {
  readonly table: DraftTable;
  /** The fields that it lists, and how many more there are. */
  readonly fields: readonly DraftField[];
  readonly more: number;
  /** Of its middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Line extends Point {
  readonly link: Link;
  readonly points: readonly Point[];
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** In pixels, as in designer.css. */
const WIDTH = 240;
const ROW = 24;
const HEAD = 32;
const BORDERS = 2;
const MARGIN = 24;
const SMALL_LETTER = 6.5;
/** Labels of links are shown up to this length. */
const LONGEST = 30;
/** Fields that a box lists. */
const MOST = 20;

/** Of a link from a table to itself, below its box. */
const LOOP_HEIGHT = 28;
const LOOP_WIDTH = 14;

/** @param isEditable whether boxes have a row to add a field */
export function layOut(tables: readonly DraftTable[], links: readonly Link[], isEditable: boolean): Picture {
  const loops = (name: string) => links.filter((link) => isLoop(link) && link.from === name);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranksep: 70, nodesep: 24, marginx: MARGIN, marginy: MARGIN });
  const sized = tables.map((table) => {
    const listed = table.columns.filter((field) => isListed(table, field));
    const fields = listed.slice(0, MOST);
    const more = listed.length - fields.length;
    const rows = fields.length + (more > 0 ? 1 : 0) + (isEditable ? 1 : 0);
    return { table, fields, more, width: WIDTH, height: HEAD + ROW * rows + BORDERS };
  });
  for (const { table, height } of sized) {
    // A box stays in the middle of the room that it is given.
    graph.setNode(table.name, { width: WIDTH, height: height + 2 * LOOP_HEIGHT * loops(table.name).length });
  }
  for (const [at, link] of links.entries()) {
    if (isLoop(link)) continue;
    const label = { width: shortened(link.label).length * SMALL_LETTER, height: 14, labelpos: 'c' };
    graph.setEdge(link.from, link.to, label, String(at));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const boxes = sized.map((box) => {
    const { x, y } = graph.node(box.table.name) as Point;
    return { ...box, x, y };
  });
  const lines = links.map((link, at) => {
    const box = boxes.find(({ table }) => table.name === link.from);
    return isLoop(link) && box !== undefined
      ? loopOf(link, box, loops(link.from).indexOf(link))
      : { link, ...graph.edge(link.from, link.to, String(at)) };
  });
  return { width, height, boxes, lines };
}

/** Ends of edges are lines, and elements of arrays are said by the type of the array. */
function isListed({ kind }: DraftTable, { path }: DraftField): boolean {
  return !/(\.\*)+$/.test(path) && !(kind.kind === 'RELATION' && (path === 'in' || path === 'out'));
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
