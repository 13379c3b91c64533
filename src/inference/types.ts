/**
 * Types as the inference makes, joins and takes apart: those of the language, and objects with fields beside the known
 * ones (`open`).
 */
import { type ByKind, byKind } from '../value/by-kind.js';
import { typeText } from '../value/text/type-text.js';
import { GEOMETRY_TYPES, type GeometryType, type PlainType, type Type } from '../value/type.js';
import { kindOf, type Value } from '../value/value.js';

export type ObjectType = Extract<Type, { kind: 'object' }>;
/** The known fields of an object. */
export type Members = readonly (readonly [name: string, type: Type])[];

export const plainType = (kind: PlainType | 'object'): Type => ({ kind });

export const ANY = plainType('any');
export const NONE = plainType('none');
export const NULL = plainType('null');
export const BOOL = plainType('bool');
export const INT = plainType('int');
export const NUMBER = plainType('number');
export const STRING = plainType('string');
/** Of what gives no value: a statement that fails. */
export const NEVER: Type = { kind: 'union', of: [] };

export const arrayOf = (item: Type): Type => ({ kind: 'array', item });
export const recordOf = (...tables: readonly string[]): Type => ({ kind: 'record', tables });
export const optionOf = (type: Type): Type => unionOf([NONE, type]);

/** An object with these fields; `isOpen`: with others, too. */
export function objectType(fields: Members, isOpen = false): ObjectType {
  return isOpen ? { kind: 'object', fields, open: true } : { kind: 'object', fields };
}

/** Whether nothing is known of a value. */
export function isAnyType({ kind }: Type): boolean {
  return kind === 'any';
}

/** The types of which a value has one. */
export function alternativesOf(type: Type): readonly Type[] {
  return type.kind === 'union' ? type.of.flatMap(alternativesOf) : [type];
}

/** More literals than these are joined to their kind. */
const MAX_LITERALS = 16;

/** What kind of numbers holds which. */
const NUMBERS: ReadonlySet<Type['kind']> = new Set(['int', 'float', 'decimal']);

/**
 * The type of values that have one of the types, each of which it names once: NONE first, as options are written.
 *
 *     unionOf([INT, optionOf(INT)])   // none | int
 */
export function unionOf(types: readonly Type[]): Type {
  const all = types.flatMap(alternativesOf);
  if (all.some(isAnyType)) return ANY;
  const kinds = new Set(all.map(({ kind }) => kind));
  const areMany = all.filter(({ kind }) => kind === 'literal').length > MAX_LITERALS;
  const found = new Map<string, Type>();
  for (const type of all) {
    const widened = type.kind === 'literal' ? widen(type) : type;
    const isHeld = widened !== type && (areMany || kinds.has(widened.kind));
    const kept = isHeld ? widened : type;
    if (NUMBERS.has(kept.kind) && kinds.has('number')) continue;
    found.set(kept.kind === 'none' ? '' : typeText(kept), kept);
  }
  const kept = [...found].sort(([a], [b]) => Number(b === '') - Number(a === '')).map(([, type]) => type);
  return kept.length === 1 ? (kept[0] as Type) : { kind: 'union', of: kept };
}

/** Each alternative changed. */
export function mapType(type: Type, change: (alternative: Type) => Type): Type {
  return type.kind === 'union' ? unionOf(alternativesOf(type).map(change)) : change(type);
}

/** Literals as the kinds that they are of. */
export function widen(type: Type): Type {
  return mapType(type, (each) => (each.kind === 'literal' ? typeOfValue(each.value) : each));
}

/** Whether there may be nothing. */
export function hasNone(type: Type): boolean {
  return alternativesOf(type).some(({ kind }) => kind === 'none' || kind === 'any');
}

/** Without the alternatives of some kinds. */
export function exclude(type: Type, ...kinds: readonly Type['kind'][]): Type {
  return unionOf(alternativesOf(type).filter(({ kind }) => !kinds.includes(kind)));
}

/** The type of the elements of a list; `undefined` of anything else. */
export function itemOf(type: Type): Type | undefined {
  if (type.kind === 'array' || type.kind === 'set') return type.item ?? ANY;
  if (type.kind === 'tuple') return unionOf(type.items);
  return type.kind === 'literal' && Array.isArray(type.value) ? unionOf(type.value.map(typeOfValue)) : undefined;
}

/** An object with a field in place of one of its name, or beside the others. */
export function withKnownField(type: ObjectType, name: string, field: Type): ObjectType {
  const others = (type.fields ?? []).filter(([other]) => other !== name);
  return objectType([...others, [name, field]], type.open === true || type.fields === undefined);
}

/** The type of a known field. */
export function fieldIn({ fields }: ObjectType, name: string): Type | undefined {
  return fields?.find(([other]) => other === name)?.[1];
}

const SHAPES = Object.fromEntries(
  Object.entries(GEOMETRY_TYPES).map(([name, shape]) => [shape, name as GeometryType]),
) as Record<string, GeometryType>;

const named = (kind: PlainType) => (): Type => plainType(kind);

const OF_KINDS: ByKind<Type> = {
  none: named('none'),
  null: named('null'),
  bool: named('bool'),
  int: named('int'),
  float: named('float'),
  decimal: named('decimal'),
  string: named('string'),
  duration: named('duration'),
  datetime: named('datetime'),
  uuid: named('uuid'),
  array: (items) => arrayOf(unionOf(items.map(typeOfValue))),
  set: ({ items }) => ({ kind: 'set', item: unionOf(items.map(typeOfValue)) }),
  object: (object) => objectType(Object.keys(object).map((name) => [name, typeOfValue(object[name])])),
  geometry: ({ shape }) => ({ kind: 'geometry', shapes: [SHAPES[shape.type] as GeometryType] }),
  bytes: named('bytes'),
  table: ({ name }) => ({ kind: 'table', tables: [name] }),
  record: ({ table }) => recordOf(table),
  file: ({ bucket }) => ({ kind: 'file', buckets: [bucket] }),
  regex: named('regex'),
  range: named('range'),
  function: named('function'),
};

/** The type of a value and those like it: `int` of 5. */
export function typeOfValue(value: Value): Type {
  return byKind(OF_KINDS, value);
}

/** The type of what a text writes out: of strings itself alone, which tells apart the rows of several SELECTs. */
export function typeOfLiteral(value: Value): Type {
  return kindOf(value) === 'string' ? { kind: 'literal', value } : typeOfValue(value);
}
