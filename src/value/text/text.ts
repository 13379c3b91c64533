/**
 * Values as text, the way the reference engine prints them. `toText` gives the literal that reads back as the same
 * value; `toDisplay` is what `<string>` gives: strings, datetimes and uuids bare, decimals without a suffix.
 */
import { Buffer } from 'node:buffer';
import { shown } from '../../errors/sections/value.js';
import { type ByKind, byKind } from '../by-kind.js';
import { formatDecimal } from '../decimal.js';
import { MAX_NODES, MAX_SHOWN } from '../limits.js';
import { floatDigits } from '../number.js';
import type { Coordinates } from '../order.js';
import { sortedKeys } from '../strings.js';
import { formatDatetime } from '../time/datetime.js';
import { formatDuration } from '../time/duration.js';
import {
  type ArrayValue,
  Decimal,
  Geometry,
  type ObjectValue,
  Range,
  type RecordId,
  type Shape,
  type Value,
} from '../value.js';
import { boundedText, MeasuredWalk } from '../walk.js';
import { escapeIdentifier, escapeObjectKey, escapeRecordPart, quoteString } from './quote.js';

const walk = new MeasuredWalk();

/**
 * The literal form: `'a'`, `1f`, `1.5dec`, `d'2020-01-01T00:00:00Z'`, `{ a: 1 }`, `` person:`a b` ``.
 *
 *     toText("it's")   // "it's", of six characters
 */
export function toText(value: Value): string {
  return walk.end(literal(value, walk.beginAt(value)));
}

/** More characters than any error shows of a value (`shown`). */
const ROOM_IN_ERRORS = 2 ** 12;

/**
 * The literal form as errors show it: no more of a large value is written than they have room for.
 *
 *     failure('cannot_cast', { type, value: toErrorText(value) })
 */
export function toErrorText(value: Value): string {
  return withRoom(ROOM_IN_ERRORS, () => shown(toText(value)));
}

/** The text of a cast to string for error texts: long values are shortened. */
export function toErrorDisplay(value: Value): string {
  return withRoom(ROOM_IN_ERRORS, () => shown(toDisplay(value)));
}

/** `toBareText` for error texts: long values are shortened. */
export function toErrorBareText(value: Value): string {
  return withRoom(ROOM_IN_ERRORS, () => shown(toBareText(value)));
}

/** Characters needed of each part of a value; the rest may be omitted. */
let room = Number.POSITIVE_INFINITY;

function withRoom(characters: number, write: () => string): string {
  room = characters;
  try {
    return write();
  } finally {
    room = Number.POSITIVE_INFINITY;
  }
}

function startOf<T extends { readonly length: number; slice(from: number, to: number): T }>(whole: T): T {
  return whole.length > room ? whole.slice(0, room) : whole;
}

/**
 * The form of `<string>` and of string building: `a`, `1f`, `1.5`, `2020-01-01T00:00:00Z`, `{ a: 'x' }`.
 *
 *     toDisplay('a')   // a
 *     toText('a')      // 'a'
 */
export function toDisplay(value: Value): string {
  return display(value, MAX_NODES);
}

/**
 * `toDisplay` for statements, in which it is one step: of no more than `MAX_SHOWN` values.
 * @throws TesseraError `value_too_large`
 */
export function toBoundedDisplay(value: Value): string {
  return display(value, MAX_SHOWN);
}

/** `toText` for statements, as `toBoundedDisplay`. @throws TesseraError `value_too_large` */
export function toBoundedText(value: Value): string {
  return walk.end(literal(value, walk.beginAt(value, 0, MAX_SHOWN)));
}

function display(value: Value, most: number): string {
  return typeof value === 'string' ? startOf(value) : walk.end(byKind(DISPLAY, value, walk.beginAt(value, 0, most)));
}

/** The form that texts are built from: that of `<string>`, but with the suffix of a decimal. */
export function toBareText(value: Value): string {
  return value instanceof Decimal ? toText(value) : toDisplay(value);
}

/** The literal form in code: the numbers of a point are floats. */
export function toCode(value: Value): string {
  if (!(value instanceof Geometry) || value.shape.type !== 'Point') return toText(value);
  return `(${value.shape.coordinates.map(formatFloat).join(', ')})`;
}

/** `1.5f`; NaN and the infinities have no suffix. */
export function formatFloat(number: number): string {
  return Number.isFinite(number) ? `${floatDigits(number)}f` : String(number);
}

function literal(value: Value, depth: number): string {
  return byKind(LITERAL, value, depth);
}

const LITERAL: ByKind<string, number> = {
  none: () => 'NONE',
  null: () => 'NULL',
  bool: String,
  int: String,
  float: (value) => formatFloat(typeof value === 'number' ? value : value.number),
  decimal: (value) => `${formatDecimal(value)}dec`,
  string: (value) => quoteString(startOf(value)),
  duration: formatDuration,
  datetime: (value) => `d'${formatDatetime(value)}'`,
  uuid: (value) => `u'${value.text}'`,
  array: (value, depth) => `[${items(value, depth)}]`,
  set: (value, depth) =>
    value.items.length > 1 ? `{${items(value.items, depth)}}` : `{${items(value.items, depth)},}`,
  object: objectText,
  geometry: (value) => shapeText(value.shape),
  bytes: (value) =>
    `b"${Buffer.from(value.buffer, value.byteOffset, Math.min(value.length, room)).toString('hex').toUpperCase()}"`,
  table: (value) => escapeIdentifier(value.name),
  record: recordText,
  file: (value) => `f"${escapeFile(value.bucket)}:${escapeFile(value.key)}"`,
  regex: (value) => `/${escapeRegex(value.source)}/`,
  range: rangeText,
  function: (value) => value.text,
};

const DISPLAY: ByKind<string, number> = {
  ...LITERAL,
  string: (value) => startOf(value),
  decimal: formatDecimal,
  datetime: formatDatetime,
  uuid: (value) => value.text,
};

function items(values: ArrayValue, depth: number): string {
  const below = walk.enter(depth, Math.min(values.length, room));
  let text = '';
  for (let index = 0; index < values.length && text.length <= room; index++) {
    const item = literal(values[index], below);
    text = boundedText(index === 0 ? item : `${text}, ${item}`);
  }
  return text;
}

function objectText(object: ObjectValue, depth: number): string {
  const keys = sortedKeys(object);
  const below = walk.enter(depth, Math.min(keys.length, room));
  let text = '';
  for (const key of keys) {
    if (text.length > room) break;
    text = boundedText(`${text}${text === '' ? '' : ', '}${escapeObjectKey(key)}: ${literal(object[key], below)}`);
  }
  return `{ ${text} }`;
}

function recordText({ table, key }: RecordId, depth: number): string {
  return `${escapeRecordPart(table)}:${key instanceof Range ? rangeText(key, depth, keyText) : keyText(key, depth)}`;
}

function keyText(key: Value, depth: number): string {
  return typeof key === 'string' ? escapeRecordPart(key) : literal(key, walk.enter(depth, 1));
}

function rangeText(range: Range, depth: number, print: (value: Value, depth: number) => string = boundText): string {
  const { start, end } = range;
  const from = start === undefined ? '' : `${print(start.value, depth)}${start.inclusive ? '' : '>'}`;
  const to = end === undefined ? '' : `${end.inclusive ? '=' : ''}${print(end.value, depth)}`;
  return `${from}..${to}`;
}

/** A range within a range is put in parentheses, since `1..2..3` can't be read. */
function boundText(value: Value, depth: number): string {
  const text = literal(value, walk.enter(depth, 1));
  return value instanceof Range ? `(${text})` : text;
}

function shapeText(shape: Shape): string {
  switch (shape.type) {
    case 'Point':
      return `(${shape.coordinates.map(floatDigits).join(', ')})`;
    case 'GeometryCollection':
      return `{ geometries: [${shape.geometries.map(shapeText).join(', ')}], type: 'GeometryCollection' }`;
    default:
      return `{ type: '${shape.type}', coordinates: ${coordinatesText(shape.coordinates)} }`;
  }
}

function coordinatesText(coordinates: Coordinates): string {
  if (typeof coordinates === 'number') return floatDigits(coordinates);
  const wanted = startOf<readonly Coordinates[]>(coordinates);
  walk.count(wanted.length);
  return `[${wanted.map(coordinatesText).join(', ')}]`;
}

function escapeFile(text: string): string {
  return text.replace(/[^\w\-./]/gu, '\\$&');
}

function escapeRegex(source: string): string {
  return source.replace(/\\.|\//gs, (part) => (part === '/' ? '\\/' : part));
}
