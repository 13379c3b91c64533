/** `geo::*`: distances, areas and centres on the Earth, and geohashes. */
import { float, Geometry, type Position, type Shape, type Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, geometry, integer, optional } from './calls/parameters.js';

/** A number from two points; NONE of any other shapes. */
function ofPoints(name: string, description: string, compute: (a: Position, b: Position) => number): FunctionRow {
  return define(
    `geo::${name}`,
    [geometry('a'), geometry('b')],
    'option<float>',
    description,
    ({ shape: a }, { shape: b }) =>
      a.type === 'Point' && b.type === 'Point' ? float(compute(a.coordinates, b.coordinates)) : undefined,
  );
}

const point = (coordinates: Position | undefined): Value => coordinates && new Geometry({ type: 'Point', coordinates });

const MAX_HASH = 12;

/** Whether all positions are on the Earth. */
function isValid(shape: Shape): boolean {
  return shape.type === 'GeometryCollection' ? shape.geometries.every(isValid) : onEarth(shape.coordinates);
}

type Coordinates = number | readonly Coordinates[];

function onEarth(coordinates: readonly Coordinates[]): boolean {
  const [longitude, latitude] = coordinates;
  if (typeof longitude === 'number' && typeof latitude === 'number') {
    return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
  }
  return coordinates.every((inner) => typeof inner !== 'number' && onEarth(inner));
}

export const geoFunctions: readonly FunctionRow[] = [
  define(
    'geo::area',
    [geometry('geometry')],
    'float',
    'The area in square metres; 0 of points and lines.',
    ({ shape }) => float(area(shape)),
  ),
  ofPoints('bearing', 'The direction from one point to another, in degrees from north.', bearing),
  define(
    'geo::centroid',
    [geometry('geometry')],
    'option<point>',
    'The centre of a geometry; NONE of an empty one.',
    ({ shape }) => point(centroid(shape)),
  ),
  ofPoints('distance', 'The distance between two points in metres.', greatCircleDistance),
  define(
    'geo::hash::decode',
    [any('hash')],
    'option<point>',
    'The centre of a geohash; NONE if it isn’t one.',
    (hash) => (typeof hash === 'string' ? point(decodeGeohash(hash)) : undefined),
  ),
  define(
    'geo::hash::encode',
    [geometry('point'), optional(integer('length'))],
    'option<string>',
    'The geohash of a point, of 12 characters by default.',
    ({ shape }, length = MAX_HASH) => {
      if (length < 1 || length > MAX_HASH) {
        throw invalidArguments(
          'geo::encode',
          `The second argument must be an integer greater than 0 and less than or equal to ${MAX_HASH}.`,
        );
      }
      return shape.type === 'Point' ? encodeGeohash(shape.coordinates, Number(length)) : undefined;
    },
  ),
  define(
    'geo::is_valid',
    [geometry('geometry')],
    'bool',
    'Whether a geometry lies on the Earth.',
    ({ shape }) => isValid(shape),
    {
      aliases: ['geo::is::valid'],
    },
  ),
];

// Geohashes: cells of longitude and latitude as text, one character for five bits.

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The span that a bit cuts in half; bits of longitude and latitude take turns. */
interface Span {
  low: number;
  high: number;
}

function spans(): [longitude: Span, latitude: Span] {
  return [
    { low: -180, high: 180 },
    { low: -90, high: 90 },
  ];
}

/** The cell of a position, by so many characters. */
function encodeGeohash(position: Position, length: number): string {
  const halves = spans();
  let text = '';
  for (let bit = 0, bits = 0; text.length < length; bit++) {
    const span = halves[bit % 2] as Span;
    const middle = (span.low + span.high) / 2;
    const upper = (position[bit % 2] as number) > middle;
    if (upper) span.low = middle;
    else span.high = middle;
    bits = bits * 2 + (upper ? 1 : 0);
    if (bit % 5 < 4) continue;
    text += ALPHABET.charAt(bits);
    bits = 0;
  }
  return text;
}

/** The centre of a cell; `undefined` if the text isn't one. */
function decodeGeohash(text: string): Position | undefined {
  const [longitude, latitude] = spans();
  let turn = [longitude, latitude];
  for (const character of text.toLowerCase()) {
    const bits = ALPHABET.indexOf(character);
    if (bits < 0) return undefined;
    for (let mask = 16; mask > 0; mask >>= 1) {
      const span = turn[0] as Span;
      const middle = (span.low + span.high) / 2;
      if ((bits & mask) === 0) span.high = middle;
      else span.low = middle;
      turn = turn.toReversed();
    }
  }
  return [(longitude.low + longitude.high) / 2, (latitude.low + latitude.high) / 2];
}

// Distances, bearings and areas on the Earth. Positions are longitude and latitude in degrees.

/** The mean radius of the Earth in metres. */
const MEAN_RADIUS = 6_371_008.8;
/** The radius at the equator (WGS 84), which the formula for areas uses. */
const EQUATORIAL_RADIUS = 6_378_137;

const radians = (degrees: number) => degrees * (Math.PI / 180);
const degrees = (radians: number) => radians * (180 / Math.PI);

/** Metres along the great circle (haversine). */
function greatCircleDistance([lon1, lat1]: Position, [lon2, lat2]: Position): number {
  const latitude = Math.sin(radians(lat2 - lat1) / 2) ** 2;
  const longitude = Math.sin(radians(lon2 - lon1) / 2) ** 2;
  const chord = latitude + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * longitude;
  return MEAN_RADIUS * 2 * Math.asin(Math.sqrt(chord));
}

/** The direction at the first position towards the second, in degrees clockwise from north, −180 … 180. */
function bearing([lon1, lat1]: Position, [lon2, lat2]: Position): number {
  const east = radians(lon2) - radians(lon1);
  const [from, to] = [radians(lat1), radians(lat2)];
  const y = Math.sin(east) * Math.cos(to);
  const x = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(east);
  // Carried into a full turn and back, as the reference engine does, which costs the last digits.
  const turned = (degrees(Math.atan2(y, x)) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
}

/** Square metres (after Chamberlain and Duquette); of points and lines 0. */
function area(shape: Shape): number {
  switch (shape.type) {
    case 'Polygon':
      return polygonArea(shape.coordinates);
    case 'MultiPolygon':
      return shape.coordinates.reduce((sum, polygon) => sum + polygonArea(polygon), 0);
    case 'GeometryCollection':
      return shape.geometries.reduce((sum, part) => sum + area(part), 0);
    default:
      return 0;
  }
}

function polygonArea([outer = [], ...holes]: readonly (readonly Position[])[]): number {
  return Math.abs(holes.reduce((left, hole) => left - Math.abs(ringArea(hole)), Math.abs(ringArea(outer))));
}

function ringArea(ring: readonly Position[]): number {
  // The last position is the first one again.
  const count = ring.length - 1;
  if (count < 3) return 0;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const [before] = ring[index] as Position;
    const [, latitude] = ring[(index + 1) % count] as Position;
    const [after] = ring[(index + 2) % count] as Position;
    sum += (radians(after) - radians(before)) * Math.sin(radians(latitude));
  }
  return (sum * EQUATORIAL_RADIUS * EQUATORIAL_RADIUS) / 2;
}

// Centres of mass, in the plane of longitude and latitude.

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
function centroid(shape: Shape): Position | undefined {
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
