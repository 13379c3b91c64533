/** The rows of a file before they are mapped: texts, as CSV has them, and JSON values, whose numbers stay as they were written. */

/** A number of JSON as it was written: the page's own would lose digits. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** Objects are maps: a field may have any name. */
export type Json = null | boolean | string | JsonNumber | JsonList | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;
export type JsonList = readonly Json[];

/** A result for each kind of JSON value. */
export interface JsonCases<Result> {
  text(value: string): Result;
  number(text: string): Result;
  list(items: JsonList): Result;
  object(members: JsonObject): Result;
  /** `null`, `true` or `false`. */
  word(value: null | boolean): Result;
}

export function byJson<Result>(cases: JsonCases<Result>, value: Json): Result {
  if (typeof value === 'string') return cases.text(value);
  if (value instanceof JsonNumber) return cases.number(value.text);
  if (value === null || typeof value === 'boolean') return cases.word(value);
  return isObject(value) ? cases.object(value) : cases.list(value);
}

export function isObject(value: Json): value is JsonObject {
  return value instanceof Map;
}

export interface SourceRow {
  /** The number of the row in CSV, of the line in NDJSON, of the item in JSON; counted from one. */
  readonly at: number;
  /** By the names of columns. In CSV all are texts. */
  readonly cells: ReadonlyMap<string, Json>;
}

/** A row that can't be stored, and why. */
export interface Refusal {
  readonly reason: string;
  readonly row: SourceRow;
}

export interface SourceRows {
  readonly columns: readonly string[];
  readonly rows: readonly SourceRow[];
  readonly refused: readonly Refusal[];
}

export type SourceFormat = 'csv' | 'json' | 'ndjson';

export const SOURCE_FORMATS: Readonly<Record<SourceFormat, string>> = {
  csv: 'CSV',
  json: 'JSON: a list of objects',
  ndjson: 'NDJSON: an object on each line',
};

/** The format of a text, by its beginning. */
export function formatOf(text: string): SourceFormat {
  const start = text.slice(0, 10_000).trimStart();
  if (start.startsWith('[')) return 'json';
  if (!start.startsWith('{')) return 'csv';
  const [first = ''] = text.trim().split('\n', 1);
  return first.trimEnd().endsWith('}') && first.length < text.trim().length ? 'ndjson' : 'json';
}
