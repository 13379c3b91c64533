/** The sections of an export, and the options by which a client selects them. */
import { failure } from '../../errors/error.js';
import { isArray, isObject, type Value } from '../../value/value.js';

/** The definitions of a database besides its tables, in the order of an export. */
export const EXPORT_SECTIONS = [
  'users',
  'accesses',
  'params',
  'functions',
  'analyzers',
  'apis',
  'configs',
  'sequences',
  'buckets',
] as const;
export type ExportSection = (typeof EXPORT_SECTIONS)[number];

/** The sections of an export. Default: all, as in the peer; `users: false`, say, omits users. */
export interface ExportSelection extends Readonly<Partial<Record<ExportSection, boolean>>> {
  /** The tables to export, with the definitions on them. */
  readonly tables?: boolean | readonly string[];
  /** The records of these tables. */
  readonly records?: boolean;
  /** The files of the buckets. Default: if buckets and records are exported. */
  readonly files?: boolean;
}

/** Whether the files of buckets are exported. */
export function hasFiles({
  buckets,
  records,
  files = buckets !== false && records !== false,
}: ExportSelection): boolean {
  return files;
}

/**
 * The options of `export()` of the official client; those for parts that Tessera doesn't have are ignored.
 * @throws TesseraError `malformed_request`
 */
export function readExportSelection(options: Value): ExportSelection {
  if (!isObject(options)) throw failure('malformed_request', { reason: 'the options must be an object' });
  const selection: { -readonly [K in keyof ExportSelection]: ExportSelection[K] } = {};
  for (const name of [...EXPORT_SECTIONS, 'records', 'files'] as const) {
    const on = options[name];
    if (on === undefined || on === null) continue;
    if (typeof on !== 'boolean') throw failure('malformed_request', { reason: `\`${name}\` must be a boolean` });
    selection[name] = on;
  }
  const { tables } = options;
  if (tables !== undefined && tables !== null) selection.tables = readTables(tables);
  return selection;
}

function readTables(tables: Value): boolean | readonly string[] {
  if (typeof tables === 'boolean') return tables;
  if (isArray(tables) && tables.every((name) => typeof name === 'string')) return tables;
  throw failure('malformed_request', { reason: '`tables` must be a boolean or a list of names' });
}
