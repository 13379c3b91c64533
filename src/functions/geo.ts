import { float, Geometry, type Position, type Shape, type Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, geometry, integer, optional } from './calls/parameters.js';
import { centroid } from './geo/centroid.js';

/** A number from two points; NONE of any other shapes. */
function ofPoints(name: string, description: string, compute: (a: Position, b: Position) => number): FunctionRow {
  return define(`geo::${name}`, [geometry('a'), geometry('b')], 'float', description, ({ shape: a }, { shape: b }) =>
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
    'point',
    'The centre of a geometry; NONE of an empty one.',
    ({ shape }) => point(centroid(shape)),
  ),
  ofPoints('distance', 'The distance between two points in metres.', greatCircleDistance),
  define('geo::hash::decode', [any('hash')], 'point', 'The centre of a geohash; NONE if it isn’t one.', (hash) =>
    typeof hash === 'string' ? point(decodeGeohash(hash)) : undefined,
  ),
  define(
    'geo::hash::encode',
    [geometry('point'), optional(integer('length'))],
    'string',
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
