/** Converts the official client's values as if they were sent in CBOR. */
import {
  BoundExcluded,
  BoundIncluded,
  Value as ClientValue,
  DateTime,
  Decimal,
  Duration,
  FileRef,
  Geometry,
  Range,
  RecordId,
  RecordIdRange,
  StringRecordId,
  Table,
  Uuid,
} from 'surrealdb';
import { failure } from '../../errors/error.js';
import { parseRecordId } from '../../language/parse.js';
import { parseDecimal } from '../../value/decimal.js';
import { geometryFromObject } from '../../value/geometry.js';
import { datetimeFrom } from '../../value/time/datetime.js';
import { durationFrom } from '../../value/time/duration.js';
import { parseUuid } from '../../value/uuid.js';
import {
  type Bound,
  FileReference,
  isObject,
  newObject,
  Range as OurRange,
  RecordId as OurRecordId,
  Table as OurTable,
  type RecordKey,
  type Value,
} from '../../value/value.js';
import { type Convert, fromJavaScript } from '../from-javascript.js';

/**
 * Converts one of the client's values.
 * @throws TesseraError `not_a_value`, `nesting_too_deep`
 */
export function fromClient(input: unknown): Value {
  return fromJavaScript(input, convertForeign);
}

interface Conversion {
  matches(input: object): boolean;
  /** `undefined` if there is no corresponding value. */
  convert(input: object, convert: Convert): Value;
}

function row<T extends object>(
  type: { [Symbol.hasInstance](instance: unknown): boolean; readonly prototype: T },
  convert: (input: T, convert: Convert) => Value,
): Conversion {
  return { matches: (input) => type[Symbol.hasInstance](input), convert: (input, inner) => convert(input as T, inner) };
}

const CONVERSIONS: readonly Conversion[] = [
  row(RecordId, ({ table, id }, convert) => new OurRecordId(table.name, convert(id) as RecordKey)),
  row(StringRecordId, (id) => parseRecordId(id.toString())),
  row(DateTime, (when) => {
    const [seconds = 0n, nanoseconds = 0n] = when.toCompact();
    return datetimeFrom(Number(seconds), Number(nanoseconds));
  }),
  row(Uuid, (uuid) => parseUuid(uuid.toString())),
  row(Duration, (duration) => {
    const [seconds = 0n, nanoseconds = 0n] = duration.toCompact();
    return durationFrom({ seconds, nanoseconds });
  }),
  row(Decimal, (decimal) => parseDecimal(decimal.toString(), true)),
  row(Table, ({ name }) => new OurTable(name)),
  row(RecordIdRange, ({ table, begin, end }, convert) => new OurRecordId(table.name, range(begin, end, convert))),
  row(Range, ({ begin, end }, convert) => range(begin, end, convert)),
  row(FileRef, ({ bucket, key }) => new FileReference(bucket, key)),
  row(Geometry, (geometry, convert) => {
    const object = convert(geometry.toJSON());
    return isObject(object) ? geometryFromObject(object) : undefined;
  }),
];

/**
 * Converts what `fromJavaScript` doesn't know: the client's classes, other byte arrays, and host objects by their
 * fields.
 */
function convertForeign(input: object, convert: Convert): Value {
  if (input instanceof ArrayBuffer) return new Uint8Array(input.slice(0));
  if (ArrayBuffer.isView(input)) {
    return new Uint8Array(input.buffer.slice(input.byteOffset, input.byteOffset + input.byteLength) as ArrayBuffer);
  }
  const conversion = CONVERSIONS.find(({ matches }) => matches(input));
  if (conversion !== undefined) return conversion.convert(input, convert) ?? unfit(input);
  if (input instanceof ClientValue) return unfit(input);
  const object = newObject();
  for (const [key, value] of Object.entries(input)) object[key] = convert(value);
  return object;
}

function unfit(input: object): never {
  throw failure('not_a_value', { found: input.constructor.name });
}

function range(begin: unknown, end: unknown, convert: Convert): OurRange {
  return new OurRange(bound(begin, convert), bound(end, convert));
}

function bound(side: unknown, convert: Convert): Bound | undefined {
  if (side instanceof BoundIncluded) return { value: convert(side.value), inclusive: true };
  return side instanceof BoundExcluded ? { value: convert(side.value), inclusive: false } : undefined;
}
