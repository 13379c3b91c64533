/**
 * Values as JSON. What JSON has no form for becomes text as the language prints it: record ids, datetimes (RFC 3339),
 * durations, uuids, ranges, files, regexes. Decimals are text, too, since readers would round numbers; ints beyond 2^53
 * are plain digits. Bytes are base64, sets are arrays, geometries are GeoJSON. NONE, NaN and the infinities are null.
 * Object keys come in order.
 */
import { failure } from '../../errors/error.js';
import { type ByKind, byKind } from '../by-kind.js';
import { formatDecimal } from '../decimal.js';
import type { Coordinates } from '../order.js';
import { sortedKeys } from '../strings.js';
import { toDisplay } from '../text/text.js';
import { formatDatetime } from '../time/datetime.js';
import { formatDuration } from '../time/duration.js';
import type { ArrayValue, ObjectValue, Shape, Value } from '../value.js';
import { boundedText, escapable, MeasuredWalk } from '../walk.js';

export { parseJson, parseJsonStepwise } from './json-parse.js';

const walk = new MeasuredWalk();

/**
 * The value as JSON text; what JSON has no form for is a text as in SurrealQL.
 *
 *     stringifyJson([1, new RecordId('person', 1)])   // [1,"person:1"]
 *
 * @throws TesseraError `closure_sent`, `nesting_too_deep`, `value_too_large`
 */
export function stringifyJson(value: Value): string {
  return stringifyJsonAt(value, 0);
}

/** The same of a value that stands so deep in another. */
export function stringifyJsonAt(value: Value, depth: number): string {
  return walk.end(stringify(value, walk.beginAt(value, depth)));
}

function stringify(value: Value, depth: number): string {
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  return byKind(TEXTS, value, depth);
}

const TEXTS: ByKind<string, number> = {
  none: () => 'null',
  null: () => 'null',
  bool: String,
  int: String,
  float: (value) => {
    const number = typeof value === 'number' ? value : value.number;
    return Number.isFinite(number) ? floatText(number) : 'null';
  },
  decimal: (value) => `"${formatDecimal(value)}"`,
  string: quoteJson,
  duration: (value) => `"${formatDuration(value)}"`,
  datetime: (value) => `"${formatDatetime(value)}"`,
  uuid: (value) => `"${value.text}"`,
  array: stringifyItems,
  set: (value, depth) => stringifyItems(value.items, depth),
  object: stringifyFields,
  geometry: (value) => JSON.stringify(geoJson(value.shape)),
  bytes: (value) => `"${base64(value)}"`,
  table: (value) => quoteJson(value.name),
  record: (value) => quoteJson(toDisplay(value)),
  file: (value) => quoteJson(toDisplay(value)),
  regex: (value) => quoteJson(toDisplay(value)),
  range: (value) => quoteJson(toDisplay(value)),
  function: () => {
    throw failure('closure_sent');
  },
};

function stringifyItems(items: ArrayValue, depth: number): string {
  const below = walk.enter(depth, items.length);
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    const item = stringify(items[index], below);
    text = boundedText(index === 0 ? text + item : `${text},${item}`);
  }
  return `${text}]`;
}

function stringifyFields(object: ObjectValue, depth: number): string {
  const keys = sortedKeys(object);
  const below = walk.enter(depth, keys.length);
  let text = '{';
  for (const key of keys) {
    text = boundedText(`${text}${text.length === 1 ? '' : ','}${quoteJson(key)}:${stringify(object[key], below)}`);
  }
  return `${text}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have to be escaped.
const ESCAPED = /["\\\x00-\x1f\ud800-\udfff]/;

/** A text as JSON. */
export function quoteJson(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(escapable(text)) : `"${text}"`;
}

/** A float keeps its point, so that it is read as a float again: `1.0`. */
function floatText(number: number): string {
  if (!Number.isInteger(number)) return String(number);
  const text = Object.is(number, -0) ? '-0' : String(number);
  return text.includes('e') ? text : `${text}.0`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

function countCoordinates(coordinates: Coordinates): void {
  if (typeof coordinates === 'number') return;
  walk.count(coordinates.length);
  coordinates.forEach(countCoordinates);
}

function geoJson(shape: Shape): object {
  if (shape.type !== 'GeometryCollection') {
    countCoordinates(shape.coordinates);
    return { type: shape.type, coordinates: shape.coordinates };
  }
  return { type: shape.type, geometries: shape.geometries.map(geoJson) };
}
