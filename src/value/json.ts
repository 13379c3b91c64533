/**
 * Values as JSON. What JSON has no form for becomes text as the language prints it: record ids, datetimes (RFC 3339), durations, uuids, ranges,
 * files, regexes, closures. Decimals are text, too, since readers would round numbers; ints beyond 2^53 are plain digits. Bytes are
 * base64, sets are arrays, geometries are GeoJSON. NONE, NaN and the infinities are null. Object keys come in order.
 */
import { type ByKind, byKind } from './by-kind.js';
import { formatDatetime } from './datetime.js';
import { formatDecimal } from './decimal.js';
import { formatDuration } from './duration.js';
import { DEFAULT_LIMITS, type DecodeLimits, deeper } from './nesting.js';
import { sortedKeys } from './strings.js';
import { toDisplay } from './text/text.js';
import { type ArrayValue, float, int, newObject, type ObjectValue, type Shape, type Value } from './value.js';

export { parseJson } from './json-parse.js';

/** The value as JSON text. @throws TesseraError `nesting_too_deep` */
export function stringifyJson(value: Value): string {
  return stringify(value, 0);
}

function stringify(value: Value, depth: number): string {
  if (typeof value === 'string') return quote(value);
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
  string: quote,
  duration: (value) => `"${formatDuration(value)}"`,
  datetime: (value) => `"${formatDatetime(value)}"`,
  uuid: (value) => `"${value.text}"`,
  array: stringifyItems,
  set: (value, depth) => stringifyItems(value.items, depth),
  object: stringifyFields,
  geometry: (value) => JSON.stringify(geoJson(value.shape)),
  bytes: (value) => `"${base64(value)}"`,
  table: (value) => quote(value.name),
  record: (value) => quote(toDisplay(value)),
  file: (value) => quote(toDisplay(value)),
  regex: (value) => quote(toDisplay(value)),
  range: (value) => quote(toDisplay(value)),
  function: (value) => quote(value.text),
};

function stringifyItems(items: ArrayValue, depth: number): string {
  const below = deeper(depth);
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    text += index === 0 ? stringify(items[index], below) : `,${stringify(items[index], below)}`;
  }
  return `${text}]`;
}

function stringifyFields(object: ObjectValue, depth: number): string {
  const below = deeper(depth);
  let text = '{';
  for (const key of sortedKeys(object)) {
    text += `${text.length === 1 ? '' : ','}${quote(key)}:${stringify(object[key], below)}`;
  }
  return `${text}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have to be escaped.
const ESCAPED = /["\\\x00-\x1f\ud800-\udfff]/;

function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
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

function geoJson(shape: Shape): object {
  if (shape.type !== 'GeometryCollection') return { type: shape.type, coordinates: shape.coordinates };
  return { type: shape.type, geometries: shape.geometries.map(geoJson) };
}

/**
 * The value as plain JavaScript that `JSON.stringify` turns into the same JSON, but for ints beyond 2^53: they are texts here. Objects
 * have no prototype.
 */
export function toJson(value: Value): unknown {
  return byKind(PLAIN, value, 0);
}

const asText = (value: Value) => toDisplay(value);

const PLAIN: ByKind<unknown, number> = {
  none: () => null,
  null: () => null,
  bool: (value) => value,
  int: (value) => (typeof value === 'bigint' ? value.toString() : value),
  float: (value) => finite(typeof value === 'number' ? value : value.number),
  decimal: formatDecimal,
  string: (value) => value,
  duration: formatDuration,
  datetime: formatDatetime,
  uuid: (value) => value.text,
  array: plainItems,
  set: (value, depth) => plainItems(value.items, depth),
  object: (value, depth) => {
    const below = deeper(depth);
    const object: Record<string, unknown> = Object.create(null);
    for (const key of sortedKeys(value)) object[key] = byKind(PLAIN, value[key], below);
    return object;
  },
  geometry: (value) => geoJson(value.shape),
  bytes: base64,
  table: (value) => value.name,
  record: asText,
  file: asText,
  regex: asText,
  range: asText,
  function: (value) => value.text,
};

function plainItems(items: ArrayValue, depth: number): unknown[] {
  const below = deeper(depth);
  return items.map((item) => byKind(PLAIN, item, below));
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

/**
 * A value from what `JSON.parse` gives. Whole numbers are ints where they are exact, otherwise floats; `undefined` is NONE. What isn't plain
 * JSON (functions, symbols) is NONE, too.
 * @throws TesseraError `nesting_too_deep`
 */
export function fromJson(json: unknown, limits: DecodeLimits = DEFAULT_LIMITS): Value {
  return read(json, limits.maxDepth, 0);
}

function read(json: unknown, maxDepth: number, depth: number): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'number':
      return Number.isSafeInteger(json) ? json + 0 : float(json);
    case 'bigint':
      return BigInt.asIntN(64, json) === json ? int(json) : float(Number(json));
    case 'object':
      break;
    default:
      return undefined;
  }
  if (json === null) return null;
  const below = deeper(depth, maxDepth);
  if (Array.isArray(json)) return json.map((item) => read(item, maxDepth, below));
  const object = newObject();
  for (const [key, member] of Object.entries(json)) object[key] = read(member, maxDepth, below);
  return object;
}
