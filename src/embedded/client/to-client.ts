/** Converts values to the official client's as if they were received in CBOR. */
import {
  BoundExcluded,
  BoundIncluded,
  DateTime,
  Decimal,
  Duration,
  FileRef,
  Geometry,
  Range,
  RecordId,
  RecordIdRange,
  Table,
  Uuid,
} from 'surrealdb';
import { failure } from '../../errors/error.js';
import { type ByKind, byKind } from '../../value/by-kind.js';
import { formatDecimal } from '../../value/decimal.js';
import { sortedKeys } from '../../value/strings.js';
import { toDisplay } from '../../value/text/text.js';
import { durationSeconds, durationSubseconds } from '../../value/time/duration.js';
import {
  type ArrayValue,
  type Bound,
  type ObjectValue,
  Range as RangeValue,
  type RecordKey,
  type Value,
} from '../../value/value.js';
import { MeasuredWalk } from '../../value/walk.js';

const walk = new MeasuredWalk();

/**
 * A value for the client; it shares nothing with the store.
 * @throws TesseraError `closure_sent`, `value_too_large`
 */
export function toClient(value: Value): unknown {
  return walk.end(convert(value, walk.beginAt(value)));
}

function convert(value: Value, depth: number): unknown {
  return typeof value === 'object' && value !== null ? byKind(CONVERSIONS, value, depth) : value;
}

const same = <T>(value: T): T => value;

const CONVERSIONS: ByKind<unknown, number> = {
  none: same,
  null: same,
  bool: same,
  int: same,
  string: same,
  float: (value) => (typeof value === 'number' ? value : value.number),
  decimal: (value) => new Decimal(formatDecimal(value)),
  duration: (value) => new Duration([durationSeconds(value), BigInt(durationSubseconds(value))]),
  datetime: ({ seconds, nanoseconds }) => new DateTime([BigInt(seconds), BigInt(nanoseconds)]),
  uuid: ({ text }) => new Uuid(text),
  array: convertItems,
  set: ({ items }, depth) => new Set(convertItems(items, depth)),
  object: convertObject,
  geometry: ({ shape }) => Geometry.fromJSON(shape as Parameters<typeof Geometry.fromJSON>[0]),
  bytes: (value) => Uint8Array.from(value).buffer,
  table: ({ name }) => new Table(name),
  record: ({ table, key }, depth) => {
    const below = walk.enter(depth, 1);
    if (!(key instanceof RangeValue)) return new RecordId(table, convert(key, below) as ClientKey);
    return new RecordIdRange(table, bound<ClientKey>(key.start, below), bound<ClientKey>(key.end, below));
  },
  file: ({ bucket, key }) => new FileRef(bucket, key),
  regex: (value) => toDisplay(value),
  range: ({ start, end }, depth) => {
    const below = walk.enter(depth, 2);
    return new Range(bound(start, below), bound(end, below));
  },
  function: () => {
    throw failure('closure_sent');
  },
};

/** The client's key type, with its own classes. */
type ClientKey = ConstructorParameters<typeof RecordId<string, Extract<RecordKey, string>>>[1];

function convertItems(items: ArrayValue, depth: number): unknown[] {
  const below = walk.enter(depth, items.length);
  return items.map((item) => convert(item, below));
}

function convertObject(object: ObjectValue, depth: number): Record<string, unknown> {
  // In the server's order.
  const keys = sortedKeys(object);
  const below = walk.enter(depth, keys.length);
  const converted: Record<string, unknown> = {};
  for (const key of keys) {
    const value = convert(object[key], below);
    if (key !== '__proto__') converted[key] = value;
    // Assignment would set the prototype.
    else Object.defineProperty(converted, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return converted;
}

function bound<T>(side: Bound | undefined, depth: number): BoundIncluded<T> | BoundExcluded<T> | undefined {
  if (side === undefined) return undefined;
  const value = convert(side.value, depth) as T;
  return side.inclusive ? new BoundIncluded(value) : new BoundExcluded(value);
}
