/** The CBOR tags of the protocol, as the reference engine's clients know them. */
import type { Shape } from '../value.js';

export const CBOR_TAGS = {
  datetimeText: 0,
  positiveBignum: 2,
  negativeBignum: 3,
  none: 6,
  table: 7,
  record: 8,
  uuidText: 9,
  decimal: 10,
  datetime: 12,
  durationText: 13,
  duration: 14,
  uuid: 37,
  range: 49,
  included: 50,
  excluded: 51,
  file: 55,
  set: 56,
  point: 88,
  line: 89,
  polygon: 90,
  multipoint: 91,
  multiline: 92,
  multipolygon: 93,
  collection: 94,
} as const;

export const SHAPE_TAGS = {
  Point: CBOR_TAGS.point,
  LineString: CBOR_TAGS.line,
  Polygon: CBOR_TAGS.polygon,
  MultiPoint: CBOR_TAGS.multipoint,
  MultiLineString: CBOR_TAGS.multiline,
  MultiPolygon: CBOR_TAGS.multipolygon,
  GeometryCollection: CBOR_TAGS.collection,
} as const satisfies Record<Shape['type'], number>;

/** What the shapes are made of. */
export const SHAPE_MEMBERS = {
  LineString: 'Point',
  Polygon: 'LineString',
  MultiPoint: 'Point',
  MultiLineString: 'LineString',
  MultiPolygon: 'Polygon',
} as const satisfies Partial<Record<Shape['type'], Shape['type']>>;

export const MAJOR = { uint: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const;
export type Major = (typeof MAJOR)[keyof typeof MAJOR];
