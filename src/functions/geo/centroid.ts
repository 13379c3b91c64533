/** Centres of mass, in the plane of longitude and latitude. */
import type { Position, Shape } from '../../value/value.js';

/** Masses gathered so far. Areas outweigh lines and lines outweigh points, whatever their size. */
interface Mass extends Moments {
  dimension: number;
}

/** A weight, and the coordinates of its centre times it. */
interface Moments {
  weight: number;
  x: number;
  y: number;
}

/** The centre of a shape; `undefined` of nothing. */
export function centroid(shape: Shape): Position | undefined {
  const mass: Mass = { dimension: -1, weight: 0, x: 0, y: 0 };
  addShape(mass, shape);
  return mass.dimension < 0 ? undefined : [mass.x / mass.weight, mass.y / mass.weight];
}

function addMass(mass: Mass, dimension: number, weight: number, x: number, y: number): void {
  addMoments(mass, dimension, { weight, x: x * weight, y: y * weight });
}

function addMoments(mass: Mass, dimension: number, { weight, x, y }: Moments): void {
  if (dimension < mass.dimension) return;
  if (dimension > mass.dimension) Object.assign(mass, { dimension, weight: 0, x: 0, y: 0 });
  mass.weight += weight;
  mass.x += x;
  mass.y += y;
}

/** The mass of each shape. */
const ADD: { readonly [S in Shape as S['type']]: (mass: Mass, shape: S) => void } = {
  Point: (mass, { coordinates }) => addPoint(mass, coordinates),
  MultiPoint: (mass, { coordinates }) => addAll(mass, coordinates, addPoint),
  LineString: (mass, { coordinates }) => addLine(mass, coordinates),
  MultiLineString: (mass, { coordinates }) => addAll(mass, coordinates, addLine),
  Polygon: (mass, { coordinates }) => addPolygon(mass, coordinates),
  MultiPolygon: (mass, { coordinates }) => addAll(mass, coordinates, addPolygon),
  GeometryCollection: (mass, { geometries }) => addAll(mass, geometries, addShape),
};

function addAll<T>(mass: Mass, parts: readonly T[], add: (mass: Mass, part: T) => void): void {
  for (const part of parts) add(mass, part);
}

function addShape(mass: Mass, shape: Shape): void {
  (ADD[shape.type] as (mass: Mass, shape: Shape) => void)(mass, shape);
}

function addPoint(mass: Mass, [x, y]: Position): void {
  addMass(mass, 0, 1, x, y);
}

/** Each stretch by its length; a line without any length is a point. */
function addLine(mass: Mass, line: readonly Position[]): void {
  const stretches = line.slice(1).map((end, index) => ({ start: line[index] as Position, end }));
  const long = stretches.filter(({ start, end }) => start[0] !== end[0] || start[1] !== end[1]);
  if (long.length === 0 && line[0] !== undefined) addPoint(mass, line[0]);
  for (const { start, end } of long) {
    addMass(
      mass,
      1,
      Math.hypot(end[0] - start[0], end[1] - start[1]),
      (start[0] + end[0]) / 2,
      (start[1] + end[1]) / 2,
    );
  }
}

/** The area within the outer ring without the holes; a polygon without any area is a line. */
function addPolygon(mass: Mass, [outer = [], ...holes]: readonly (readonly Position[])[]): void {
  const whole = ringMass(outer);
  const missing: Mass = { dimension: 2, weight: 0, x: 0, y: 0 };
  for (const hole of whole.weight === 0 ? [] : holes) addMoments(missing, 2, ringMass(hole));
  whole.weight -= missing.weight;
  whole.x -= missing.x;
  whole.y -= missing.y;
  if (whole.weight === 0) addLine(mass, outer);
  else addMoments(mass, 2, whole);
}

/**
 * The area of a ring, and its centre times the area. The order of the steps is the reference engine's, so that the last
 * digits are, too: the centre of each ring is divided by its own area before it is weighed.
 */
function ringMass(ring: readonly Position[]): Moments {
  let [twiceArea, x, y] = [0, 0, 0];
  // Reckoned from the first position, so that small rings far from the origin lose no digits.
  const [x0, y0] = ring[0] ?? [0, 0];
  for (let index = 1; index < ring.length; index++) {
    const [ax, ay] = relative(ring[index - 1] as Position, x0, y0);
    const [bx, by] = relative(ring[index] as Position, x0, y0);
    const twice = ax * by - bx * ay;
    twiceArea += twice;
    x += (bx + ax) * twice;
    y += (by + ay) * twice;
  }
  const area = twiceArea / 2;
  if (area === 0) return { weight: 0, x: 0, y: 0 };
  const weight = Math.abs(area);
  return { weight, x: (x / (6 * area) + x0) * weight, y: (y / (6 * area) + y0) * weight };
}

function relative([x, y]: Position, x0: number, y0: number): Position {
  return [x - x0, y - y0];
}
