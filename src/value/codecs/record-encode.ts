/**
 * Values as they lie on disk: a byte for the version, then the value. Each value begins with a tag; lengths and small
 * ints are short. The names of an object's fields stand together before its values, so that a reader recognises the
 * whole list at once.
 */
import { failure } from '../../errors/error.js';
import { type ByKind, byKind } from '../by-kind.js';
import { formatDecimal } from '../decimal.js';
import { type Coordinates, SHAPE_TYPES } from '../order.js';
import { sortedKeys } from '../strings.js';
import { durationSeconds, durationSubseconds } from '../time/duration.js';
import { uuidBytes } from '../uuid.js';
import type { ArrayValue, Bound, ObjectValue, Shape, Value } from '../value.js';
import { MeasuredWalk } from '../walk.js';
import { ByteWriter, utf8Length } from './byte-writer.js';
import {
  BOUND,
  MAX_SHORT_TEXT,
  MAX_SMALL_INT,
  NEGATIVE_INT,
  POSITIVE_INT,
  RECORD_TAGS,
  RECORD_VERSION,
  SHORT_TEXT,
  SMALL_INT,
  TRUE,
} from './record-tags.js';

export { decodeRecord } from './record-decode.js';

const out = new ByteWriter();
const walk = new MeasuredWalk();

/**
 * The bytes from which `decodeRecord` makes the value again, and behind them room for so many more.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function encodeRecord(value: Value, room = 0): Uint8Array {
  out.begin();
  out.byte(RECORD_VERSION);
  write(value, walk.beginAt(value));
  return walk.end(out.finish(room));
}

function write(value: Value, depth: number): void {
  if (typeof value === 'string') writeText(value);
  else byKind(WRITERS, value, depth);
}

const WRITERS: ByKind<void, number> = {
  none: () => out.byte(RECORD_TAGS.none),
  null: () => out.byte(RECORD_TAGS.null),
  bool: (value) => out.byte(value ? TRUE : RECORD_TAGS.bool),
  int: (value) => {
    if (typeof value === 'number') writeInt(value);
    else {
      out.byte(RECORD_TAGS.int);
      out.uint64(BigInt.asUintN(64, value));
    }
  },
  float: (value) => {
    out.byte(RECORD_TAGS.float);
    out.float64(typeof value === 'number' ? value : value.number);
  },
  decimal: (value) => {
    out.byte(RECORD_TAGS.decimal);
    writeText(formatDecimal(value));
  },
  string: writeText,
  duration: (value) => {
    out.byte(RECORD_TAGS.duration);
    out.uint64(durationSeconds(value));
    out.varint(durationSubseconds(value));
  },
  datetime: (value) => {
    out.byte(RECORD_TAGS.datetime);
    writeInt(value.seconds);
    out.varint(value.nanoseconds);
  },
  uuid: (value) => {
    out.byte(RECORD_TAGS.uuid);
    out.raw(uuidBytes(value));
  },
  array: (value, depth) => writeItems(RECORD_TAGS.array, value, depth),
  set: (value, depth) => writeItems(RECORD_TAGS.set, value.items, depth),
  object: writeObject,
  geometry: (value) => {
    out.byte(RECORD_TAGS.geometry);
    writeShape(value.shape);
  },
  bytes: (value) => {
    out.byte(RECORD_TAGS.bytes);
    out.varint(value.length);
    out.raw(value);
  },
  table: (value) => {
    out.byte(RECORD_TAGS.table);
    writeText(value.name);
  },
  record: (value, depth) => {
    out.byte(RECORD_TAGS.record);
    writeText(value.table);
    write(value.key, walk.enter(depth, 1));
  },
  file: (value) => {
    out.byte(RECORD_TAGS.file);
    writeText(value.bucket);
    writeText(value.key);
  },
  regex: (value) => {
    out.byte(RECORD_TAGS.regex);
    writeText(value.source);
  },
  range: (value, depth) => {
    out.byte(RECORD_TAGS.range);
    const below = walk.enter(depth, 2);
    writeBound(value.start, below);
    writeBound(value.end, below);
  },
  function: () => {
    throw failure('closure_stored');
  },
};

function writeInt(value: number): void {
  if (value >= 0 && value <= MAX_SMALL_INT) out.byte(SMALL_INT | value);
  else {
    out.byte(value < 0 ? NEGATIVE_INT : POSITIVE_INT);
    out.varint(value < 0 ? -1 - value : value);
  }
}

function writeText(text: string): void {
  const length = utf8Length(text);
  if (length <= MAX_SHORT_TEXT) out.byte(SHORT_TEXT | length);
  else {
    out.byte(RECORD_TAGS.string);
    out.varint(length);
  }
  out.utf8(text, length);
}

function writeItems(tag: number, items: ArrayValue, depth: number): void {
  const below = walk.enter(depth, items.length);
  out.byte(tag);
  out.varint(items.length);
  for (let index = 0; index < items.length; index++) write(items[index], below);
}

/** The count of fields, the length of the names in bytes, the names, each with its length, then the values. */
function writeObject(object: ObjectValue, depth: number): void {
  const given = Object.keys(object);
  const below = walk.enter(depth, given.length);
  const slot = (given.length * 31 + (given[0]?.length ?? 0)) % KNOWN;
  let shape = known[slot];
  if (shape === undefined || !isSameList(shape.given, given)) {
    shape = shapeOf(object, given);
    if (shape.head.length <= LONGEST_KNOWN) known[slot] = shape;
  }
  out.byte(RECORD_TAGS.object);
  out.raw(shape.head);
  const { keys } = shape;
  for (let index = 0; index < keys.length; index++) write(object[keys[index] as string], below);
}

/** The shared header of objects with the same fields. */
interface ObjectShape {
  /** The fields as the object has them, and in their order. */
  readonly given: readonly string[];
  readonly keys: readonly string[];
  /** The bytes before the values. */
  readonly head: Uint8Array;
}

/** The shapes met last: records of a table share theirs, and most of the bytes of a small one are its names. */
const KNOWN = 64;
const LONGEST_KNOWN = 4_096;
const known: (ObjectShape | undefined)[] = new Array(KNOWN).fill(undefined);
const heads = new ByteWriter();

function shapeOf(object: ObjectValue, given: readonly string[]): ObjectShape {
  const keys = sortedKeys(object);
  const lengths = keys.map(utf8Length);
  heads.begin();
  heads.varint(keys.length);
  heads.varint(lengths.reduce((sum, length) => sum + length + varintLength(length), 0));
  for (const [index, key] of keys.entries()) {
    const length = lengths[index] as number;
    heads.varint(length);
    heads.utf8(key, length);
  }
  return { given, keys, head: heads.finish() };
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

function writeBound(bound: Bound | undefined, depth: number): void {
  out.byte(bound === undefined ? BOUND.open : bound.inclusive ? BOUND.inclusive : BOUND.exclusive);
  if (bound !== undefined) write(bound.value, depth);
}

function writeShape(shape: Shape): void {
  out.byte(SHAPE_TYPES.indexOf(shape.type));
  if (shape.type === 'GeometryCollection') {
    out.varint(shape.geometries.length);
    shape.geometries.forEach(writeShape);
  } else writeCoordinates(shape.coordinates);
}

function writeCoordinates(coordinates: Coordinates): void {
  if (typeof coordinates === 'number') out.float64(coordinates);
  else {
    out.varint(coordinates.length);
    coordinates.forEach(writeCoordinates);
  }
}
