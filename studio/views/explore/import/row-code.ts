/** Rows of a file as SurrealQL. Nothing of it is evaluated but literals and casts: a hostile text stays a text. */
import { asError } from '../../../connection/as-error.js';
import { textLiteral } from '../../../connection/surrealql.js';
import type { ColumnType, Mapping } from './column-types.js';
import { readValue } from './read-json.js';
import { byJson, type Json, type JsonCases, JsonNumber, type SourceRow } from './source-rows.js';

export interface CellOptions {
  /** Whether an empty cell of a column of texts is an empty text, rather than nothing. */
  readonly keepsEmpty: boolean;
}

/** The values of a row, as code by the names of fields. @throws Error with the column whose value can't be read */
export function fieldsOf(
  row: SourceRow,
  table: string,
  mappings: readonly Mapping[],
  options: CellOptions,
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const mapping of mappings) {
    const value = mapping.field === '' ? undefined : row.cells.get(mapping.column);
    if (value === undefined || isLeftOut(value, mapping, options)) continue;
    const code = mapping.field === 'id' ? idCode(value, mapping.type, table) : valueCode(value, mapping);
    fields.set(mapping.field, code);
  }
  return fields;
}

function isLeftOut(value: Json, { type, takesNull }: Mapping, { keepsEmpty }: CellOptions): boolean {
  return value === null ? !takesNull : value === '' && !(keepsEmpty && type === 'string');
}

/** An object with these values: `{ "name": "Ann" }`. */
export function objectCode(fields: ReadonlyMap<string, string>): string {
  const members = [...fields].map(([name, code]) => `${textLiteral(name)}: ${code}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** The id of a record, given as its key or as a whole. */
function idCode(value: Json, type: ColumnType, table: string): string {
  if (typeof value === 'string' && value.trim().startsWith(`${table}:`)) return cast('record', value.trim());
  if (type === 'record') return recordCode(value, table);
  return `type::record(${textLiteral(table)}, ${valueCode(value, { column: 'id', type, table: '' })})`;
}

function valueCode(value: Json, { column, type, table }: Pick<Mapping, 'column' | 'type' | 'table'>): string {
  if (value === null) return 'NULL';
  if (type === 'record') return recordCode(value, table);
  if (type === 'asIs') return jsonCode(value);
  if (typeof value === 'string') return TEXT_CODE[type](value, column);
  if (type === 'json') return jsonCode(value);
  return value instanceof JsonNumber ? TEXT_CODE[type](value.text, column) : `<${type}> ${jsonCode(value)}`;
}

/** A link by its whole id, or by its key, where its table is known. */
function recordCode(value: Json, table: string): string {
  const text = typeof value === 'string' ? value.trim() : undefined;
  if (text !== undefined && (table === '' || text.includes(':'))) return cast('record', text);
  if (table === '') return `<record> ${jsonCode(value)}`;
  const key = text === undefined ? jsonCode(value) : /^-?(0|[1-9]\d{0,17})$/.test(text) ? text : textLiteral(text);
  return `type::record(${textLiteral(table)}, ${key})`;
}

function cast(type: string, text: string): string {
  return `<${type}> ${textLiteral(text)}`;
}

const trimmed = (type: string) => (text: string) => cast(type, text.trim());

/** The code of a text that is read as a type. */
const TEXT_CODE: Readonly<Record<Exclude<ColumnType, 'record' | 'asIs'>, (text: string, column: string) => string>> = {
  string: textLiteral,
  int: trimmed('int'),
  float: trimmed('float'),
  decimal: trimmed('decimal'),
  bool: (text) => cast('bool', text.trim().toLowerCase()),
  datetime: (text) => cast('datetime', withZone(text.trim())),
  duration: trimmed('duration'),
  uuid: trimmed('uuid'),
  json: (text, column) => {
    try {
      return jsonCode(readValue(text));
    } catch (thrown) {
      throw new Error(`${column}: ${asError(thrown).message}`);
    }
  },
};

/** A date and time as spreadsheets write them, in UTC where no zone is said. */
function withZone(text: string): string {
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  if (day === undefined || time === undefined) return text;
  return `${day}T${time.length === 5 ? `${time}:00` : time}${zone}`;
}

const SMALLEST = -(2n ** 63n);

const CODE: JsonCases<string> = {
  text: textLiteral,
  word: (value) => (value === null ? 'NULL' : String(value)),
  number(text) {
    if (!/^-?\d+$/.test(text)) return cast('float', text);
    const whole = BigInt(text);
    // Larger ones keep their digits as decimals.
    return whole >= SMALLEST && whole < -SMALLEST ? text : cast('decimal', text);
  },
  list: (items) => `[${items.map(jsonCode).join(', ')}]`,
  object: (members) => objectCode(new Map([...members].map(([name, inner]) => [name, jsonCode(inner)]))),
};

/** A JSON value as it is. */
function jsonCode(value: Json): string {
  return byJson(CODE, value);
}
