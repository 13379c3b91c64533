/** Shows the first rows as they will be stored. */
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { DataTable } from '../../../components/data-table.js';
import { Notice } from '../../../components/notice.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import type { Target } from './import-rows.js';
import { type PreviewCell, type PreviewRow, previewRows } from './preview.js';
import type { SourceRow } from './source-rows.js';

interface Properties {
  readonly connection: Connection;
  readonly target: Target;
  readonly rows: readonly SourceRow[];
}

/** In milliseconds: while one types, nothing is asked. */
const PAUSE = 200;

export function ImportPreview({ connection, target, rows }: Properties) {
  const [{ table, mappings, cells }] = useDebouncedValue(target, PAUSE);
  const preview = useLoaded(
    () => previewRows(connection, table, mappings, rows, cells),
    [connection, table, mappings, rows, cells],
  );
  if (preview.error !== undefined) return <Notice kind="error">{preview.error.message}</Notice>;
  const fields = [...new Set(mappings.map(({ field }) => field).filter((field) => field !== ''))];
  return (
    <DataTable
      caption="The first rows as they will be stored"
      rows={preview.data ?? []}
      empty="No row yet"
      keyOf={({ at }) => at}
      columns={fields.map((field) => ({
        title: field,
        cell: ({ cells }: PreviewRow) => <Cell cell={cells.get(field)} />,
      }))}
    />
  );
}

const LONGEST = 80;

function Cell({ cell }: { readonly cell: PreviewCell | undefined }) {
  if (cell === undefined) return <span className="none">NONE</span>;
  if ('fault' in cell) {
    return (
      <Text span c="red" size="sm">
        {cell.fault}
      </Text>
    );
  }
  return (
    <span className="value one-line">{cell.code.length > LONGEST ? `${cell.code.slice(0, LONGEST)}…` : cell.code}</span>
  );
}
