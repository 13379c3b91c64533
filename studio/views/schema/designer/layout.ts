/** Where the tables and links of the picture stand: by dagre, in ranks from left to right, or where they were moved. */
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

export interface LayoutOptions {
  /** Whether boxes have a row to add a field. */
  readonly isEditable: boolean;
  /** The middles of boxes that were moved, by the names of their tables. */
  readonly moved?: ReadonlyMap<string, Point>;
}

export function layOut(
  tables: readonly DraftTable[],
  links: readonly Link[],
  { isEditable, moved = new Map() }: LayoutOptions,
): Picture {
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
    const { x, y } = moved.get(box.table.name) ?? (graph.node(box.table.name) as Point);
    return { ...box, x, y };
  });
  const lines = links.map((link, at) => {
    const [from, to] = [link.from, link.to].map((name) => boxes.find(({ table }) => table.name === name));
    if (isLoop(link) && from !== undefined) return loopOf(link, from, loops(link.from).indexOf(link));
    const isMoved = moved.has(link.from) || moved.has(link.to);
    if (isMoved && from !== undefined && to !== undefined) return straight(link, from, to);
    return { link, ...graph.edge(link.from, link.to, String(at)) };
  });
  return {
    width: Math.max(width, ...boxes.map((box) => box.x + box.width / 2 + MARGIN)),
    height: Math.max(height, ...boxes.map((box) => box.y + box.height / 2 + MARGIN)),
    boxes,
    lines,
  };
}

/** From the border of a box to that of another. */
function straight(link: Link, from: Box, to: Box): Line {
  const points = [borderOf(from, to), borderOf(to, from)];
  const [first = from, last = to] = points;
  return { link, points, x: (first.x + last.x) / 2, y: (first.y + last.y) / 2 };
}

/** Where the way from the middle of a box to another point leaves the box. */
function borderOf({ x, y, width, height }: Box, to: Point): Point {
  const [dx, dy] = [to.x - x, to.y - y];
  const part = Math.min(1, width / 2 / Math.abs(dx), height / 2 / Math.abs(dy));
  return { x: x + dx * part, y: y + dy * part };
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
