/** `type::*`: casts, checks of a value's type, and record ids and tables of computed names. */
import { failure, TesseraError } from '../errors/error.js';
import { parseRecordId } from '../language/parse.js';
import { cast } from '../value/cast.js';
import { toBoundedDisplay, toErrorBareText, toErrorText, toText } from '../value/text/text.js';
import type { GeometryType, Type } from '../value/type.js';
import { GEOMETRY_TYPES } from '../value/type.js';
import { typeOf } from '../value/type-of.js';
import {
  Decimal,
  FileReference,
  Geometry,
  isArray,
  type Kind,
  kindOf,
  type Range,
  RecordId,
  type RecordKey,
  SetValue,
  Table,
  type Value,
} from '../value/value.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { IN_PIECES, IN_STEPS, LOOKS, REBUILDS } from './calls/input-limit.js';
import { any, optional, text } from './calls/parameters.js';
import { castAny } from './cast.js';

/** `type::int(x)` is the cast `<int> x`. */
function casts(name: string, type: Type): FunctionRow {
  return define(
    `type::${name}`,
    [any('value')],
    name,
    `Casts a value to ${name}.`,
    (value, context) => castAny(value, type, context),
    IN_PIECES,
  );
}

const CASTS = [
  'bool',
  'bytes',
  'datetime',
  'decimal',
  'duration',
  'float',
  'int',
  'number',
  'range',
  'string',
  'uuid',
] as const;

function checks(name: string, what: string, test: (value: Value) => boolean): FunctionRow {
  return define(`type::is_${name}`, [any('value')], 'bool', `Whether a value is ${what}.`, test, {
    aliases: [`type::is::${name}`],
    ...LOOKS,
  });
}

const ofKind = (name: string, what: string, ...kinds: Kind[]) =>
  checks(name, what, (value) => kinds.includes(kindOf(value)));

const ofShape = (name: GeometryType, what: string) =>
  checks(name, what, (value) => value instanceof Geometry && value.shape.type === GEOMETRY_TYPES[name]);

const checkFunctions: readonly FunctionRow[] = [
  ofKind('array', 'an array', 'array'),
  ofKind('bool', 'a boolean', 'bool'),
  ofKind('bytes', 'bytes', 'bytes'),
  ofShape('collection', 'a collection of geometries'),
  ofKind('datetime', 'a datetime', 'datetime'),
  ofKind('decimal', 'a decimal', 'decimal'),
  ofKind('duration', 'a duration', 'duration'),
  ofKind('float', 'a float', 'float'),
  ofKind('geometry', 'a geometry', 'geometry'),
  ofKind('int', 'an int', 'int'),
  ofShape('line', 'a line'),
  ofShape('multiline', 'several lines'),
  ofShape('multipoint', 'several points'),
  ofShape('multipolygon', 'several polygons'),
  ofKind('none', 'NONE', 'none'),
  ofKind('null', 'NULL', 'null'),
  ofKind('number', 'a number', 'int', 'float', 'decimal'),
  ofKind('object', 'an object', 'object'),
  ofShape('point', 'a point'),
  ofShape('polygon', 'a polygon'),
  ofKind('range', 'a range', 'range'),
  define(
    'type::is_record',
    [any('value'), optional(text('table'))],
    'bool',
    'Whether a value is a record id, of a certain table if one is given.',
    (value, table) => value instanceof RecordId && (table === undefined || value.table === table),
    { aliases: ['type::is::record'], ...LOOKS },
  ),
  ofKind('set', 'a set', 'set'),
  ofKind('string', 'a text', 'string'),
  ofKind('uuid', 'a UUID', 'uuid'),
];

export const typeFunctions: readonly FunctionRow[] = [
  ...CASTS.map((kind) => casts(kind, { kind })),
  casts('array', { kind: 'array' }),
  casts('geometry', { kind: 'geometry', shapes: [] }),
  define('type::point', [any('value')], 'point', 'Casts a value to point.', toPoint, REBUILDS),
  define(
    'type::set',
    [any('value')],
    'set',
    'Makes a set of an array or a set.',
    (value, context) => {
      // Unlike the cast, it takes nothing else.
      if (!isArray(value) && !(value instanceof SetValue)) throw uncastable('set', value);
      return castAny(value, { kind: 'set' }, context);
    },
    IN_STEPS,
  ),
  ...checkFunctions,
  define('type::file', [text('bucket'), text('key')], 'file', 'The file of a bucket with a key.', (bucket, key) =>
    FileReference.of(bucket, key),
  ),
  define('type::of', [any('value')], 'string', 'The name of a value’s type.', typeOf, LOOKS),
  {
    name: 'type::record',
    aliases: ['type::thing'],
    parameters: [any('table'), optional(any('key'))],
    returns: 'record',
    ...REBUILDS,
    description: 'The record id of a table and a key; or the one that a text holds.',
    run: (args) =>
      args.length === 1 && args[0] !== '' ? cast(args[0], RECORD, parseRecordId) : record(args[0], args[1]),
  },
  define(
    'type::string_lossy',
    [any('value')],
    'string',
    'Casts a value to string; bytes that are no UTF-8 become U+FFFD.',
    (value) => (value instanceof Uint8Array ? LOSSY.decode(value) : toBoundedDisplay(value)),
    REBUILDS,
  ),
  define('type::table', [any('value')], 'table', 'The table with a name, or the one of a record id.', (value) => {
    if (value instanceof RecordId) return new Table(value.table);
    if (value instanceof Table) return value;
    if (typeof value === 'string') return new Table(value);
    throw failure('invalid_record_table', { value: errorForm(value) });
  }),
];

const LOSSY = new TextDecoder('utf-8', { ignoreBOM: true });

const POINT: Type = { kind: 'geometry', shapes: ['point'] };

/** As the cast, but its errors name geometries. */
function toPoint(value: Value): Value {
  if (value instanceof Geometry && value.shape.type !== 'Point') throw uncastable('point', value);
  try {
    return cast(value, POINT, parseRecordId);
  } catch (error) {
    throw error instanceof TesseraError ? uncastable('point', value) : error;
  }
}

function uncastable(type: string, value: Value): TesseraError {
  return failure('cannot_cast', { reason: `Could not cast into \`${type}\` using input \`${toErrorText(value)}\`` });
}

function errorForm(value: Value): string {
  return toErrorBareText(value);
}

/** Decimals keep their suffix here, which casts drop. */
function shown(value: Value): string {
  return value instanceof Decimal ? toText(value) : toBoundedDisplay(value);
}

const RECORD: Type = { kind: 'record', tables: [] };

/** What is absent names nothing: `a:NONE` would be one record for all who lack a key. */
function record(table: Value, key: Value): Value {
  if (isAbsent(table)) throw failure('invalid_record_table', { value: errorForm(table) });
  const name = table instanceof Table ? table.name : shown(table);
  if (name === '') throw failure('invalid_record_table', { value: name });
  if (isAbsent(key)) throw failure('invalid_record_key', { value: errorForm(key) });
  return new RecordId(name, keyOf(key));
}

function isAbsent(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

/**
 * What can be a key is one; of a record id it is its key; anything else becomes a text. A text stays one even if it
 * looks like an int.
 */
function keyOf(value: Value): RecordKey | Range {
  if (value instanceof RecordId) return value.key;
  const kind = kindOf(value);
  if (KEY_KINDS.has(kind)) return value as RecordKey | Range;
  const text = toBoundedDisplay(value);
  if (text === '') throw failure('invalid_record_key', { value: text });
  return kind === 'float' ? text.replace(/f$/, '') : text;
}

const KEY_KINDS: ReadonlySet<Kind> = new Set(['int', 'uuid', 'array', 'object', 'range']);
