/**
 * The tables and unions of values in FlatBuffers, as the Rust clients of SurrealDB 3 know them. A field is named by its
 * slot; a union takes two of them, its type and then its value.
 */
import type { Kind, Shape } from '../value.js';

/** The union of all values. `recordText` is a record id as text, which is only received. NONE is no value at all. */
export const VALUE_TYPES = {
  null: 1,
  bool: 2,
  int: 3,
  float: 4,
  decimal: 5,
  string: 6,
  bytes: 7,
  duration: 8,
  datetime: 9,
  uuid: 10,
  geometry: 11,
  table: 12,
  record: 13,
  recordText: 14,
  file: 15,
  range: 16,
  regex: 17,
  object: 18,
  array: 19,
  set: 20,
  none: 21,
} as const satisfies Record<Exclude<Kind, 'function'> | 'recordText', number>;
export type ValueType = keyof typeof VALUE_TYPES;

/** The union of the keys of record ids. */
export const KEY_TYPES = { int: 1, string: 2, uuid: 3, array: 4, range: 5, object: 6 } as const;
export type KeyType = keyof typeof KEY_TYPES;

/** The unions of the ends of ranges, of values and of keys. An open end has a table without fields. */
export const BOUND_TYPES = { included: 1, excluded: 2, open: 3 } as const;

/** The union of geometries. */
export const SHAPE_NUMBERS = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
} as const satisfies Record<Shape['type'], number>;

/** Tables that hold one thing, such as a number, a text or a vector, have it here. */
export const ONLY = 0;
export interface UnionSlots {
  readonly type: number;
  readonly value: number;
}
/** Unions that are all that a table holds: a value, the key of a record id, a geometry. */
export const UNION: UnionSlots = { type: 0, value: 1 };
export const ENDS: { readonly start: UnionSlots; readonly end: UnionSlots } = {
  start: { type: 0, value: 1 },
  end: { type: 2, value: 3 },
};

export const DURATION = { seconds: 0, nanoseconds: 1 } as const;
export const DATETIME = { seconds: 0, nanoseconds: 1 } as const;
export const FILE = { bucket: 0, key: 1 } as const;
export const MEMBER = { key: 0, value: 1 } as const;
export const RECORD_ID = { table: 0, key: 1 } as const;
export const POINT = { longitude: 0, latitude: 1 } as const;
export const POLYGON = { exterior: 0, interiors: 1 } as const;
