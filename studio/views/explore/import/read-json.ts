/** Reads JSON and NDJSON, without a digit of its numbers lost. */
import { asError } from '../../../connection/as-error.js';
import {
  byJson,
  isObject,
  type Json,
  type JsonCases,
  JsonNumber,
  type Refusal,
  type SourceRow,
  type SourceRows,
} from './source-rows.js';

/** How deep values may be in each other. */
const DEEPEST = 100;

/** @throws SyntaxError if it isn't JSON */
export function readJson(text: string): SourceRows {
  const value = readValue(text);
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  return rowsOf(items.map((item, at) => ({ at: at + 1, item })));
}

/** A line that isn't JSON is refused alone. */
export function readNdjson(text: string): SourceRows {
  const items: Item[] = [];
  const refused: Refusal[] = [];
  for (const [number, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = number + 1;
    try {
      items.push({ at, item: readValue(line) });
    } catch (thrown) {
      refused.push({ reason: asError(thrown).message, row: { at, cells: new Map([['line', line]]) } });
    }
  }
  const read = rowsOf(items);
  return { ...read, refused: [...refused, ...read.refused] };
}

interface Item {
  readonly at: number;
  readonly item: Json;
}

function rowsOf(items: readonly Item[]): SourceRows {
  const columns = new Set<string>();
  const rows: SourceRow[] = [];
  const refused: Refusal[] = [];
  for (const { at, item } of items) {
    if (isObject(item)) {
      for (const name of item.keys()) columns.add(name);
      rows.push({ at, cells: item });
    } else refused.push({ reason: 'It is no object', row: { at, cells: new Map([['value', item]]) } });
  }
  return { columns: [...columns], rows, refused };
}

/** @throws SyntaxError if it isn't JSON */
export function readValue(text: string): Json {
  // TypeScript doesn't know yet that a number comes with its text.
  const read: unknown = JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value,
  );
  return treeOf(read, 0);
}

function treeOf(value: unknown, depth: number): Json {
  if (depth > DEEPEST) throw new SyntaxError(`Values are more than ${DEEPEST} deep in each other`);
  if (value instanceof JsonNumber) return value;
  if (Array.isArray(value)) return value.map((inner) => treeOf(inner, depth + 1));
  if (typeof value !== 'object' || value === null) return value as null | boolean | string;
  return new Map(Object.entries(value).map(([name, inner]) => [name, treeOf(inner, depth + 1)]));
}

const AS_JSON: JsonCases<string> = {
  text: (value) => JSON.stringify(value),
  number: (text) => text,
  word: String,
  list: (items) => `[${items.map(jsonOf).join(',')}]`,
  object: (members) => `{${[...members].map(([name, inner]) => `${JSON.stringify(name)}:${jsonOf(inner)}`).join(',')}}`,
};

/** As JSON again. */
export function jsonOf(value: Json): string {
  return byJson(AS_JSON, value);
}
