/** Rows that were refused, as a file of the same format: to be put right, and imported again. */

import { csvOf } from './read-csv.js';
import { jsonOf } from './read-json.js';
import type { Refusal, SourceFormat, SourceRow } from './source-rows.js';

/** The column with the reasons, which an import ignores. */
export const REASON = 'refused because';

export function refusedFile(refused: readonly Refusal[], columns: readonly string[], format: SourceFormat): string {
  if (format === 'csv') {
    const names = columns.filter((column) => column !== REASON);
    const cells = ({ row, reason }: Refusal) => [...names.map((name) => textOfCell(row, name)), reason];
    return csvOf([[...names, REASON], ...refused.map(cells)]);
  }
  const lines = refused.map(({ row, reason }) => jsonOf(new Map([...row.cells, [REASON, reason]])));
  return format === 'json' ? `[\n${lines.join(',\n')}\n]\n` : lines.map((line) => `${line}\n`).join('');
}

function textOfCell(row: SourceRow, column: string): string {
  const cell = row.cells.get(column);
  return typeof cell === 'string' ? cell : '';
}
