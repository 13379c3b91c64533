/**
 * Geometries as objects of GeoJSON: a type for each shape (`GeometryPoint` for `geometry<point>`), and `Geometry`, the
 * union of all of them, where a field admits several.
 */
import {
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
} from 'graphql';
import { COORDINATE_DEPTH, geometryToObject } from '../../value/geometry.js';
import { GEOMETRY_TYPES, type GeometryType } from '../../value/type.js';
import { Geometry, isObject, type Shape, type Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { fromSource, ofValues } from '../execution/field-source.js';

type Nullable = GraphQLOutputType & GraphQLNullableType;

const ANY: GraphQLUnionType = new GraphQLUnionType({
  name: 'Geometry',
  description: 'A geometry, as an object of GeoJSON.',
  types: () => Object.values(TYPES),
  extensions: ofValues((value) => (isObject(value) ? TYPES[value['type'] as Shape['type']] : undefined)),
});

const TYPES: Readonly<Record<Shape['type'], GraphQLObjectType>> = {
  ...(Object.fromEntries(
    Object.entries(COORDINATE_DEPTH).map(([type, depth]) => [
      type,
      shapeType(`Geometry${type}`, 'coordinates', listsOf(SCALARS.Float, depth)),
    ]),
  ) as Readonly<Record<keyof typeof COORDINATE_DEPTH, GraphQLObjectType>>),
  GeometryCollection: shapeType('GeometryCollection', 'geometries', listsOf(ANY, 1)),
};

/** The names of all of these types. */
export const GEOMETRY_NAMES: readonly string[] = [ANY.name, ...Object.values(TYPES).map(({ name }) => name)];

/** The type of a field that admits some shapes; any shape where none is named. */
export function geometryType([only, ...others]: readonly GeometryType[]): Nullable {
  return only === undefined || others.length > 0 ? ANY : TYPES[GEOMETRY_TYPES[only]];
}

/** The fields of the types. */
export function geometryObject(value: Value): Value {
  return value instanceof Geometry ? geometryToObject(value) : undefined;
}

function shapeType(name: string, content: string, type: GraphQLOutputType): GraphQLObjectType {
  const field = (column: string, of: GraphQLOutputType) => ({
    type: of,
    extensions: fromSource({ kind: 'column', column }),
  });
  return new GraphQLObjectType({
    name,
    fields: { type: field('type', new GraphQLNonNull(SCALARS.String)), [content]: field(content, type) },
  });
}

/** `[[T!]!]!` for a depth of two. */
function listsOf(type: Nullable, depth: number): GraphQLOutputType {
  let lists: GraphQLOutputType = new GraphQLNonNull(type);
  for (let level = 0; level < depth; level++) lists = new GraphQLNonNull(new GraphQLList(lists));
  return lists;
}
