/** Reads stored records; `record-encode.ts` says how they are written. */
import { failure } from '../../errors/error.js';
import { parseDecimal } from '../decimal.js';
import { COORDINATE_DEPTH } from '../geometry.js';
import { nextDepth } from '../nesting.js';
import { type Coordinates, SHAPE_TYPES } from '../order.js';
import { datetimeFrom } from '../time/datetime.js';
import { durationFrom } from '../time/duration.js';
import { uuidFromBytes } from '../uuid.js';
import {
  type Bound,
  FileReference,
  float,
  Geometry,
  int,
  type Kind,
  newObject,
  Range,
  RecordId,
  type RecordKey,
  Regex,
  SetValue,
  type Shape,
  Table,
  type Value,
} from '../value.js';
import { ByteReader } from './byte-reader.js';
import {
  BOUND,
  NEGATIVE_INT,
  POSITIVE_INT,
  RECORD_TAGS,
  RECORD_VERSION,
  SEALED_RECORD_VERSION,
  SHORT_TEXT,
  SMALL_INT,
  TRUE,
} from './record-tags.js';

// One for all records, since making a reader takes as long as reading a small record. Reading never waits.
const reader = new ByteReader(new Uint8Array(), damaged);

/**
 * The value that `encodeRecord` was given, from the first `length` bytes.
 * @throws TesseraError `stored_bytes_invalid`
 */
export function decodeRecord(bytes: Uint8Array, length = bytes.length): Value {
  reader.begin(bytes, length);
  const version = reader.byte();
  if (version !== RECORD_VERSION && version !== SEALED_RECORD_VERSION) damaged(`the version ${version} is not known`);
  const value = read(reader, 0);
  if (reader.remaining > 0) damaged('bytes after the end');
  return value;
}

function damaged(what: string): never {
  throw failure('stored_bytes_invalid', { what });
}

function read(reader: ByteReader, depth: number): Value {
  const tag = reader.byte();
  if (tag >= SMALL_INT) return tag - SMALL_INT;
  if (tag >= SHORT_TEXT) return reader.utf8(tag - SHORT_TEXT);
  const readKind = BY_TAG[tag] ?? damaged(`the tag ${tag} is not known`);
  return readKind(reader, depth);
}

type Reader = (reader: ByteReader, depth: number) => Value;

const READERS: { readonly [K in Exclude<Kind, 'function'>]: Reader } = {
  none: () => undefined,
  null: () => null,
  bool: () => false,
  int: (reader) => int(BigInt.asIntN(64, reader.uint64())),
  float: (reader) => float(reader.float64()),
  decimal: (reader) => parseDecimal(readText(reader)) ?? damaged('a decimal'),
  string: (reader) => reader.utf8(reader.varint()),
  duration: (reader) =>
    durationFrom({ seconds: reader.uint64(), nanoseconds: reader.varint() }) ?? damaged('a duration'),
  datetime: (reader) => datetimeFrom(readWhole(reader), reader.varint()) ?? damaged('a datetime'),
  uuid: (reader) => uuidFromBytes(reader.view(16)),
  array: readItems,
  set: (reader, depth) => new SetValue(readItems(reader, depth)),
  object: readObject,
  geometry: (reader, depth) => new Geometry(readShape(reader, depth)),
  bytes: (reader) => reader.raw(reader.varint()),
  table: (reader) => new Table(readText(reader)),
  record: (reader, depth) => new RecordId(readText(reader), read(reader, nextDepth(depth)) as RecordKey),
  file: (reader) => new FileReference(readText(reader), readText(reader)),
  regex: (reader) => new Regex(readText(reader)),
  range: (reader, depth) => new Range(readBound(reader, nextDepth(depth)), readBound(reader, nextDepth(depth))),
};

const BY_TAG: readonly (Reader | undefined)[] = (() => {
  const table: (Reader | undefined)[] = new Array(SHORT_TEXT).fill(undefined);
  for (const [kind, readKind] of Object.entries(READERS))
    table[RECORD_TAGS[kind as keyof typeof RECORD_TAGS]] = readKind;
  table[TRUE] = () => true;
  table[POSITIVE_INT] = (reader) => reader.varint();
  table[NEGATIVE_INT] = (reader) => -1 - reader.varint();
  return table;
})();

function readText(reader: ByteReader): string {
  const text = read(reader, 0);
  return typeof text === 'string' ? text : damaged('a text was expected');
}

function readWhole(reader: ByteReader): number {
  const number = read(reader, 0);
  return typeof number === 'number' ? number : damaged('a number was expected');
}

function readItems(reader: ByteReader, depth: number): Value[] {
  const below = nextDepth(depth);
  const length = readCount(reader);
  const items: Value[] = new Array(length);
  for (let index = 0; index < length; index++) items[index] = read(reader, below);
  return items;
}

/** A number of things that take at least one byte each. */
function readCount(reader: ByteReader): number {
  const count = reader.varint();
  return count <= reader.remaining ? count : damaged('a count is beyond the end');
}

function readObject(reader: ByteReader, depth: number): Value {
  const below = nextDepth(depth);
  const count = readCount(reader);
  const names = readNames(reader, count);
  const object = newObject();
  for (let index = 0; index < count; index++) object[names[index] as string] = read(reader, below);
  return object;
}

/**
 * The lists of names met last: records of a table share theirs, so that comparing bytes replaces making texts of them.
 */
interface KnownNames {
  readonly bytes: Uint8Array;
  readonly names: readonly string[];
}
const KNOWN = 256;
const known: (KnownNames | undefined)[] = new Array(KNOWN).fill(undefined);

function readNames(reader: ByteReader, count: number): readonly string[] {
  const length = reader.varint();
  if (count === 0 && length === 0) return [];
  const slot = (length * 31 + count * 7 + reader.peek()) % KNOWN;
  const entry = known[slot];
  if (entry?.bytes.length === length && entry.names.length === count && reader.skip(entry.bytes)) return entry.names;
  const bytes = reader.raw(length);
  const names = parseNames(bytes, count);
  known[slot] = { bytes, names };
  return names;
}

function parseNames(bytes: Uint8Array, count: number): readonly string[] {
  const reader = new ByteReader(bytes, damaged);
  const names: string[] = [];
  for (let index = 0; index < count; index++) names.push(reader.utf8(reader.varint()));
  if (reader.remaining > 0) damaged('names after the last');
  return names;
}

function readBound(reader: ByteReader, depth: number): Bound | undefined {
  const kind = reader.byte();
  return kind === BOUND.open ? undefined : { value: read(reader, depth), inclusive: kind === BOUND.inclusive };
}

function readShape(reader: ByteReader, depth: number): Shape {
  const type = SHAPE_TYPES[reader.byte()] ?? damaged('a shape');
  if (type !== 'GeometryCollection') {
    return { type, coordinates: readCoordinates(reader, COORDINATE_DEPTH[type]) } as Shape;
  }
  const below = nextDepth(depth);
  return { type, geometries: Array.from({ length: readCount(reader) }, () => readShape(reader, below)) };
}

function readCoordinates(reader: ByteReader, levels: number): Coordinates {
  if (levels === 0) return reader.float64();
  return Array.from({ length: readCount(reader) }, () => readCoordinates(reader, levels - 1));
}
