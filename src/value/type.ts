/**
 * Types as `TYPE`, casts and parameters name them (`reference/language.md` §2). `option<T>` is the union of `none` and
 * T.
 */
import type { Shape, Value } from './value.js';

/**
 * Types that take no argument. `number` is any of int, float and decimal; `range`, `regex` and the rest are their
 * kinds.
 */
export const PLAIN_TYPES = [
  'any',
  'none',
  'null',
  'bool',
  'bytes',
  'datetime',
  'decimal',
  'duration',
  'float',
  'function',
  'int',
  'number',
  'range',
  'regex',
  'string',
  'uuid',
] as const;
export type PlainType = (typeof PLAIN_TYPES)[number];

/** The names of `geometry<…>`. */
export const GEOMETRY_TYPES = {
  point: 'Point',
  line: 'LineString',
  polygon: 'Polygon',
  multipoint: 'MultiPoint',
  multiline: 'MultiLineString',
  multipolygon: 'MultiPolygon',
  collection: 'GeometryCollection',
} as const satisfies Record<string, Shape['type']>;
export type GeometryType = keyof typeof GEOMETRY_TYPES;

export type Type =
  | { readonly kind: PlainType }
  | { readonly kind: 'array' | 'set'; readonly item?: Type; readonly length?: number }
  /** `open`: other fields may stand beside these. The inference alone makes such types. */
  | {
      readonly kind: 'object';
      readonly fields?: readonly (readonly [name: string, type: Type])[];
      readonly open?: true;
    }
  | { readonly kind: 'tuple'; readonly items: readonly Type[] }
  /** Of any table when `tables` is empty. */
  | { readonly kind: 'record'; readonly tables: readonly string[] }
  /** One of the tables themselves; any when `tables` is empty. */
  | { readonly kind: 'table'; readonly tables: readonly string[] }
  /** In any bucket when `buckets` is empty. */
  | { readonly kind: 'file'; readonly buckets: readonly string[] }
  /** Any shape when `shapes` is empty. */
  | { readonly kind: 'geometry'; readonly shapes: readonly GeometryType[] }
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'union'; readonly of: readonly Type[] };

/** Whether values of the type can be objects, or hold some. */
export function holdsObjects(of: Type): boolean {
  switch (of.kind) {
    case 'object':
      return true;
    case 'union':
      return of.of.some(holdsObjects);
    case 'tuple':
      return of.items.some(holdsObjects);
    case 'array':
    case 'set':
      return of.item !== undefined && holdsObjects(of.item);
    default:
      return false;
  }
}
