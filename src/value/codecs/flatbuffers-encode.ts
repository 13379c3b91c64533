/** Values as FlatBuffers: a row for each kind. */
import { lazy } from '../../base/lazy.js';
import { failure } from '../../errors/error.js';
import type { KindTypes } from '../by-kind.js';
import { formatDecimal } from '../decimal.js';
import { sortedKeys } from '../strings.js';
import { toDisplay } from '../text/text.js';
import { durationSeconds, durationSubseconds } from '../time/duration.js';
import { uuidBytes } from '../uuid.js';
import {
  type ArrayValue,
  type Bound,
  type Kind,
  kindOf,
  type Position,
  Range,
  RecordId,
  type Shape,
  type Value,
} from '../value.js';
import { MeasuredWalk } from '../walk.js';
import { BOUND_TYPES, KEY_TYPES, type KeyType, SHAPE_NUMBERS, VALUE_TYPES } from './flatbuffers-tables.js';
import { FlatBuffersWriter, layout, type Written } from './flatbuffers-writer.js';

const whole = lazy(() => new FlatBuffersWriter());
const walk = new MeasuredWalk();
/** What is written to. */
let out: FlatBuffersWriter;

/**
 * The value as FlatBuffers.
 * @throws TesseraError `closure_sent`: there is no type for them; `nesting_too_deep`, `value_too_large`
 */
export function encodeFlatBuffers(value: Value): Uint8Array {
  const writer = whole();
  writer.begin();
  return writer.finish(writeFlatBuffers(writer, value, 0));
}

/** Writes a value that stands at `depth`. @throws TesseraError as above */
export function writeFlatBuffers(writer: FlatBuffersWriter, value: Value, depth: number): Written {
  out = writer;
  return walk.end(write(value, walk.beginAt(value, depth)));
}

type VectorKind = 'array' | 'object' | 'set';

/** Writes the value of a vector: of values, or of members of an object. */
export function writeVectorValue(writer: FlatBuffersWriter, kind: VectorKind, vector: Written): Written {
  return writer.table(UNION, VALUE_TYPES[kind], writer.table(REFERENCE, vector));
}

/** Writes a member of an object. */
export function writeMember(writer: FlatBuffersWriter, key: string, value: Written): Written {
  return writer.table(TWO_REFERENCES, writer.sharedText(key), value);
}

// ─── The layouts of tables, by the types of their slots ───

const EMPTY = layout();
const UNION = layout('uint8', 'reference');
const TWO_UNIONS = layout('uint8', 'reference', 'uint8', 'reference');
const UINT8 = layout('uint8');
const INT64 = layout('int64');
const FLOAT64 = layout('float64');
const TIME = layout('int64', 'uint32');
const POINT = layout('float64', 'float64');
const REFERENCE = layout('reference');
const TWO_REFERENCES = layout('reference', 'reference');

// ─── Values ───

function write(value: Value, depth: number): Written {
  const kind = kindOf(value);
  if (kind === 'none') return out.table(EMPTY);
  if (kind === 'function') throw failure('closure_sent');
  // No value that is stored may be unreadable.
  if (value instanceof RecordId && !isSendableKey(value.key)) return write(toDisplay(value), depth);
  const content = (CONTENTS[kind] as (value: Value, depth: number) => Written)(value, depth);
  return out.table(UNION, VALUE_TYPES[kind], content);
}

/** The table that the union of a value leads to. */
const CONTENTS: {
  readonly [K in Exclude<Kind, 'none' | 'function'>]: (value: KindTypes[K], depth: number) => Written;
} = {
  null: () => out.table(EMPTY),
  bool: (value) => out.table(UINT8, value ? 1 : 0),
  int: (value) => out.table(INT64, value),
  float: (value) => out.table(FLOAT64, typeof value === 'number' ? value : value.number),
  decimal: (value) => writeText(formatDecimal(value)),
  string: writeText,
  duration: (value) => out.table(TIME, durationSeconds(value), durationSubseconds(value)),
  datetime: (value) => out.table(TIME, value.seconds, value.nanoseconds),
  uuid: (value) => out.table(REFERENCE, out.bytes(uuidBytes(value))),
  array: writeItems,
  set: (value, depth) => writeItems(value.items, depth),
  object: (value, depth) => {
    const keys = sortedKeys(value);
    const below = walk.enter(depth, keys.length);
    return writeVector(keys.map((key) => writeMember(out, key, write(value[key], below))));
  },
  geometry: (value) => writeShape(value.shape),
  bytes: (value) => out.table(REFERENCE, out.bytes(value)),
  table: (value) => writeText(value.name),
  record: (value, depth) =>
    out.table(TWO_REFERENCES, out.sharedText(value.table), writeKey(value.key, walk.enter(depth, 1))),
  file: (value) => out.table(TWO_REFERENCES, out.text(value.bucket), out.text(value.key)),
  regex: (value) => writeText(value.source),
  range: (value, depth) => writeRange(value, depth, write),
};

function writeText(text: string): Written {
  return out.table(REFERENCE, out.text(text));
}

function writeVector(items: readonly Written[]): Written {
  return out.table(REFERENCE, out.vector(items));
}

function writeItems(items: ArrayValue, depth: number): Written {
  const below = walk.enter(depth, items.length);
  return writeVector(items.map((item) => write(item, below)));
}

type WriteBound = (value: Value, depth: number) => Written;

function writeRange({ start, end }: Range, depth: number, writeBound: WriteBound): Written {
  const below = walk.enter(depth, 2);
  const from = writeEnd(start, below, writeBound);
  const to = writeEnd(end, below, writeBound);
  return out.table(TWO_UNIONS, endType(start), from, endType(end), to);
}

function writeEnd(bound: Bound | undefined, depth: number, writeBound: WriteBound): Written {
  return bound === undefined ? out.table(EMPTY) : writeBound(bound.value, depth);
}

function endType(bound: Bound | undefined): number {
  if (bound === undefined) return BOUND_TYPES.open;
  return bound.inclusive ? BOUND_TYPES.included : BOUND_TYPES.excluded;
}

// ─── Keys of record ids ───

function writeKey(key: Value, depth: number): Written {
  const kind = kindOf(key) as KeyType;
  const content =
    key instanceof Range
      ? writeRange(key, depth, writeKey)
      : (CONTENTS[kind] as (value: Value, depth: number) => Written)(key, depth);
  return out.table(UNION, KEY_TYPES[kind], content);
}

/** The grammar lets ranges end in values that aren't keys. */
function isSendableKey(key: RecordId['key']): boolean {
  if (!(key instanceof Range)) return true;
  return [key.start, key.end].every((bound) => {
    const kind = bound && kindOf(bound.value);
    return kind === undefined || (kind !== 'range' && Object.hasOwn(KEY_TYPES, kind));
  });
}

// ─── Geometries ───

const SHAPES: { readonly [S in Shape as S['type']]: (shape: S) => Written } = {
  Point: ({ coordinates }) => writePoint(coordinates),
  LineString: ({ coordinates }) => writeLine(coordinates),
  Polygon: ({ coordinates }) => writePolygon(coordinates),
  MultiPoint: ({ coordinates }) => writeLine(coordinates),
  MultiLineString: ({ coordinates }) => writeVector(coordinates.map(writeLine)),
  MultiPolygon: ({ coordinates }) => writeVector(coordinates.map(writePolygon)),
  GeometryCollection: ({ geometries }) => writeVector(geometries.map(writeShape)),
};

function writeShape(shape: Shape): Written {
  return out.table(UNION, SHAPE_NUMBERS[shape.type], (SHAPES[shape.type] as (shape: Shape) => Written)(shape));
}

function writePoint([longitude, latitude]: Position): Written {
  return out.table(POINT, longitude, latitude);
}

function writeLine(positions: readonly Position[]): Written {
  return writeVector(positions.map(writePoint));
}

function writePolygon([exterior = [], ...interiors]: readonly (readonly Position[])[]): Written {
  return out.table(TWO_REFERENCES, writeLine(exterior), out.vector(interiors.map(writeLine)));
}
