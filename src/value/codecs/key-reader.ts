/** Reads keys; `key-codec.ts` says how they are written. */
import { failure } from '../../errors/error.js';
import { exact, fitDecimal } from '../decimal.js';
import { COORDINATE_DEPTH } from '../geometry.js';
import { nextDepth } from '../nesting.js';
import { type Coordinates, SHAPE_TYPES } from '../order.js';
import { uuidFromHex } from '../uuid.js';
import {
  type Bound,
  Datetime,
  Duration,
  FileReference,
  Float,
  Geometry,
  int,
  type Kind,
  type NumberValue,
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
import { readMagnitude } from './key-numbers.js';
import { BOUND, FIELD, KEY_TAGS, NUMBER_KINDS, SIGN } from './key-tags.js';

/** The current position. */
interface Cursor {
  readonly key: string;
  at: number;
  /** Number of numbers read. */
  numbers: number;
  /** The kinds of all numbers, if they aren't the natural ones. */
  readonly kinds: string | undefined;
}

/** Reads the key that begins at `offset`. @throws TesseraError `stored_bytes_invalid` */
export function readKey(key: string, offset: number): { readonly value: Value; readonly next: number } {
  const cursor: Cursor = { key, at: offset, numbers: 0, kinds: undefined };
  const value = readValue(cursor, 0);
  if (cursor.numbers === 0) return { value, next: cursor.at };
  if (key.charCodeAt(cursor.at) === NUMBER_KINDS.natural) return { value, next: cursor.at + 1 };
  // The kinds stand behind the value, so one that needs them is read twice.
  const next = cursor.at + cursor.numbers;
  const again: Cursor = { key, at: offset, numbers: 0, kinds: key.slice(cursor.at, next) };
  return { value: readValue(again, 0), next };
}

type Reader = (cursor: Cursor, depth: number) => Value;

const READERS: { readonly [K in Exclude<Kind, 'bool' | 'int' | 'float' | 'decimal'>]: Reader } = {
  none: () => undefined,
  null: () => null,
  string: readText,
  duration: (cursor) => new Duration(readUint64(cursor) * 1_000_000_000n + BigInt(readUint32(cursor))),
  datetime: (cursor) => new Datetime(readDouble(cursor), readUint32(cursor)),
  uuid: (cursor) => uuidFromHex(Buffer.from(take(cursor, 16), 'latin1').toString('hex')),
  array: readItems,
  set: (cursor, depth) => new SetValue(readItems(cursor, depth)),
  object: readFields,
  geometry: (cursor, depth) => new Geometry(readShape(cursor, depth)),
  bytes: (cursor) => Uint8Array.from(Buffer.from(readEscaped(cursor), 'latin1')),
  table: (cursor) => new Table(readText(cursor)),
  record: (cursor, depth) => new RecordId(readText(cursor), readValue(cursor, nextDepth(depth)) as RecordKey),
  file: (cursor) => new FileReference(readText(cursor), readText(cursor)),
  regex: (cursor) => new Regex(readText(cursor)),
  range: (cursor, depth) => new Range(readBound(cursor, nextDepth(depth)), readBound(cursor, nextDepth(depth))),
  function: () => damaged('a closure'),
};

const BY_TAG: readonly (Reader | undefined)[] = (() => {
  const table: (Reader | undefined)[] = new Array(256).fill(undefined);
  for (const [kind, read] of Object.entries(READERS)) table[KEY_TAGS[kind as Kind]] = read;
  table[KEY_TAGS.bool] = () => false;
  table[KEY_TAGS.bool + 1] = () => true;
  for (const sign of Object.values(SIGN)) table[KEY_TAGS.int + sign] = (cursor) => readNumber(cursor, sign);
  return table;
})();

function readValue(cursor: Cursor, depth: number): Value {
  const tag = readByte(cursor);
  const read = BY_TAG[tag] ?? damaged(`the tag ${tag}`);
  return read(cursor, depth);
}

function damaged(what: string): never {
  throw failure('stored_bytes_invalid', { what: `${what} in a key` });
}

function readByte(cursor: Cursor): number {
  const byte = cursor.key.charCodeAt(cursor.at++);
  return Number.isNaN(byte) ? damaged('an early end') : byte;
}

function take(cursor: Cursor, length: number): string {
  const part = cursor.key.slice(cursor.at, cursor.at + length);
  if (part.length < length) damaged('an early end');
  cursor.at += length;
  return part;
}

function readUint32(cursor: Cursor): number {
  return Buffer.from(take(cursor, 4), 'latin1').readUInt32BE();
}

function readUint64(cursor: Cursor): bigint {
  return Buffer.from(take(cursor, 8), 'latin1').readBigUInt64BE();
}

function readDouble(cursor: Cursor): number {
  const bytes = Buffer.from(take(cursor, 8), 'latin1');
  const mask = (bytes[0] as number) & 0x80 ? 0 : 0xff;
  for (let index = 0; index < 8; index++) bytes[index] = (bytes[index] as number) ^ mask;
  bytes[0] = (bytes[0] as number) ^ (mask === 0 ? 0x80 : 0);
  return bytes.readDoubleBE();
}

/** The bytes of a text or a byte string, up to their end. */
function readEscaped(cursor: Cursor): string {
  const end = cursor.key.indexOf('\0', cursor.at);
  if (end < 0) damaged('an early end');
  const raw = cursor.key.slice(cursor.at, end);
  cursor.at = end + 1;
  if (!raw.includes('\x01')) return raw;
  return raw.replace(ESCAPED, (_, byte: string) => String.fromCharCode(byte.charCodeAt(0) - 1));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is one.
const ESCAPED = /\x01(.)/gs;

function readText(cursor: Cursor): string {
  const raw = readEscaped(cursor);
  return ASCII.test(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8');
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
const ASCII = /^[\x00-\x7f]*$/;

function readNumber(cursor: Cursor, sign: number): NumberValue {
  const kind = cursor.kinds?.charCodeAt(cursor.numbers);
  cursor.numbers++;
  if (sign === SIGN.nan) return Number.NaN;
  if (sign === SIGN.zero) return ofKind(0, kind);
  const negative = sign === SIGN.negative;
  const { double, exact: beyond, next } = readMagnitude(cursor.key, cursor.at, negative);
  cursor.at = next;
  if (beyond === undefined) return ofKind(negative ? -double : double, kind);
  const value = negative ? beyond.neg() : beyond;
  const isDecimal = kind === NUMBER_KINDS.decimal || !value.isInteger();
  return isDecimal ? (fitDecimal(value) ?? damaged('a decimal')) : int(BigInt(value.toFixed()));
}

/** A number that a double's shortest text gives exactly, as the kind that it had. */
function ofKind(number: number, kind: number | undefined): NumberValue {
  switch (kind) {
    case NUMBER_KINDS.decimal:
      return fitDecimal(exact(number)) ?? damaged('a decimal');
    case NUMBER_KINDS.negativeZero:
      return new Float(-0);
    case NUMBER_KINDS.float:
      return Number.isInteger(number) ? new Float(number) : number;
    default:
      return Number.isInteger(number) && !Number.isSafeInteger(number) ? int(BigInt(exact(number).toFixed())) : number;
  }
}

function readItems(cursor: Cursor, depth: number): Value[] {
  const below = nextDepth(depth);
  const items: Value[] = [];
  while (!atListEnd(cursor)) items.push(readValue(cursor, below));
  return items;
}

function readFields(cursor: Cursor, depth: number): Value {
  const below = nextDepth(depth);
  const object = newObject();
  while (!atListEnd(cursor)) {
    cursor.at += 1;
    const key = readText(cursor);
    object[key] = readValue(cursor, below);
  }
  return object;
}

/** Whether the list ends here; if so its end is passed. */
function atListEnd(cursor: Cursor): boolean {
  const ends = cursor.key.charCodeAt(cursor.at) === 0;
  if (ends) cursor.at++;
  return ends;
}

function readBound(cursor: Cursor, depth: number): Bound | undefined {
  const kind = readByte(cursor);
  return kind === BOUND.open ? undefined : { value: readValue(cursor, depth), inclusive: kind === BOUND.inclusive };
}

function readShape(cursor: Cursor, depth: number): Shape {
  const type = SHAPE_TYPES[readByte(cursor)] ?? damaged('a shape');
  if (type !== 'GeometryCollection') {
    return { type, coordinates: readCoordinates(cursor, COORDINATE_DEPTH[type]) } as Shape;
  }
  const below = nextDepth(depth);
  return { type, geometries: readList(cursor, () => readShape(cursor, below)) };
}

function readCoordinates(cursor: Cursor, levels: number): Coordinates {
  return levels === 0 ? readDouble(cursor) : readList(cursor, () => readCoordinates(cursor, levels - 1));
}

function readList<T>(cursor: Cursor, readItem: () => T): T[] {
  const items: T[] = [];
  while (!atListEnd(cursor)) {
    if (readByte(cursor) !== FIELD) damaged('a list');
    items.push(readItem());
  }
  return items;
}
