/** Casts: `<int> '5'`. Lenient where coercion is strict. */
import { failure } from '../errors/error.js';
import { COERCION, toGeometry, toInt } from './coerce.js';
import { type Conversion, type ConversionResult, convert, FAILED, Mismatch } from './conversion.js';
import { parseDecimal } from './decimal.js';
import { geometryFrom } from './geometry.js';
import { MAX_INT, MIN_INT, parseFloatText, parseInteger } from './number.js';
import { isPattern } from './regex.js';
import { toBoundedDisplay, toErrorText } from './text/text.js';
import { typeTextInErrors } from './text/type-text.js';
import { parseDatetime } from './time/datetime.js';
import { parseDuration } from './time/duration.js';
import type { Type } from './type.js';
import { parseUuid } from './uuid.js';
import {
  type ArrayValue,
  float,
  type Geometry,
  int,
  isArray,
  Range,
  RecordId,
  Regex,
  SetValue,
  Table,
  type Value,
} from './value.js';

/** Reads a record id; handed in, since reading the language is another room's affair. */
export type RecordIdParser = (text: string) => RecordId | undefined;

/**
 * The value made into the type.
 *
 *     cast('1', { kind: 'int' }, readRecord)   // 1
 *
 * @throws TesseraError `cannot_cast`: ``Could not cast into `int` using input `'x'` ``; `range_too_large`
 */
export function cast(value: Value, type: Type, readRecord: RecordIdParser): Value {
  const record = (given: Value) => toRecord(given, readRecord);
  const converted = convert({ ...CASTING, record, alternatives: { ...ALTERNATIVES, record } }, value, type);
  if (converted instanceof Mismatch) throw failure('cannot_cast', { reason: mismatchText(converted) });
  return converted;
}

function mismatchText({ type, value, location, lengthText }: Mismatch): string {
  return (
    lengthText ?? `Could not cast into \`${typeTextInErrors(type)}\` using input \`${toErrorText(value)}\`${location}`
  );
}

/** From a text by `parse`, from anything else as coercion does. */
const fromText =
  (parse: (text: string) => Value, coerce: (value: Value) => ConversionResult) =>
  (value: Value): ConversionResult =>
    typeof value === 'string' ? (parse(value) ?? FAILED) : coerce(value);

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

const INT = fromText(parseInteger, COERCION.plain.int);

const CASTING: Conversion = {
  plain: {
    ...COERCION.plain,
    bool: fromText((text) => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined), COERCION.plain.bool),
    bytes: (value) =>
      typeof value === 'string'
        ? ENCODER.encode(value)
        : isArray(value)
          ? bytesFrom(value)
          : COERCION.plain.bytes(value),
    datetime: fromText(parseDatetime, COERCION.plain.datetime),
    decimal: fromText(parseDecimal, COERCION.plain.decimal),
    duration: fromText(parseDuration, COERCION.plain.duration),
    float: fromText(floatFromText, COERCION.plain.float),
    int: INT,
    number: fromText((text) => parseInteger(text) ?? floatFromText(text), COERCION.plain.number),
    range: (value) => (isArray(value) && value.length === 2 ? rangeFrom(value) : COERCION.plain.range(value)),
    regex: fromText((text) => (isPattern(text) ? new Regex(text) : undefined), COERCION.plain.regex),
    string: (value) => (value instanceof Uint8Array ? textFrom(value) : toBoundedDisplay(value)),
    uuid: fromText(parseUuid, COERCION.plain.uuid),
  },
  object: COERCION.object,
  array: toItems,
  set: toItems,
  setsAreMadeFrom: 'array',
  record: COERCION.record,
  file: COERCION.file,
  // Anything can name a table, but only a text one of those that are listed.
  table: (value, type) => {
    if (type.tables.length > 0) return COERCION.table(value, type);
    const name = value instanceof Uint8Array ? textFrom(value) : toBoundedDisplay(value);
    return name === FAILED ? FAILED : new Table(name);
  },
  geometry: (value, type) => toGeometry(value) ?? (type.shapes[0] === 'point' ? pointFrom(value) : FAILED),
  members: COERCION,
};

/**
 * In a union collections and geometries are made from what is one already: `<option<array>> {1, 2}` fails, as in the
 * reference engine.
 */
const ALTERNATIVES: Conversion = {
  ...CASTING,
  array: COERCION.array,
  set: COERCION.set,
  geometry: COERCION.geometry,
};

function floatFromText(text: string): Value {
  const number = parseFloatText(text);
  return number === undefined ? undefined : float(number);
}

function toRecord(value: Value, readRecord: RecordIdParser): ConversionResult<RecordId> {
  if (typeof value === 'string') return readRecord(value) ?? FAILED;
  return value instanceof RecordId ? value : FAILED;
}

/** The text of UTF-8 bytes. */
function textFrom(bytes: Uint8Array): ConversionResult<string> {
  try {
    return UTF8.decode(bytes);
  } catch {
    return FAILED;
  }
}
const ENCODER = new TextEncoder();
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes from numbers; of each the lowest eight bits. */
function bytesFrom(items: ArrayValue): ConversionResult {
  const bytes = new Uint8Array(items.length);
  for (let index = 0; index < items.length; index++) {
    const whole = INT(items[index]);
    if (whole === FAILED) return FAILED;
    bytes[index] = Number(BigInt.asUintN(8, BigInt(whole as number | bigint)));
  }
  return bytes;
}

function rangeFrom([start, end]: ArrayValue): Range {
  return new Range({ value: start, inclusive: true }, { value: end, inclusive: false });
}

function pointFrom(value: Value): ConversionResult<Geometry> {
  return geometryFrom('Point', value) ?? FAILED;
}

/** Arrays and sets as they are, bytes as numbers, ranges of ints written out. */
function toItems(value: Value): ConversionResult<ArrayValue> {
  if (isArray(value)) return value;
  if (value instanceof SetValue) return value.items;
  if (value instanceof Uint8Array) return Array.from(value);
  return value instanceof Range ? rangeItems(value) : FAILED;
}

/** Maximum number of items of a range. */
const MAX_RANGE_ITEMS = 2 ** 20;

/** The number of items of a range; 0 if it has none, or too many. */
export function itemsOfRange(range: Range): number {
  const bounds = intBounds(range);
  if (bounds === undefined || bounds.end - bounds.first > MAX_RANGE_ITEMS) return 0;
  return Math.max(0, Number(bounds.end - bounds.first));
}

/** Writes the items at `from` to `to` (exclusive) of a range of ints where they belong in `items`. */
export function writeRangeItems(items: Value[], range: Range, from: number, to: number): void {
  const first = intBounds(range)?.first ?? 0n;
  const start = Number(first);
  if (Number.isSafeInteger(start) && Number.isSafeInteger(start + to))
    for (let index = from; index < to; index++) items[index] = start + index;
  else for (let index = from; index < to; index++) items[index] = int(first + BigInt(index));
}

function rangeItems(range: Range): ConversionResult<ArrayValue> {
  const bounds = intBounds(range);
  if (bounds === undefined) return FAILED;
  if (bounds.end - bounds.first > MAX_RANGE_ITEMS) throw failure('range_too_large', { range: toErrorText(range) });
  const count = itemsOfRange(range);
  const items = new Array<Value>(count);
  writeRangeItems(items, range, 0, count);
  return items;
}

/**
 * The ints of a range, from `first` up to `end` (excluded); an open side is the lowest or the greatest int. `undefined`
 * if a bound isn't a whole number.
 */
export function intBounds({ start, end }: Range): { readonly first: bigint; readonly end: bigint } | undefined {
  const low = start === undefined ? MIN_INT : intBound(start.value);
  const high = end === undefined ? MAX_INT : intBound(end.value);
  if (low === undefined || high === undefined) return undefined;
  return {
    first: low + (start === undefined || start.inclusive ? 0n : 1n),
    end: high + (end === undefined || end.inclusive ? 1n : 0n),
  };
}

function intBound(value: Value): bigint | undefined {
  const int = toInt(value);
  return int === undefined ? undefined : BigInt(int);
}
