/**
 * A second opinion on FlatBuffers: a reader on the library's own `ByteBuffer`, which trusts every offset. It follows the
 * generated code of other languages, and looks at alignment as their verifiers do.
 */
import { ByteBuffer } from 'flatbuffers';
import { parseDecimal } from '../../src/value/decimal.js';
import { uuidFromBytes } from '../../src/value/uuid.js';
import {
  type Bound,
  Datetime,
  Duration,
  FileReference,
  float,
  Geometry,
  int,
  objectFrom,
  type Position,
  Range,
  RecordId,
  type RecordKey,
  Regex,
  SetValue,
  type Shape,
  Table,
  type Value,
} from '../../src/value/value.js';

/** The value of a message that is known to be valid. @throws Error for what isn't aligned */
export function readByLibrary(message: Uint8Array): Value {
  const buffer = new ByteBuffer(message);
  return anyOf({ buffer, at: buffer.readInt32(0) });
}

interface TableOf {
  readonly buffer: ByteBuffer;
  readonly at: number;
}

function field({ buffer, at }: TableOf, slot: number, size: number): number | undefined {
  aligned(at, 4);
  const offset = buffer.__offset(at, 4 + 2 * slot);
  return offset === 0 ? undefined : aligned(at + offset, size);
}

function aligned(at: number, size: number): number {
  if (at % size !== 0) throw new Error(`${size} bytes at ${at}`);
  return at;
}

function table(from: TableOf, slot: number): TableOf {
  return { buffer: from.buffer, at: from.buffer.__indirect(field(from, slot, 4) as number) };
}

function tables(from: TableOf, slot: number): TableOf[] {
  const vector = aligned(from.buffer.__indirect(field(from, slot, 4) as number), 4);
  return Array.from({ length: from.buffer.readInt32(vector) }, (_, index) => ({
    buffer: from.buffer,
    at: from.buffer.__indirect(vector + 4 + 4 * index),
  }));
}

function text(from: TableOf, slot: number): string {
  const at = field(from, slot, 4) as number;
  const start = from.buffer.__indirect(at);
  if (from.buffer.readUint8(start + 4 + from.buffer.readInt32(start)) !== 0) throw new Error('a text without its end');
  return String(from.buffer.__string(at));
}

function bytes(from: TableOf, slot: number): Uint8Array {
  const start = aligned(from.buffer.__indirect(field(from, slot, 4) as number), 4);
  return from.buffer.bytes().slice(start + 4, start + 4 + from.buffer.readInt32(start));
}

const uint8 = (from: TableOf, slot: number): number => from.buffer.readUint8(field(from, slot, 1) as number);
const uint32 = (from: TableOf, slot: number): number => from.buffer.readUint32(field(from, slot, 4) as number);
const int64 = (from: TableOf, slot: number): bigint => from.buffer.readInt64(field(from, slot, 8) as number);
const uint64 = (from: TableOf, slot: number): bigint => from.buffer.readUint64(field(from, slot, 8) as number);
const float64 = (from: TableOf, slot: number): number => from.buffer.readFloat64(field(from, slot, 8) as number);

function anyOf(from: TableOf): Value {
  if (field(from, 0, 1) === undefined) return undefined;
  const inner = table(from, 1);
  switch (uint8(from, 0)) {
    case 1:
      return null;
    case 2:
      return uint8(inner, 0) === 1;
    case 3:
      return int(int64(inner, 0));
    case 4:
      return float(float64(inner, 0));
    case 5:
      return parseDecimal(text(inner, 0));
    case 6:
      return text(inner, 0);
    case 7:
      return bytes(inner, 0);
    case 8:
      return new Duration(uint64(inner, 0) * 1_000_000_000n + BigInt(uint32(inner, 1)));
    case 9:
      return new Datetime(Number(int64(inner, 0)), uint32(inner, 1));
    case 10:
      return uuidFromBytes(bytes(inner, 0));
    case 11:
      return new Geometry(shapeOf(inner));
    case 12:
      return new Table(text(inner, 0));
    case 13:
      return new RecordId(text(inner, 0), keyOf(table(inner, 1)));
    case 15:
      return new FileReference(text(inner, 0), text(inner, 1));
    case 16:
      return rangeOf(inner, anyOf);
    case 17:
      return new Regex(text(inner, 0));
    case 18:
      return objectOf(inner);
    case 19:
      return tables(inner, 0).map(anyOf);
    case 20:
      return new SetValue(tables(inner, 0).map(anyOf));
    default:
      throw new Error('a value of another type');
  }
}

function objectOf(from: TableOf): Value {
  return objectFrom(tables(from, 0).map((member) => [text(member, 0), anyOf(table(member, 1))] as const));
}

function keyOf(from: TableOf): RecordKey | Range {
  const inner = table(from, 1);
  switch (uint8(from, 0)) {
    case 1:
      return int(int64(inner, 0));
    case 2:
      return text(inner, 0);
    case 3:
      return uuidFromBytes(bytes(inner, 0));
    case 4:
      return tables(inner, 0).map(anyOf);
    case 5:
      return rangeOf(inner, keyOf);
    case 6:
      return objectOf(inner) as RecordKey;
    default:
      throw new Error('a key of another type');
  }
}

function rangeOf(from: TableOf, read: (bound: TableOf) => Value): Range {
  const bound = (slot: number): Bound | undefined => {
    const type = uint8(from, slot);
    return type === 3 ? undefined : { value: read(table(from, slot + 1)), inclusive: type === 1 };
  };
  return new Range(bound(0), bound(2));
}

const pointOf = (from: TableOf): Position => [float64(from, 0), float64(from, 1)];
const lineOf = (from: TableOf): readonly Position[] => tables(from, 0).map(pointOf);
const polygonOf = (from: TableOf) => [lineOf(table(from, 0)), ...tables(from, 1).map(lineOf)];

function shapeOf(from: TableOf): Shape {
  const inner = table(from, 1);
  switch (uint8(from, 0)) {
    case 1:
      return { type: 'Point', coordinates: pointOf(inner) };
    case 2:
      return { type: 'LineString', coordinates: lineOf(inner) };
    case 3:
      return { type: 'Polygon', coordinates: polygonOf(inner) };
    case 4:
      return { type: 'MultiPoint', coordinates: lineOf(inner) };
    case 5:
      return { type: 'MultiLineString', coordinates: tables(inner, 0).map(lineOf) };
    case 6:
      return { type: 'MultiPolygon', coordinates: tables(inner, 0).map(polygonOf) };
    default:
      return { type: 'GeometryCollection', geometries: tables(inner, 0).map(shapeOf) };
  }
}
