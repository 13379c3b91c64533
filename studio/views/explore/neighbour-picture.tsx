/** A record in the middle, and those that it is connected with around it. */
import { Text } from '@mantine/core';
import type { RecordId } from 'surrealdb';
import { hrefOf } from '../../base/route.js';
import type { Neighbour } from './neighbourhood.js';

/** More would overlap. */
const MOST = 20;
const WIDTH = 720;
const HEIGHT = 420;
const NODE_HEIGHT = 26;
/** Characters of a name. */
const LONGEST = 24;

interface Properties {
  readonly centre: RecordId;
  readonly neighbours: readonly Neighbour[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const MIDDLE: Point = { x: WIDTH / 2, y: HEIGHT / 2 };

export function NeighbourPicture({ centre, neighbours }: Properties) {
  const drawn = neighbours.slice(0, MOST);
  const places = drawn.map((_, at) => placeOf(at, drawn.length));
  // Few of them are on one side.
  const heights = [MIDDLE, ...places].map(({ y }) => y);
  const [top, bottom] = [Math.min(...heights) - NODE_HEIGHT, Math.max(...heights) + NODE_HEIGHT];
  return (
    <figure className="picture">
      <svg viewBox={`0 ${top} ${WIDTH} ${bottom - top}`} role="group" aria-label={`Neighbours of ${centre.toString()}`}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0L8 4L0 8Z" />
          </marker>
        </defs>
        {drawn.map((neighbour, at) => (
          <Connected
            key={at}
            centre={centre}
            neighbour={neighbour}
            place={places[at] ?? MIDDLE}
            isNamed={!isAlike(neighbour, drawn[at - 1])}
          />
        ))}
        <Node id={centre} place={MIDDLE} isCentre />
      </svg>
      {neighbours.length > MOST && (
        <Text component="figcaption" c="dimmed" size="sm">
          {MOST} of {neighbours.length} are drawn; the table has all.
        </Text>
      )}
    </figure>
  );
}

function placeOf(at: number, count: number): Point {
  const angle = (at / count) * 2 * Math.PI - Math.PI / 2;
  return { x: MIDDLE.x + Math.cos(angle) * WIDTH * 0.37, y: MIDDLE.y + Math.sin(angle) * HEIGHT * 0.42 };
}

/** Whether it is connected as another is: of such a row of them, the first is named. */
function isAlike({ by, direction }: Neighbour, other: Neighbour | undefined): boolean {
  return other !== undefined && by === other.by && direction === other.direction;
}

interface ConnectedProperties {
  readonly centre: RecordId;
  readonly neighbour: Neighbour;
  readonly place: Point;
  readonly isNamed: boolean;
}

function Connected({ centre, neighbour, place, isNamed }: ConnectedProperties) {
  const { direction, by, record } = neighbour;
  const [from, to] = direction === 'in' ? [place, MIDDLE] : [MIDDLE, place];
  const end = borderOf(from, to, direction === 'in' ? centre : record);
  const label = along(MIDDLE, place, 0.55);
  return (
    <g className={`connection ${direction}`}>
      <line x1={from.x} y1={from.y} x2={end.x} y2={end.y} markerEnd="url(#arrow)" />
      {isNamed && (
        <text className="by" x={label.x} y={label.y}>
          {short(by)}
        </text>
      )}
      <Node id={record} place={place} />
    </g>
  );
}

/** Where a line to the middle of a node meets its border, so that the arrow isn't under it. */
function borderOf(from: Point, to: Point, id: RecordId): Point {
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const part = Math.min(widthOf(id) / 2 / Math.max(width, 1), NODE_HEIGHT / 2 / Math.max(height, 1));
  return along(to, from, Math.min(1, part));
}

function along(from: Point, to: Point, part: number): Point {
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

interface NodeProperties {
  readonly id: RecordId;
  readonly place: Point;
  readonly isCentre?: boolean;
}

function Node({ id, place, isCentre = false }: NodeProperties) {
  const name = short(id.toString());
  const width = widthOf(id);
  return (
    <a
      href={hrefOf('explore', ['record', id.toString()])}
      className={isCentre ? 'node centre' : 'node'}
      {...(!isCentre && { 'data-record': id.toString() })}
    >
      <rect x={place.x - width / 2} y={place.y - NODE_HEIGHT / 2} width={width} height={NODE_HEIGHT} rx={6} />
      <text x={place.x} y={place.y + 4}>
        {name}
      </text>
    </a>
  );
}

function widthOf(id: RecordId): number {
  return short(id.toString()).length * 7.5 + 16;
}

function short(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
