/** Geometries and the objects of GeoJSON (RFC 7946). */
import { MAX_COLLECTIONS, MAX_POSITIONS } from './limits.js';
import { nextDepth } from './nesting.js';
import { toNumber } from './number.js';
import type { Coordinates } from './order.js';
import {
  float,
  Geometry,
  isArray,
  isNumber,
  isObject,
  newObject,
  type ObjectValue,
  type Position,
  type Shape,
  type Value,
} from './value.js';
import { Walk } from './walk.js';

type Reader<T> = (value: Value) => T | undefined;
/** All shapes but collections. */
export type CoordinateShape = Exclude<Shape, { type: 'GeometryCollection' }>;

const COORDINATES: { readonly [S in CoordinateShape as S['type']]: Reader<S['coordinates']> } = {
  Point: position,
  LineString: listOf(position),
  Polygon: listOf(ring),
  MultiPoint: listOf(position),
  MultiLineString: listOf(listOf(position)),
  MultiPolygon: listOf(listOf(ring)),
};

/** How deep the coordinates of each type of shape are nested: a point is a list of numbers. */
export const COORDINATE_DEPTH: Readonly<Record<CoordinateShape['type'], number>> = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 2,
  MultiLineString: 3,
  MultiPolygon: 4,
};

// Geometries are bounded when they are created, so that later walks need no bound.
const walk = new Walk(MAX_POSITIONS);

/**
 * The geometry that an object describes, if it has exactly `type` and `coordinates` (or `geometries`) and they fit.
 * @throws TesseraError `value_too_large`, `nesting_too_deep`
 */
export function geometryFromObject(object: ObjectValue): Geometry | undefined {
  walk.begin();
  const shape = readShape(object, 0);
  return shape && new Geometry(shape);
}

/**
 * A geometry from a type and its coordinates, given as nested arrays; `undefined` if they don't fit.
 * @throws TesseraError `value_too_large`
 */
export function geometryFrom(type: CoordinateShape['type'], coordinates: Value): Geometry | undefined {
  walk.begin();
  const shape = coordinateShape(type, coordinates);
  return shape && new Geometry(shape);
}

function coordinateShape(type: CoordinateShape['type'], coordinates: Value): CoordinateShape | undefined {
  const read = COORDINATES[type](coordinates);
  return read && ({ type, coordinates: read } as CoordinateShape);
}

/** `{ type: 'Point', coordinates: [1f, 2f] }`. */
export function geometryToObject(geometry: Geometry): ObjectValue {
  return shapeToObject(geometry.shape);
}

function floats(coordinates: Coordinates): Value {
  return typeof coordinates === 'number' ? float(coordinates) : coordinates.map(floats);
}

function readShape(object: ObjectValue, depth: number): Shape | undefined {
  if (Object.keys(object).length !== 2) return undefined;
  const { type } = object;
  if (type === 'GeometryCollection' && isArray(object['geometries'])) {
    const below = nextDepth(depth, MAX_COLLECTIONS);
    walk.count(object['geometries'].length);
    const shapes = object['geometries'].map((member) =>
      isObject(member) ? readShape(member, below) : shapeOf(member, below),
    );
    return shapes.includes(undefined) ? undefined : { type, geometries: shapes as Shape[] };
  }
  if (typeof type !== 'string' || !Object.hasOwn(COORDINATES, type)) return undefined;
  return coordinateShape(type as CoordinateShape['type'], object['coordinates']);
}

function shapeOf(value: Value, depth: number): Shape | undefined {
  if (!(value instanceof Geometry)) return undefined;
  countShape(value.shape, depth);
  return value.shape;
}

function countShape(shape: Shape, depth: number): void {
  if (shape.type !== 'GeometryCollection') {
    countCoordinates(shape.coordinates);
    return;
  }
  const below = nextDepth(depth, MAX_COLLECTIONS);
  walk.count(shape.geometries.length);
  for (const member of shape.geometries) countShape(member, below);
}

function countCoordinates(coordinates: Coordinates): void {
  if (typeof coordinates === 'number') return;
  walk.count(1);
  coordinates.forEach(countCoordinates);
}

function position(value: Value): Position | undefined {
  if (value instanceof Geometry) return value.shape.type === 'Point' ? value.shape.coordinates : undefined;
  if (!isArray(value) || value.length !== 2) return undefined;
  const [longitude, latitude] = value;
  if (!isNumber(longitude) || !isNumber(latitude)) return undefined;
  const read: Position = [toNumber(longitude), toNumber(latitude)];
  return Number.isFinite(read[0]) && Number.isFinite(read[1]) ? read : undefined;
}

/** A ring of a polygon ends where it began; one that doesn't is closed. */
function ring(value: Value): readonly Position[] | undefined {
  const positions = listOf(position)(value);
  const first = positions?.[0];
  const last = positions?.at(-1);
  if (!positions || !first || !last) return undefined;
  return first[0] === last[0] && first[1] === last[1] ? positions : [...positions, first];
}

function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    if (!isArray(value)) return undefined;
    walk.count(value.length);
    const items: T[] = [];
    for (const item of value) {
      const one = read(item);
      if (one === undefined) return undefined;
      items.push(one);
    }
    return items;
  };
}

function shapeToObject(shape: Shape): ObjectValue {
  const object = newObject();
  if (shape.type === 'GeometryCollection') object['geometries'] = shape.geometries.map(shapeToObject);
  else object['coordinates'] = floats(shape.coordinates);
  object['type'] = shape.type;
  return object;
}
