/** Values as expressions that evaluate to them. */
import { geometryFromObject, geometryToObject } from '../value/geometry.js';
import { nextDepth } from '../value/nesting.js';
import type { Coordinates } from '../value/order.js';
import { escapeName } from '../value/text/quote.js';
import { toBoundedText, toText } from '../value/text/text.js';
import {
  FileReference,
  Geometry,
  isArray,
  isObject,
  type Kind,
  kindOf,
  Range,
  RecordId,
  Regex,
  SetValue,
  type Shape,
  Table,
  type Value,
} from '../value/value.js';
import { membersOf } from '../value/walk.js';
import type { Expression } from './ast.js';
import { printExpression } from './print.js';

/**
 * The text of an expression whose value is this one: its literal, but where that would be read as something else. A
 * table's name alone is a field where there is no FROM, and an object that describes a geometry is one when it is
 * written out.
 */
export function valueCode(value: Value): string {
  return hasNoLiteral(value, 0) ? printExpression(codeOf(value)) : toText(value);
}

/** The same for statements, in which it is one step. @throws TesseraError `value_too_large` */
export function boundedValueCode(value: Value): string {
  const text = toBoundedText(value);
  return hasNoLiteral(value, 0) ? printExpression(codeOf(value)) : text;
}

/** The same as syntax tree. */
export function valueExpression(value: Value): Expression {
  return hasNoLiteral(value, 0) ? codeOf(value) : { kind: 'literal', value };
}

function hasNoLiteral(value: Value, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (specialCode(value) !== undefined) return true;
  const members = membersOf(value);
  if (members.length === 0) return false;
  const below = nextDepth(depth);
  return members.some((member) => hasNoLiteral(member, below));
}

/** Call it only for values that aren't nested too deep. */
function codeOf(value: Value): Expression {
  const special = specialCode(value);
  if (special !== undefined) return special;
  if (isArray(value)) return { kind: 'array', items: value.map(codeOf) };
  if (value instanceof SetValue) return { kind: 'set', items: value.items.map(codeOf) };
  if (isObject(value)) {
    return { kind: 'object', entries: Object.entries(value).map(([key, member]) => [key, codeOf(member)] as const) };
  }
  if (value instanceof Range) return rangeCode(value);
  if (value instanceof RecordId && hasNoLiteral(value.key, 0)) return recordCode(value);
  return literal(value);
}

function rangeCode({ start, end }: Range): Expression {
  const from = start?.value instanceof RecordId ? recordCode(start.value) : codeOf(start?.value);
  return {
    kind: 'range',
    ...(start !== undefined && { start: { value: from, inclusive: start.inclusive } }),
    ...(end !== undefined && { end: { value: codeOf(end.value), inclusive: end.inclusive } }),
  };
}

function setCode({ items }: SetValue): Expression {
  return { kind: 'cast', type: { kind: 'set' }, operand: { kind: 'array', items: items.map(codeOf) } };
}

/** The characters of files. */
const PLAIN_BUCKET = /^[\w\-.]+$/;
const PLAIN_FILE = /^[\w\-./]+$/;
/** Regular expressions that can be written between slashes. */
const PLAIN_REGEX = /^[^*\n][^\n]*$/;

/**
 * Whether the literal of a record id is read as one: digits in front of a table's name are a number, and no name holds
 * U+0000.
 */
function isReadBack({ table, key }: RecordId): boolean {
  if (/^\d/.test(table) || table.includes('\0')) return false;
  if (!(key instanceof Range)) return isReadBackAsKey(key);
  return [key.start, key.end].every((bound) => bound === undefined || isReadBackAsKey(bound.value));
}

/** Other values can be the bound of a range of records, but not a key, and are read as text. */
const KINDS_OF_KEYS: ReadonlySet<Kind> = new Set<Kind>(['int', 'string', 'uuid', 'array', 'object']);

function isReadBackAsKey(key: Value): boolean {
  return typeof key === 'string' ? !key.includes('\0') : KINDS_OF_KEYS.has(kindOf(key));
}

/** An empty key is refused by the function, though not where it is written. */
function recordCode({ table, key }: RecordId): Expression {
  if (key !== '') return call('type::record', table, key);
  return { kind: 'cast', type: { kind: 'record', tables: [] }, operand: literal(`${escapeName(table)}:\`\``) };
}

/** The code of a value that is itself without a literal. */
function specialCode(value: Value): Expression | undefined {
  if (value instanceof Table) return call('type::table', value.name);
  if (value instanceof FileReference) {
    const { bucket, key } = value;
    return PLAIN_BUCKET.test(bucket) && PLAIN_FILE.test(key) ? undefined : call('type::file', bucket, key);
  }
  if (value instanceof Regex) {
    return PLAIN_REGEX.test(value.source)
      ? undefined
      : { kind: 'cast', type: { kind: 'regex' }, operand: literal(value.source) };
  }
  // What begins with a name and a colon is an object.
  if (value instanceof SetValue)
    return value.items.some((item) => item instanceof RecordId) ? setCode(value) : undefined;
  // A record id followed by dots is a range of records.
  if (value instanceof Range) return value.start?.value instanceof RecordId ? rangeCode(value) : undefined;
  if (value instanceof RecordId) return isReadBack(value) ? undefined : recordCode(value);
  if (value instanceof Geometry) return hasNegativeZero(value.shape) ? shapeCode(geometryToObject(value)) : undefined;
  const describesGeometry = isObject(value) && geometryFromObject(value) !== undefined;
  return describesGeometry ? call('object::from_entries', Object.entries(value)) : undefined;
}

/** A coordinate is written as an int where it is whole, and among ints there is no -0. */
function hasNegativeZero(shape: Shape): boolean {
  if (shape.type === 'GeometryCollection') return shape.geometries.some(hasNegativeZero);
  const within = (coordinates: Coordinates): boolean =>
    typeof coordinates === 'number' ? Object.is(coordinates, -0) : coordinates.some(within);
  return within(shape.coordinates);
}

/** The object of GeoJSON, of lists and floats. */
function shapeCode(value: Value): Expression {
  if (isArray(value)) return { kind: 'array', items: value.map(shapeCode) };
  if (!isObject(value)) return literal(value);
  return { kind: 'object', entries: Object.entries(value).map(([key, member]) => [key, shapeCode(member)] as const) };
}

function call(path: string, ...args: readonly Value[]): Expression {
  return { kind: 'call', path, args: args.map(codeOf) };
}

function literal(value: Value): Expression {
  return { kind: 'literal', value };
}
