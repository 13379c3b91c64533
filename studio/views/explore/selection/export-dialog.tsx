/** Saves rows as a file, with its progress. */
import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { download } from '../../../base/download.js';
import { Dialog } from '../../../components/dialog.js';
import { SelectField } from '../../../components/field.js';
import { Notice } from '../../../components/notice.js';
import { asError } from '../../../connection/as-error.js';
import type { Connection } from '../../../connection/connection.js';
import { rowsInWords } from '../rows.js';
import { exportRows, FORMAT_TITLES, type Format } from './row-export.js';
import { countSelected, type Place, type SelectedRows } from './selected-rows.js';

interface Properties {
  readonly connection: Connection;
  readonly place: Place;
  readonly selected: SelectedRows;
  readonly matching: number;
  onClose(): void;
}

type Outcome = { readonly kind: 'error' | 'warning' | 'information'; readonly text: string };

export function ExportDialog({ connection, place, selected, matching, onClose }: Properties) {
  const [format, setFormat] = useState<Format>('csv');
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const count = countSelected(selected, matching);
  const run = async () => {
    running.current = new AbortController();
    const progress = (done: number) =>
      setOutcome({ kind: 'information', text: `${done.toLocaleString('en')} of ${rowsInWords(count)}…` });
    setBusy(true);
    try {
      const exported = await exportRows(connection, place, selected, format, {
        progress,
        signal: running.current.signal,
      });
      download(exported.file, `${place.table}.${format}`);
      setOutcome(said(exported));
    } catch (thrown) {
      if (!running.current.signal.aborted) setOutcome({ kind: 'error', text: asError(thrown).message });
      else setOutcome({ kind: 'information', text: 'Cancelled.' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Export ${rowsInWords(count)} of ${place.table}`} onClose={onClose}>
      <Stack>
        <SelectField label="Format" value={format} options={FORMAT_TITLES} disabled={isBusy} onChange={setFormat} />
        {outcome !== undefined && <Notice kind={outcome.kind}>{outcome.text}</Notice>}
        <Group>
          <Button variant="filled" disabled={isBusy} onClick={() => void run()}>
            Save the file
          </Button>
          {isBusy ? (
            <Button onClick={() => running.current.abort()}>Cancel</Button>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

function said({ count, leftOut }: Awaited<ReturnType<typeof exportRows>>): Outcome {
  const text = `${rowsInWords(count)} exported.`;
  if (leftOut.length === 0) return { kind: 'information', text };
  return { kind: 'warning', text: `${text} Too large to be written as SurrealQL: ${leftOut.join(', ')}` };
}
