/** Rows as a file: CSV, JSON, or SurrealQL that makes the same rows again. They are read in batches, in the order of their ids. */
import { columnsOf, type GridRow } from '../../../components/grid-columns.js';
import { csvLine, csvRow, jsonText } from '../../../components/row-text.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import { identifier } from '../../../connection/surrealql.js';
import { pageStatement } from '../rows.js';
import { filterOf, type Place, type SelectedRows, targetOf, withRows } from './selected-rows.js';

export type Format = 'csv' | 'json' | 'surql';

export const FORMAT_TITLES: Readonly<Record<Format, string>> = {
  csv: 'CSV, for spreadsheets',
  json: 'JSON',
  surql: 'SurrealQL, which keeps type and bits of every value',
};

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  surql: 'text/plain',
};

export interface Exported {
  readonly file: Blob;
  readonly count: number;
  /** The codes of rows that are too large to be written as SurrealQL. */
  readonly leftOut: readonly string[];
}

interface Options {
  /** Called with the rows so far. */
  progress(count: number): void;
  readonly signal: AbortSignal;
}

const BATCH = 200;

/** @throws Error with what the server refuses, or when it is cancelled */
export async function exportRows(
  source: StatementSource,
  place: Place,
  selected: SelectedRows,
  format: Format,
  { progress, signal }: Options,
): Promise<Exported> {
  const writer = WRITERS[format](place.table);
  let count = 0;
  for await (const statement of batches(source, place, selected)) {
    signal.throwIfAborted();
    count += await writer.write(source, statement);
    progress(count);
  }
  const parts = writer.end();
  return { file: new Blob([...parts], { type: MEDIA_TYPES[format] }), count, leftOut: writer.leftOut };
}

/** Statements that read the rows of one batch after another. */
async function* batches(source: StatementSource, place: Place, selected: SelectedRows): AsyncGenerator<string, void> {
  if (!selected.isAll) {
    const codes = [...selected.codes];
    for (let at = 0; at < codes.length; at += BATCH) {
      const batch = withRows({ isAll: false, codes: new Set() }, codes.slice(at, at + BATCH), true);
      yield `SELECT * FROM ${targetOf(place, batch)}`;
    }
    return;
  }
  const selection = { table: place.table, filter: filterOf(place, selected) };
  let before: string | undefined;
  for (let number = 0; ; number++) {
    const statement = pageStatement(selection, { number, size: BATCH, before });
    const [codes] = await source.query<[readonly string[]]>(`RETURN (${statement}).map(|$row| value::quote($row.id))`);
    if (codes.length > 0) yield statement;
    if (codes.length < BATCH) return;
    before = codes.at(-1);
  }
}

interface Writer {
  readonly leftOut: readonly string[];
  /** Writes the rows that a statement reads; gives how many these are. */
  write(source: StatementSource, statement: string): Promise<number>;
  /** What was written. */
  end(): readonly string[];
}

const WRITERS: Readonly<Record<Format, (table: string) => Writer>> = {
  csv: () => new CsvWriter(),
  json: () => new JsonWriter(),
  surql: (table) => new StatementWriter(table),
};

/** Their ids are texts, as the server writes them: some keys are of kinds that a page doesn't know. */
async function readRows(source: StatementSource, statement: string): Promise<readonly GridRow[]> {
  const [, rows, ids] = await source.query<[null, readonly GridRow[], readonly string[]]>(
    `LET $rows = (${statement}); RETURN $rows; RETURN $rows.map(|$row| value::quote($row.id))`,
  );
  return rows.map((row, at) => ({ ...row, id: ids[at] }));
}

/** Rows of later batches may have further columns, which the lines before end without. */
class CsvWriter implements Writer {
  readonly leftOut = [];
  readonly #columns = new Set(['id']);
  readonly #batches: { readonly lines: readonly string[]; readonly width: number }[] = [];

  async write(source: StatementSource, statement: string): Promise<number> {
    const rows = await readRows(source, statement);
    for (const name of columnsOf(rows)) this.#columns.add(name);
    const columns = [...this.#columns];
    this.#batches.push({ lines: rows.map((row) => csvRow(columns, row)), width: columns.length });
    return rows.length;
  }

  end(): readonly string[] {
    const columns = [...this.#columns];
    const lines = this.#batches.flatMap(({ lines, width }) => {
      const missing = ','.repeat(columns.length - width);
      return lines.map((line) => `${line}${missing}\r\n`);
    });
    return [`${csvLine(columns)}\r\n`, ...lines];
  }
}

class JsonWriter implements Writer {
  readonly leftOut = [];
  readonly #rows: string[] = [];

  async write(source: StatementSource, statement: string): Promise<number> {
    const rows = await readRows(source, statement);
    for (const row of rows) this.#rows.push(jsonText(row, 0));
    return rows.length;
  }

  end(): readonly string[] {
    return ['[\n', this.#rows.join(',\n'), '\n]\n'];
  }
}

/** A row as the server writes it, and whether it is an edge. */
type WrittenRow = readonly [code: string, isEdge: boolean];

class StatementWriter implements Writer {
  readonly leftOut: string[] = [];
  readonly #table: string;
  /** With OPTION IMPORT no event is called, and no field computed again. */
  readonly #parts = ['OPTION IMPORT;\n'];

  constructor(table: string) {
    this.#table = table;
  }

  async write(source: StatementSource, statement: string): Promise<number> {
    const rows = await this.#read(source, statement);
    for (const isEdge of [false, true]) {
      const codes = rows.filter((row) => row[1] === isEdge).map(([code]) => code);
      if (codes.length === 0) continue;
      const insert = isEdge ? 'INSERT RELATION INTO' : 'INSERT INTO';
      this.#parts.push(`${insert} ${identifier(this.#table)} [\n  ${codes.join(',\n  ')}\n] RETURN NONE;\n`);
    }
    return rows.length;
  }

  async #read(source: StatementSource, statement: string): Promise<readonly WrittenRow[]> {
    const [, written] = await source.run(`LET $rows = (${statement}); RETURN $rows.map(|$row| ${WRITTEN})`);
    if (written?.ok === true) return written.value as readonly WrittenRow[];
    // One of them is too large to be written.
    const [codes] = await source.query<[readonly string[]]>(`RETURN (${statement}).map(|$row| value::quote($row.id))`);
    const rows = await source.run(
      codes.map((code) => `RETURN (SELECT * FROM ${code}).map(|$row| ${WRITTEN})[0]`).join(';'),
    );
    return rows.flatMap((row, at) => {
      if (row.ok) return [row.value as WrittenRow];
      this.leftOut.push(codes[at] as string);
      return [];
    });
  }

  end(): readonly string[] {
    return this.#parts;
  }
}

/** A record of a table of any kind is an edge if it is one of those that begin where it does. */
const WRITTEN = `[value::quote($row),
  type::is_record($row.in) AND type::is_record($row.out) AND $row.id IN $row.in->?]`;
