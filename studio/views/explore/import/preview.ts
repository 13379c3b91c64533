/** The first rows of an import as they will be stored: the server evaluates each value, and says what it can't take. */
import { asError } from '../../../connection/as-error.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import type { Mapping } from './column-types.js';
import { type CellOptions, fieldsOf } from './row-code.js';
import type { SourceRow } from './source-rows.js';

/** What is stored as code, or why it can't be. */
export type PreviewCell = { readonly code: string } | { readonly fault: string };

export interface PreviewRow {
  readonly at: number;
  /** By the names of fields; without those that the row won't have. */
  readonly cells: ReadonlyMap<string, PreviewCell>;
}

const ROWS = 10;

/** @throws Error if the connection is lost, or a text has characters that SurrealQL hasn't */
export async function previewRows(
  source: Pick<StatementSource, 'run'>,
  table: string,
  mappings: readonly Mapping[],
  rows: readonly SourceRow[],
  options: CellOptions,
): Promise<readonly PreviewRow[]> {
  const coded = rows.slice(0, ROWS).map((row) => ({ row, codes: codesOf(row, table, mappings, options) }));
  const statements = coded.flatMap(({ codes }) =>
    codes.flatMap(({ cell }) => ('code' in cell ? [`RETURN value::quote(${cell.code})`] : [])),
  );
  const results = statements.length === 0 ? [] : [...(await source.run(statements.join(';\n')))];
  return coded.map(({ row, codes }) => ({
    at: row.at,
    cells: new Map(
      codes.map(({ field, cell }) => {
        const result = 'code' in cell ? results.shift() : undefined;
        if (result === undefined) return [field, cell];
        return [field, result.ok ? { code: String(result.value) } : { fault: result.error.message }];
      }),
    ),
  }));
}

interface CodedCell {
  readonly field: string;
  readonly cell: PreviewCell;
}

function codesOf(
  row: SourceRow,
  table: string,
  mappings: readonly Mapping[],
  options: CellOptions,
): readonly CodedCell[] {
  return mappings.flatMap((mapping): readonly CodedCell[] => {
    try {
      return [...fieldsOf(row, table, [mapping], options)].map(([field, code]) => ({ field, cell: { code } }));
    } catch (thrown) {
      return [{ field: mapping.field, cell: { fault: asError(thrown).message } }];
    }
  });
}
