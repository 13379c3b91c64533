import { float, Geometry, type Position, type Shape, type Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, geometry, integer, optional } from './calls/parameters.js';
import { centroid } from './geo/centroid.js';
import { decodeGeohash, encodeGeohash } from './geo/geohash.js';
import { area, bearing, greatCircleDistance } from './geo/sphere.js';

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
