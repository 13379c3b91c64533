/**
 * The one walk over types by which values are cast (`<int> '5'`, lenient) and coerced (field types, strict). The two
 * differ only in what each plain type, `record`, `geometry` and the collections accept.
 */
import { equals, setFrom } from './order.js';
import { typeTextInErrors } from './text/type-text.js';
import { GEOMETRY_TYPES, type PlainType, type Type } from './type.js';
import {
  type ArrayValue,
  type FileReference,
  type Geometry,
  isArray,
  isObject,
  type RecordId,
  SetValue,
  type Table,
  type Value,
} from './value.js';
import { Walk } from './walk.js';

type TypeOf<K extends Type['kind']> = Extract<Type, { kind: K }>;

/** A value that cannot be converted. */
export class Mismatch {
  constructor(
    /** The type that was missed. */
    readonly type: Type,
    readonly value: Value,
    /** Set if everything was right but the number of elements. */
    readonly length?: number,
    /** The collections on the way to the element that was wrong, the inmost first. */
    readonly within: readonly Type[] = [],
  ) {}

  inElementOf(collection: Type): Mismatch {
    return new Mismatch(this.type, this.value, this.length, [...this.within, collection]);
  }

  /** ``Expected `array<int,2>` but found a collection of length `1` ``, if that is what was wrong. */
  get lengthText(): string | undefined {
    if (this.length === undefined) return undefined;
    return `Expected \`${sizedText(this.type)}\` but found a collection of length \`${this.length}\`${this.location}`;
  }

  /** `` when coercing an element of `array<int>` ``, as it ends the error texts. */
  get location(): string {
    return this.within.map((type) => ` when coercing an element of \`${typeTextInErrors(anyLength(type))}\``).join('');
  }
}

/** A collection with its length, which stands right behind the comma only here. */
function sizedText(type: Type): string {
  if (type.kind !== 'array' && type.kind !== 'set') return typeTextInErrors(type);
  return `${type.kind}<${typeTextInErrors(type.item ?? { kind: 'any' })},${type.length}>`;
}

/** A marker of failure, distinct from every value including NONE. */
export const FAILED: unique symbol = Symbol('failed');
export type ConversionResult<T extends Value = Value> = T | typeof FAILED;

/** The result of a conversion. */
export interface Conversion {
  readonly plain: { readonly [T in PlainType]: (value: Value) => ConversionResult };
  object(value: Value): ConversionResult;
  array(value: Value): ConversionResult<ArrayValue>;
  set(value: Value): ConversionResult<ArrayValue>;
  record(value: Value, type: TypeOf<'record'>): ConversionResult<RecordId>;
  table(value: Value, type: TypeOf<'table'>): ConversionResult<Table>;
  file(value: Value): ConversionResult<FileReference>;
  geometry(value: Value, type: TypeOf<'geometry'>): ConversionResult<Geometry>;
  /** The source type of sets in error texts. Default: a set. */
  readonly setsAreMadeFrom?: 'array';
  /** The conversion of the members of literal shapes (`{ a: int }`, `[int]`). Default: this one. */
  readonly members?: Conversion;
  /** The conversion tried for the alternatives of a union. Default: this one. */
  readonly alternatives?: Conversion;
}

const walk = new Walk();

/** Converts a value to a type. @throws TesseraError `value_too_large` */
export function convert(conversion: Conversion, value: Value, type: Type): Value | Mismatch {
  walk.begin();
  return convertMember(conversion, value, type);
}

function convertMember(conversion: Conversion, value: Value, type: Type): Value | Mismatch {
  switch (type.kind) {
    case 'array':
    case 'set':
      return toCollection(conversion, value, type);
    case 'object':
      return type.fields === undefined
        ? whole(conversion.object(value), value, type)
        : toShape(conversion, value, type, type.fields);
    case 'tuple':
      return toTuple(conversion, value, type);
    case 'record': {
      const record = conversion.record(value, type);
      const fits = record !== FAILED && (type.tables.length === 0 || type.tables.includes(record.table));
      return fits ? record : new Mismatch(type, value);
    }
    case 'table': {
      const table = conversion.table(value, type);
      if (table !== FAILED && (type.tables.length === 0 || type.tables.includes(table.name))) return table;
      // A text names any table, as in the reference engine.
      return new Mismatch(type.tables.length === 0 ? { kind: 'string' } : type, value);
    }
    case 'file': {
      const file = conversion.file(value);
      if (file !== FAILED && (type.buckets.length === 0 || type.buckets.includes(file.bucket))) return file;
      return new Mismatch(file === FAILED ? { kind: 'file', buckets: [] } : type, value);
    }
    case 'geometry': {
      const geometry = conversion.geometry(value, type);
      const { shapes } = type;
      const fits =
        geometry !== FAILED &&
        (shapes.length === 0 || shapes.some((shape) => GEOMETRY_TYPES[shape] === geometry.shape.type));
      return fits ? geometry : new Mismatch({ kind: 'geometry', shapes: [] }, value);
    }
    case 'literal':
      return equals(value, type.value) ? value : new Mismatch(type, value);
    case 'union':
      return toFirst(conversion, value, type);
    default:
      return whole(conversion.plain[type.kind](value), value, type);
  }
}

function whole(attempt: ConversionResult, value: Value, type: Type): Value | Mismatch {
  return attempt === FAILED ? new Mismatch(type, value) : attempt;
}

/** The first alternative that the value can become, from left to right. */
function toFirst(outer: Conversion, value: Value, type: TypeOf<'union'>): Value | Mismatch {
  const conversion = outer.alternatives ?? outer;
  for (const alternative of type.of) {
    // Only alone does a text take what is nothing.
    if (alternative.kind === 'string' && (value === undefined || value === null)) continue;
    const converted = convertMember(conversion, value, alternative);
    if (!(converted instanceof Mismatch)) return converted;
  }
  return new Mismatch(type, value);
}

function toCollection(conversion: Conversion, value: Value, type: TypeOf<'array' | 'set'>): Value | Mismatch {
  const items = conversion[type.kind](value);
  if (items === FAILED) return new Mismatch({ kind: conversion.setsAreMadeFrom ?? type.kind }, value);
  // An array is counted first, a set when it is made.
  if (type.kind === 'array' && type.length !== undefined && type.length !== items.length) {
    return new Mismatch(type, value, items.length);
  }
  const converted = convertItems(conversion, items, type);
  if (converted instanceof Mismatch) return converted;
  const result =
    type.kind === 'array'
      ? converted
      : value instanceof SetValue && converted === value.items
        ? value
        : toSet(converted);
  if (!(result instanceof SetValue) || type.length === undefined || type.length === result.items.length) return result;
  return new Mismatch(type, value, result.items.length);
}

/** Values visited for each of the sorted items. */
const LOOKS_TO_SORT = 16;

/** Of equal elements the last stays. */
function toSet(items: ArrayValue): SetValue {
  walk.count(LOOKS_TO_SORT * items.length);
  return setFrom(items.toReversed());
}

/** The items converted; the very same array if none of them changed. */
function convertItems(conversion: Conversion, items: ArrayValue, type: TypeOf<'array' | 'set'>): ArrayValue | Mismatch {
  const { item } = type;
  if (item === undefined || item.kind === 'any') return items;
  walk.count(items.length);
  let changed: Value[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const converted = convertMember(conversion, items[index], item);
    if (converted instanceof Mismatch) return converted.inElementOf(type);
    if (converted !== items[index]) {
      changed ??= [...items];
      changed[index] = converted;
    }
  }
  return changed ?? items;
}

function toTuple(conversion: Conversion, value: Value, type: TypeOf<'tuple'>): Value | Mismatch {
  if (!isArray(value) || value.length !== type.items.length) return new Mismatch(type, value);
  walk.count(value.length);
  for (let index = 0; index < value.length; index++) {
    const converted = convertMember(conversion.members ?? conversion, value[index], type.items[index] as Type);
    if (converted instanceof Mismatch) return new Mismatch(type, value);
  }
  return value;
}

/** An object with exactly the given fields; those that may be NONE may be missing. */
function toShape(
  conversion: Conversion,
  value: Value,
  type: Type,
  fields: readonly (readonly [name: string, type: Type])[],
): Value | Mismatch {
  if (!isObject(value)) return new Mismatch(type, value);
  walk.count(fields.length);
  for (const [name, member] of fields) {
    const converted = convertMember(conversion.members ?? conversion, value[name], member);
    if (converted instanceof Mismatch) return new Mismatch(type, value);
  }
  for (const name of Object.keys(value)) {
    if (!fields.some(([known]) => known === name)) return new Mismatch(type, value);
  }
  return value;
}

/** The type of collections as long as they like. */
function anyLength(type: Type): Type {
  const isBounded = (type.kind === 'array' || type.kind === 'set') && type.item !== undefined;
  return isBounded ? { kind: type.kind, item: type.item } : type;
}
