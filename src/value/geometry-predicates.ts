/**
 * Whether geometries touch or hold each other, in the plane of longitude and latitude, by the rules of the OGC's simple
 * features.
 */
import { failure } from '../errors/error.js';
import type { Geometry, Position, Shape } from './value.js';

type Segment = readonly [from: Position, to: Position];
type Polygon = readonly (readonly Position[])[];

/** A geometry taken apart. Rings of polygons are among the segments, too. */
interface Parts {
  readonly points: readonly Position[];
  readonly lines: readonly Segment[];
  readonly polygons: readonly Polygon[];
  readonly rings: readonly Segment[];
  /** Ends of open lines, which are not part of their interior. */
  readonly ends: readonly Position[];
}

/** Pairs of segments that one comparison may look at: some milliseconds. */
const MAX_PAIRS = 2 ** 19;

/** Whether the two have a point in common. */
export function geometriesIntersect(a: Geometry, b: Geometry): boolean {
  const x = partsOf(a.shape);
  const y = partsOf(b.shape);
  bound(x, y);
  return (
    verticesOf(x).some((point) => covers(y, point)) ||
    verticesOf(y).some((point) => covers(x, point)) ||
    edgesOf(x).some((edge) => edgesOf(y).some((other) => cross(edge, other)))
  );
}

/** Whether all of `inner` lies in `outer`, and not only on its boundary. @throws TesseraError `value_too_large` */
export function containsGeometry(outer: Geometry, inner: Geometry): boolean {
  const a = partsOf(outer.shape);
  const b = partsOf(inner.shape);
  bound(a, b);
  let budget = MAX_PAIRS;
  let touchesInterior = false;
  const holds = (point: Position) => {
    budget -= sizeOf(a);
    if (budget < 0) throw failure('value_too_large', { limit: MAX_PAIRS });
    touchesInterior ||= inInterior(a, point);
    return covers(a, point);
  };
  if (!b.points.every(holds) || !edgesOf(b).every((edge) => cutPoints(edge, edgesOf(a)).every(holds))) return false;
  if (b.polygons.length === 0) return touchesInterior;
  // A hole of the outer one must not lie within the inner one.
  return (
    a.polygons.length > 0 && b.rings.length > 0 && !a.rings.some(([point]) => insideAny(b.polygons, point) === 'inside')
  );
}

function bound(a: Parts, b: Parts): void {
  if (sizeOf(a) * sizeOf(b) > MAX_PAIRS) throw failure('value_too_large', { limit: MAX_PAIRS });
}

function sizeOf({ points, lines, rings }: Parts): number {
  return points.length + lines.length + rings.length;
}

function partsOf(shape: Shape): Parts {
  switch (shape.type) {
    case 'Point':
      return parts({ points: [shape.coordinates] });
    case 'MultiPoint':
      return parts({ points: shape.coordinates });
    case 'LineString':
      return lineParts([shape.coordinates]);
    case 'MultiLineString':
      return lineParts(shape.coordinates);
    case 'Polygon':
      return parts({ polygons: [shape.coordinates], rings: shape.coordinates.flatMap(segmentsOf) });
    case 'MultiPolygon':
      return parts({ polygons: shape.coordinates, rings: shape.coordinates.flat().flatMap(segmentsOf) });
    case 'GeometryCollection': {
      const members = shape.geometries.map(partsOf);
      return {
        points: members.flatMap((member) => member.points),
        lines: members.flatMap((member) => member.lines),
        polygons: members.flatMap((member) => member.polygons),
        rings: members.flatMap((member) => member.rings),
        ends: members.flatMap((member) => member.ends),
      };
    }
  }
}

function parts(some: Partial<Parts>): Parts {
  return { points: [], lines: [], polygons: [], rings: [], ends: [], ...some };
}

function lineParts(lines: readonly (readonly Position[])[]): Parts {
  const open = lines.filter((line) => line.length > 0 && !same(line[0] as Position, line.at(-1) as Position));
  const ends = open.flatMap((line) => [line[0] as Position, line.at(-1) as Position]);
  return parts({ lines: lines.flatMap(segmentsOf), ends });
}

function segmentsOf(line: readonly Position[]): Segment[] {
  const segments: Segment[] = [];
  for (let index = 1; index < line.length; index++)
    segments.push([line[index - 1] as Position, line[index] as Position]);
  return segments;
}

function edgesOf({ lines, rings }: Parts): readonly Segment[] {
  return rings.length === 0 ? lines : lines.length === 0 ? rings : [...lines, ...rings];
}

function verticesOf(geometry: Parts): Position[] {
  return [...geometry.points, ...edgesOf(geometry).flat()];
}

/** Whether the point belongs to the geometry, boundary included. */
function covers(geometry: Parts, point: Position): boolean {
  return (
    geometry.points.some((other) => same(other, point)) ||
    geometry.lines.some((segment) => onSegment(segment, point)) ||
    insideAny(geometry.polygons, point) !== 'outside'
  );
}

function inInterior(geometry: Parts, point: Position): boolean {
  if (geometry.points.some((other) => same(other, point))) return true;
  if (insideAny(geometry.polygons, point) === 'inside') return true;
  return geometry.lines.some((segment) => onSegment(segment, point)) && !geometry.ends.some((end) => same(end, point));
}

function insideAny(polygons: readonly Polygon[], point: Position): 'inside' | 'boundary' | 'outside' {
  let best: 'boundary' | 'outside' = 'outside';
  for (const polygon of polygons) {
    const where = locate(polygon, point);
    if (where === 'inside') return where;
    if (where === 'boundary') best = where;
  }
  return best;
}

/** Counts how often a ray from the point crosses the rings; holes take away what they enclose. */
function locate(polygon: Polygon, [x, y]: Position): 'inside' | 'boundary' | 'outside' {
  let inside = false;
  for (const ring of polygon) {
    for (let index = 1; index < ring.length; index++) {
      const from = ring[index - 1] as Position;
      const to = ring[index] as Position;
      if (onSegment([from, to], [x, y])) return 'boundary';
      if (from[1] > y !== to[1] > y && x < ((to[0] - from[0]) * (y - from[1])) / (to[1] - from[1]) + from[0]) {
        inside = !inside;
      }
    }
  }
  return inside ? 'inside' : 'outside';
}

/** Positive if `c` lies to the left of the way from `a` to `b`, negative to the right, 0 on the line. */
function side(a: Position, b: Position, c: Position): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

function onSegment([a, b]: Segment, c: Position): boolean {
  return (
    c[0] >= Math.min(a[0], b[0]) &&
    c[0] <= Math.max(a[0], b[0]) &&
    c[1] >= Math.min(a[1], b[1]) &&
    c[1] <= Math.max(a[1], b[1]) &&
    side(a, b, c) === 0
  );
}

function same(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Whether two segments cross each other within both. */
function cross([a, b]: Segment, [c, d]: Segment): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/**
 * The ends of an edge and the middles of the pieces into which the other edges cut it: if all of them lie inside, so
 * does the edge.
 */
function cutPoints([from, to]: Segment, edges: readonly Segment[]): Position[] {
  const cuts = [0, 1];
  for (const [c, d] of edges) {
    const before = side(c, d, from);
    const after = side(c, d, to);
    const meet = side(from, to, c) * side(from, to, d) <= 0;
    if (meet && before !== after) cuts.push(before / (before - after));
    for (const end of [c, d]) if (onSegment([from, to], end)) cuts.push(fraction(from, to, end));
  }
  const within = cuts.filter((cut) => cut >= 0 && cut <= 1).sort((a, b) => a - b);
  const points: Position[] = [from, to];
  for (let index = 1; index < within.length; index++) {
    const low = within[index - 1] as number;
    const high = within[index] as number;
    if (high > low) points.push(between(from, to, (low + high) / 2));
  }
  return points;
}

function fraction(from: Position, to: Position, point: Position): number {
  const axis = Math.abs(to[0] - from[0]) >= Math.abs(to[1] - from[1]) ? 0 : 1;
  return to[axis] === from[axis] ? 0 : (point[axis] - from[axis]) / (to[axis] - from[axis]);
}

function between(from: Position, to: Position, part: number): Position {
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}
