/** What became of the rows: how many are stored, and which were refused for what reason. */
import { Anchor, Button, Group, Stack } from '@mantine/core';
import { download } from '../../../base/download.js';
import { hrefOf } from '../../../base/route.js';
import { DataTable } from '../../../components/data-table.js';
import { Notice } from '../../../components/notice.js';
import { rowsInWords } from '../rows.js';
import type { Imported } from './import-rows.js';
import { refusedFile } from './refused-rows.js';
import type { SourceFormat } from './source-rows.js';

interface Properties {
  readonly table: string;
  readonly imported: Imported;
  /** Whether it was cancelled before the end. */
  readonly isPartial: boolean;
  readonly columns: readonly string[];
  readonly format: SourceFormat;
}

/** Reasons that are shown. The file has all. */
const SHOWN = 100;

export function ImportOutcome({ table, imported, isPartial, columns, format }: Properties) {
  const { refused } = imported;
  const save = () => {
    const content = new Blob([refusedFile(refused, columns, format)], { type: 'text/plain' });
    download(content, `${table}-refused.${format}`);
  };
  return (
    <Stack component="section" aria-label="What was imported">
      <Notice kind={refused.length > 0 || isPartial ? 'warning' : 'information'}>
        {isPartial && 'Cancelled: what was stored until then stays. '}
        {importedInWords(imported)}
      </Notice>
      <Group>
        <Anchor href={hrefOf('explore', ['table', table])}>Show the rows of {table}</Anchor>
        {refused.length > 0 && <Button onClick={save}>Download the refused rows</Button>}
      </Group>
      {refused.length > 0 && (
        <DataTable
          caption="Rows that were refused"
          rows={refused.slice(0, SHOWN)}
          keyOf={({ row }) => row.at}
          columns={[
            { title: 'In the file', cell: ({ row }) => row.at.toLocaleString('en'), align: 'end' },
            { title: 'Reason', cell: ({ reason }) => <span className="message">{reason}</span> },
          ]}
        />
      )}
    </Stack>
  );
}

export function importedInWords({ stored, skipped, refused }: Imported): string {
  const parts = [
    `${rowsInWords(stored)} stored`,
    ...(skipped > 0 ? [`${skipped.toLocaleString('en')} skipped`] : []),
    ...(refused.length > 0 ? [`${refused.length.toLocaleString('en')} refused`] : []),
  ];
  return `${parts.join(', ')}.`;
}
