/** How many rows are selected, and what can be done with them. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirmation } from '../../../components/confirmation.js';
import { focusView } from '../../../components/focus-view.js';
import { toast } from '../../../components/toast.js';
import { asError } from '../../../connection/as-error.js';
import type { Connection } from '../../../connection/connection.js';
import { rowsInWords } from '../rows.js';
import { BulkEdit } from './bulk-edit.js';
import { deleteRows } from './deletion.js';
import { ExportDialog } from './export-dialog.js';
import { ALL_ROWS, countSelected, NO_ROWS, type Place, type SelectedRows } from './selected-rows.js';

interface Properties {
  readonly connection: Connection;
  readonly place: Place;
  readonly selected: SelectedRows;
  /** How many rows match. */
  readonly matching: number;
  onSelect(selected: SelectedRows): void;
  /** After rows were changed or deleted. */
  onSaved(): void;
}

type Action = 'delete' | 'edit' | 'export';

export function SelectionBar({ connection, place, selected, matching, onSelect, onSaved }: Properties) {
  const [action, setAction] = useState<Action>();
  const count = countSelected(selected, matching);
  if (count === 0) return null;
  const close = () => setAction(undefined);
  const clear = () => {
    onSelect(NO_ROWS);
    focusView();
  };
  const remove = async () => {
    const deletion = await deleteRows(connection, place, selected, matching);
    clear();
    onSaved();
    toast(`Deleted ${rowsInWords(deletion.count)}`, {
      ...(deletion.undo !== undefined && { undo: () => void putBack(deletion.undo, onSaved) }),
    });
  };
  const isReadOnly = connection.viewed !== undefined;
  return (
    <section className="selection" aria-label="Selected rows">
      <Text role="status" fw={600}>
        {inWords(selected, count, matching)}
      </Text>
      {!selected.isAll && count < matching && (
        <Button variant="subtle" onClick={() => onSelect(ALL_ROWS)}>
          Select all {matching.toLocaleString('en')} that match
        </Button>
      )}
      <Group gap="xs">
        <Button disabled={isReadOnly} onClick={() => setAction('edit')}>
          Edit
        </Button>
        <Button onClick={() => setAction('export')}>Export</Button>
        <Button variant="outline" color="red" disabled={isReadOnly} onClick={() => setAction('delete')}>
          Delete
        </Button>
        <Button variant="subtle" onClick={clear}>
          Clear
        </Button>
      </Group>
      {action === 'delete' && (
        <Confirmation
          title={`Delete ${rowsInWords(count)} of ${place.table}?`}
          action={`Delete ${rowsInWords(count)}`}
          act={remove}
          onClose={close}
        >
          <p>
            {selected.isAll && 'These are all rows that match, also those that you haven’t seen. '}
            They are deleted in one transaction, with the edges that lead from or to them; if one can’t be, none is.
          </p>
        </Confirmation>
      )}
      {action === 'export' && <ExportDialog {...{ connection, place, selected, matching }} onClose={close} />}
      {action === 'edit' && (
        <BulkEdit {...{ connection, place, selected, matching }} onSaved={onSaved} onClose={close} />
      )}
    </section>
  );
}

function inWords({ isAll, codes }: SelectedRows, count: number, matching: number): string {
  if (!isAll) return `${rowsInWords(count)} selected`;
  if (codes.size > 0)
    return `${rowsInWords(count)} selected: all ${matching.toLocaleString('en')} that match but ${codes.size}`;
  return `All ${rowsInWords(count)} that match are selected, also those that aren’t loaded`;
}

async function putBack(undo: (() => Promise<void>) | undefined, onDone: () => void): Promise<void> {
  try {
    await undo?.();
    toast('The rows are back');
    onDone();
  } catch (thrown) {
    toast(`Nothing was put back. ${asError(thrown).message}`);
  }
}
