/** Names of types as users see them. */
import { GEOMETRY_TYPES } from './type.js';
import { Geometry, kindOf, type Value } from './value.js';

const SHAPE_NAMES = Object.fromEntries(Object.entries(GEOMETRY_TYPES).map(([name, type]) => [type, name]));

/** The name of a value's type: its kind, and of a geometry its shape too. */
export function typeOf(value: Value): string {
  return value instanceof Geometry ? `geometry<${SHAPE_NAMES[value.shape.type]}>` : kindOf(value);
}
