/** FlatBuffers as values: a row for each type of the unions. */
import { runAtOnce, type Stepwise } from '../../base/work/stepwise.js';
import { parseDecimal } from '../decimal.js';
import { type CoordinateShape, geometryFrom } from '../geometry.js';
import { StepwiseSet, setFrom } from '../order.js';
import { datetimeFrom } from '../time/datetime.js';
import { durationFrom } from '../time/duration.js';
import { uuidFromBytes } from '../uuid.js';
import {
  type Bound,
  FileReference,
  float,
  Geometry,
  int,
  newObject,
  Range,
  RecordId,
  type RecordKey,
  Regex,
  Table,
  type Value,
} from '../value.js';
import {
  FlatBuffersDecoding,
  type FlatBuffersOptions,
  invalidFlatBuffers,
  OpenPart,
  type ReadPart,
  type ValuePart,
} from './flatbuffers-parts.js';
import type { FlatBuffersReader, MessagePlace } from './flatbuffers-reader.js';
import {
  BOUND_TYPES,
  DATETIME,
  DURATION,
  ENDS,
  FILE,
  KEY_TYPES,
  type KeyType,
  MEMBER,
  ONLY,
  POINT,
  POLYGON,
  RECORD_ID,
  SHAPE_NUMBERS,
  UNION,
  type UnionSlots,
  VALUE_TYPES,
  type ValueType,
} from './flatbuffers-tables.js';

/** The value of a message. @throws TesseraError `flatbuffers_invalid`, `nesting_too_deep` */
export function decodeFlatBuffers(bytes: Uint8Array, options: FlatBuffersOptions): Value {
  return runAtOnce(decodeFlatBuffersStepwise(bytes, options));
}

/** The same in pieces. @throws TesseraError also `too_many_values`, `too_many_keys` */
export function decodeFlatBuffersStepwise(bytes: Uint8Array, options: FlatBuffersOptions): Stepwise<Value> {
  return new FlatBuffersDecoding(bytes, options, (decoding) => readValue(decoding, decoding.reader.root(), 0));
}

/** The value of a part of a message: of a table `Value`. @throws TesseraError as `decodeFlatBuffers` */
export function decodeFlatBuffersPart(bytes: Uint8Array, options: FlatBuffersOptions, table: MessagePlace): Value {
  return runAtOnce(new FlatBuffersDecoding(bytes, options, (decoding) => readValue(decoding, table, 0)));
}

/** A set with more items is sorted in steps. */
const SORTED_AT_ONCE = 4 * 1024;

/** The rows of a union by the numbers of their types. */
function byNumber<Type extends string, Row>(
  numbers: Readonly<Record<Type, number>>,
  rows: Readonly<Record<Type, Row>>,
): readonly (Row | undefined)[] {
  const table: (Row | undefined)[] = [];
  for (const type in numbers) table[numbers[type]] = rows[type];
  return table;
}

function unknownType(what: string, type: number): never {
  return invalidFlatBuffers(`${what} of the unknown type ${type}`);
}

/** The content of a union, read by the row of its type. */
function readUnion(
  decoding: FlatBuffersDecoding,
  table: MessagePlace,
  depth: number,
  rows: readonly (ReadPart | undefined)[],
  what: string,
): ValuePart {
  const { reader } = decoding;
  const type = reader.uint8(table, UNION.type);
  const read = rows[type] ?? unknownType(what, type);
  return read(decoding, reader.required(table, UNION.value), depth);
}

/** What `value` is, unless it is nothing. */
function fit<T extends Value>(value: T | undefined, what: string): T {
  return value ?? invalidFlatBuffers(what);
}

// ─── Vectors ───

type Make = (members: readonly Value[]) => Value | StepwiseSet;
const itself: Make = (members) => members;

/** A table that holds a vector of others. */
function listOf(readItem: ReadPart, make = itself): ReadPart {
  return (decoding, table, depth) => {
    const { reader } = decoding;
    const vector = reader.vector(table, ONLY);
    const read = (index: number, below: number) => readItem(decoding, reader.element(vector, index), below);
    return new OpenPart(decoding, reader.lengthOf(vector), depth, read, make);
  };
}

const readObject: ReadPart = (decoding, table, depth) => {
  const { reader } = decoding;
  const members = reader.vector(table, ONLY);
  const length = reader.lengthOf(members);
  decoding.admitKeys(length);
  const keys: string[] = [];
  const read = (index: number, below: number) => {
    const member = reader.element(members, index);
    keys.push(reader.text(member, MEMBER.key));
    return readValue(decoding, reader.required(member, MEMBER.value), below);
  };
  return new OpenPart(decoding, length, depth, read, (values) => {
    const object = newObject();
    for (let index = 0; index < length; index++) object[keys[index] as string] = values[index];
    return object;
  });
};

// ─── Ranges ───

/** A range of values or of keys. */
function rangeOf(readBound: ReadPart): ReadPart {
  return (decoding, table, depth) => {
    const start = endAt(decoding.reader, table, ENDS.start);
    const end = endAt(decoding.reader, table, ENDS.end);
    const ends = [start, end].filter((one) => one !== undefined);
    const read = (index: number, below: number) => readBound(decoding, (ends[index] as End).table, below);
    return new OpenPart(decoding, ends.length, depth, read, (values) => {
      const bound = (one: End | undefined): Bound | undefined =>
        one && { value: values[ends.indexOf(one)], inclusive: one.inclusive };
      return new Range(bound(start), bound(end));
    });
  };
}

interface End {
  readonly inclusive: boolean;
  readonly table: MessagePlace;
}

/** One end of a range, unless it is open. */
function endAt(reader: FlatBuffersReader, range: MessagePlace, slots: UnionSlots): End | undefined {
  const type = reader.uint8(range, slots.type);
  if (type === BOUND_TYPES.open) return undefined;
  const inclusive = type === BOUND_TYPES.included;
  if (!inclusive && type !== BOUND_TYPES.excluded) unknownType('an end of a range', type);
  return { inclusive, table: reader.required(range, slots.value) };
}

// ─── Values ───

/** NONE has neither a type nor a value. */
function readValue(decoding: FlatBuffersDecoding, table: MessagePlace, depth: number): ValuePart {
  const isNone = decoding.reader.uint8(table, UNION.type) === 0;
  return isNone ? undefined : readUnion(decoding, table, depth, VALUES, 'a value');
}

const readInt: ReadPart = ({ reader }, table) => int(reader.int64(table, ONLY));
const readText: ReadPart = ({ reader }, table) => reader.text(table, ONLY);
const readArray = listOf(readValue);

const readUuid: ReadPart = ({ reader }, table) => {
  const bytes = reader.bytes(table, ONLY);
  return bytes.length === 16 ? uuidFromBytes(bytes) : invalidFlatBuffers('a UUID of another length');
};

function nanosecondsAt(reader: FlatBuffersReader, table: MessagePlace, slot: number): number {
  const nanoseconds = reader.uint32(table, slot);
  return nanoseconds < 1e9 ? nanoseconds : invalidFlatBuffers('nanoseconds of a second or more');
}

const VALUES = byNumber<ValueType, ReadPart>(VALUE_TYPES, {
  none: () => undefined,
  null: () => null,
  bool: ({ reader }, table) => reader.uint8(table, ONLY) !== 0,
  int: readInt,
  float: ({ reader }, table) => float(reader.float64(table, ONLY)),
  decimal: ({ reader }, table) => fit(parseDecimal(reader.text(table, ONLY), true), 'a text that is no decimal'),
  string: readText,
  bytes: ({ reader }, table) => reader.bytes(table, ONLY),
  duration: ({ reader }, table) => {
    const nanoseconds = nanosecondsAt(reader, table, DURATION.nanoseconds);
    return fit(durationFrom({ seconds: reader.uint64(table, DURATION.seconds), nanoseconds }), 'too long a duration');
  },
  datetime: ({ reader }, table) => {
    const nanoseconds = nanosecondsAt(reader, table, DATETIME.nanoseconds);
    return fit(datetimeFrom(Number(reader.int64(table, DATETIME.seconds)), nanoseconds), 'too distant a datetime');
  },
  uuid: readUuid,
  geometry: readGeometry,
  table: ({ reader }, table) => new Table(reader.text(table, ONLY)),
  record: (decoding, table, depth) => {
    const { reader } = decoding;
    const name = reader.text(table, RECORD_ID.table);
    const key = reader.required(table, RECORD_ID.key);
    const read = (_index: number, below: number) => readKey(decoding, key, below);
    return new OpenPart(decoding, 1, depth, read, ([value]) => new RecordId(name, value as RecordKey | Range));
  },
  recordText: ({ reader, options }, table) =>
    fit(options.readRecord?.(reader.text(table, ONLY)), 'a text that is no record id'),
  file: ({ reader }, table) => {
    const key = reader.text(table, FILE.key);
    return FileReference.of(reader.text(table, FILE.bucket), key);
  },
  range: rangeOf(readValue),
  // Compiled where it is used, as one that is stored.
  regex: ({ reader }, table) => new Regex(reader.text(table, ONLY)),
  object: readObject,
  array: readArray,
  set: listOf(readValue, (items) => (items.length > SORTED_AT_ONCE ? new StepwiseSet(items) : setFrom(items))),
});

function readKey(decoding: FlatBuffersDecoding, table: MessagePlace, depth: number): ValuePart {
  return readUnion(decoding, table, depth, KEYS, 'the key of a record id');
}

const KEYS = byNumber<KeyType, ReadPart>(KEY_TYPES, {
  int: readInt,
  string: readText,
  uuid: readUuid,
  array: readArray,
  range: rangeOf(readKey),
  object: readObject,
});

// ─── Geometries, made of their coordinates: numbers, in lists within lists ───

const readPoint: ReadPart = ({ reader }, table) => [
  reader.float64(table, POINT.longitude),
  reader.float64(table, POINT.latitude),
];
const readLine = listOf(readPoint);

const readPolygon: ReadPart = (decoding, table, depth) => {
  const { reader } = decoding;
  const exterior = reader.required(table, POLYGON.exterior);
  const interiors = reader.vector(table, POLYGON.interiors);
  const read = (index: number, below: number) =>
    readLine(decoding, index === 0 ? exterior : reader.element(interiors, index - 1), below);
  return new OpenPart(decoding, 1 + reader.lengthOf(interiors), depth, read, itself);
};

/** A geometry of the coordinates that `readCoordinates` reads. */
function shapeOf(type: CoordinateShape['type'], readCoordinates: ReadPart): ReadPart {
  return (decoding, table, depth) =>
    new OpenPart(
      decoding,
      1,
      depth,
      (_index, below) => readCoordinates(decoding, table, below),
      ([coordinates]) => fit(geometryFrom(type, coordinates), 'coordinates that make no geometry'),
    );
}

function readGeometry(decoding: FlatBuffersDecoding, table: MessagePlace, depth: number): ValuePart {
  return readUnion(decoding, table, depth, SHAPES, 'a geometry');
}

const SHAPES = byNumber<keyof typeof SHAPE_NUMBERS, ReadPart>(SHAPE_NUMBERS, {
  Point: shapeOf('Point', readPoint),
  LineString: shapeOf('LineString', readLine),
  Polygon: shapeOf('Polygon', readPolygon),
  MultiPoint: shapeOf('MultiPoint', listOf(readPoint)),
  MultiLineString: shapeOf('MultiLineString', listOf(readLine)),
  MultiPolygon: shapeOf('MultiPolygon', listOf(readPolygon)),
  GeometryCollection: listOf(
    readGeometry,
    (members) =>
      new Geometry({ type: 'GeometryCollection', geometries: members.map((member) => (member as Geometry).shape) }),
  ),
});
