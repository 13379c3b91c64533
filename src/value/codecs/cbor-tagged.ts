/** The values of CBOR's tags. */
import { failure } from '../../errors/error.js';
import { parseDecimal } from '../decimal.js';
import { type CoordinateShape, geometryFrom } from '../geometry.js';
import { MAX_INT, MIN_INT } from '../number.js';
import { setFrom } from '../order.js';
import { datetimeFrom, parseDatetime } from '../time/datetime.js';
import { durationFrom, parseDuration } from '../time/duration.js';
import { parseUuid, uuidFromBytes } from '../uuid.js';
import {
  FileReference,
  Geometry,
  int,
  isArray,
  isObject,
  Range,
  RecordId,
  type RecordKey,
  Table,
  Uuid,
  type Value,
} from '../value.js';
import { CBOR_TAGS, SHAPE_MEMBERS } from './cbor-tags.js';

/** @throws TesseraError `cbor_invalid` */
export function invalidCbor(what: string): never {
  throw failure('cbor_invalid', { what });
}

/** An int of at most 64 bits. @throws TesseraError `cbor_invalid` */
export function boundedInt(value: bigint): number | bigint {
  return value > MAX_INT || value < MIN_INT ? invalidCbor('an integer beyond 64 bits') : int(value);
}

/** The parser of record ids in texts. */
export interface RecordIdReading {
  /** Parses record ids sent as strings (`person:1`), as some clients do; without it they are errors. */
  readonly readRecord?: (text: string) => RecordId | undefined;
}

/** The content of a tag is of a wrong type. */
export const UNFIT: unique symbol = Symbol('unfit');
type Made = Value | typeof UNFIT;
export type TagMaker = (item: Value, options: RecordIdReading) => Made;

/** The value of each tag for its item. */
export const TAG_MAKERS: ReadonlyMap<number, TagMaker> = new Map<number, TagMaker>([
  [CBOR_TAGS.datetimeText, fromText(parseDatetime)],
  [CBOR_TAGS.positiveBignum, (item) => (item instanceof Uint8Array ? fromBignum(item) : UNFIT)],
  [CBOR_TAGS.negativeBignum, (item) => (item instanceof Uint8Array ? fromBignum(item, -1n) : UNFIT)],
  [CBOR_TAGS.none, (item) => (item === null || item === undefined ? undefined : UNFIT)],
  [CBOR_TAGS.table, fromText((text) => new Table(text))],
  [CBOR_TAGS.record, toRecord],
  [CBOR_TAGS.uuidText, fromText(parseUuid)],
  [CBOR_TAGS.decimal, fromText((text) => parseDecimal(text, true))],
  [CBOR_TAGS.datetime, toDatetime],
  [CBOR_TAGS.durationText, toDuration],
  [CBOR_TAGS.uuid, (item) => (item instanceof Uint8Array && item.length === 16 ? uuidFromBytes(item) : UNFIT)],
  [CBOR_TAGS.file, toFile],
  [CBOR_TAGS.set, (item) => (isArray(item) ? setFrom(item) : UNFIT)],
  [CBOR_TAGS.point, toPoint],
  [CBOR_TAGS.line, toShape('LineString')],
  [CBOR_TAGS.polygon, toShape('Polygon')],
  [CBOR_TAGS.multipoint, toShape('MultiPoint')],
  [CBOR_TAGS.multiline, toShape('MultiLineString')],
  [CBOR_TAGS.multipolygon, toShape('MultiPolygon')],
  [CBOR_TAGS.collection, toCollection],
]);

function fromText(parse: (text: string) => Value): TagMaker {
  return (item) => (typeof item === 'string' ? (parse(item) ?? UNFIT) : UNFIT);
}

function fromBignum(bytes: Uint8Array, sign = 1n): Made {
  if (bytes.length > 8) return UNFIT;
  const magnitude = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  return boundedInt(sign < 0n ? -1n - magnitude : magnitude);
}

/** `[table, key]`, or the text `table:key`. */
function toRecord(item: Value, { readRecord }: RecordIdReading): Made {
  if (typeof item === 'string') return readRecord?.(item) ?? UNFIT;
  if (!isArray(item) || item.length !== 2) return UNFIT;
  const [table, key] = item;
  const name = table instanceof Table ? table.name : table;
  return typeof name === 'string' && isRecordKey(key) ? new RecordId(name, key) : UNFIT;
}

function isRecordKey(key: Value): key is RecordKey | Range {
  if (typeof key === 'number') return Number.isInteger(key);
  const typed = typeof key === 'string' || typeof key === 'bigint' || isArray(key) || isObject(key);
  return typed || key instanceof Uuid || key instanceof Range;
}

function toDatetime(item: Value): Made {
  const [seconds, nanoseconds] = isArray(item) && item.length === 2 ? item : [];
  return isWhole(seconds) && isNanoseconds(nanoseconds) ? (datetimeFrom(seconds, nanoseconds) ?? UNFIT) : UNFIT;
}

/** A text; or what the other tag of durations holds, since that is what the Python client writes under this one. */
function toDuration(item: Value): Made {
  if (typeof item === 'string') return parseDuration(item) ?? UNFIT;
  const [seconds, nanoseconds] = isArray(item) && item.length === 2 ? item : [];
  return isWhole(seconds) && isNanoseconds(nanoseconds) ? (durationFrom({ seconds, nanoseconds }) ?? UNFIT) : UNFIT;
}

function isWhole(value: Value): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

function isNanoseconds(value: Value): value is number {
  return isWhole(value) && value >= 0 && value < 1e9;
}

function toFile(item: Value): Made {
  const [bucket, key] = isArray(item) && item.length === 2 ? item : [];
  if (typeof bucket !== 'string' || typeof key !== 'string') return UNFIT;
  return FileReference.of(bucket, key);
}

function toPoint(item: Value): Made {
  return geometryFrom('Point', item) ?? UNFIT;
}

/** A shape made of others: a line of points, a polygon of lines. */
function toShape(type: keyof typeof SHAPE_MEMBERS): TagMaker {
  const member = SHAPE_MEMBERS[type];
  return (item) => {
    if (!isArray(item)) return UNFIT;
    const members = item.map((one) => (one instanceof Geometry && one.shape.type === member ? one.shape : undefined));
    if (members.includes(undefined)) return UNFIT;
    return (
      geometryFrom(
        type,
        members.map((shape) => (shape as CoordinateShape).coordinates),
      ) ?? UNFIT
    );
  };
}

function toCollection(item: Value): Made {
  if (!isArray(item) || !item.every((one) => one instanceof Geometry)) return UNFIT;
  return new Geometry({ type: 'GeometryCollection', geometries: item.map((one) => (one as Geometry).shape) });
}
