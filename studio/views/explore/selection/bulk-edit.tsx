/** Gives one field of all selected rows a value: staged as changes, or saved in one transaction. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useStore } from '../../../base/store.js';
import { Dialog } from '../../../components/dialog.js';
import { Notice } from '../../../components/notice.js';
import { SuggestionField } from '../../../components/suggestion-field.js';
import { toast } from '../../../components/toast.js';
import { asError } from '../../../connection/as-error.js';
import { loadFields } from '../../../connection/catalog.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import { withChange } from '../changes.js';
import { topLevel } from '../columns.js';
import { type Entry, entryOf, mannerOf, typedValueOf } from '../entries.js';
import { EntryField } from '../entry-field.js';
import { pendingChanges } from '../pending-changes.js';
import { rowsInWords } from '../rows.js';
import { type Assignment, updateRows } from './bulk-update.js';
import { countSelected, type Place, type SelectedRows } from './selected-rows.js';

interface Properties {
  readonly connection: Connection;
  readonly place: Place;
  readonly selected: SelectedRows;
  readonly matching: number;
  onSaved(): void;
  onClose(): void;
}

/** Changes that a list shows well. */
const MOST_STAGED = 100;

export function BulkEdit({ connection, place, selected, matching, onSaved, onClose }: Properties) {
  const { table } = place;
  const fields = useLoaded(() => loadFields(connection, table), [connection, table]);
  const pending = pendingChanges(connection);
  const changes = useStore(pending);
  const [name, setName] = useState('');
  const [entry, setEntry] = useState<Entry>();
  /** An empty text is a value as well, but none that one chooses by not typing any. */
  const [isTouched, setTouched] = useState(false);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const known = topLevel(fields.data ?? []).filter((field) => !field.isReadonly && field.name !== 'id');
  const count = countSelected(selected, matching);
  const canStage = !selected.isAll && count <= MOST_STAGED;
  const choose = (chosen: string) => {
    setName(chosen);
    const kind = known.find((field) => field.name === chosen)?.kind ?? 'any';
    const { editor } = entryOf(kind, undefined);
    setEntry({ name: chosen, kind, text: '', editor, manner: editor === undefined ? mannerOf(kind) : 'editor' });
    setTouched(false);
  };
  const perform = async (work: (assignment: Assignment) => Promise<void>) => {
    if (entry === undefined) return;
    setBusy(true);
    setError('');
    try {
      await work({ name, value: entry.manner === 'none' ? undefined : await typedValueOf(connection, entry) });
      onClose();
    } catch (thrown) {
      setError(asError(thrown).message);
      setBusy(false);
    }
  };
  const stage = ({ value }: Assignment) => {
    const change = value === undefined ? { set: {}, unset: [name] } : { set: { [name]: value }, unset: [] };
    pending.value = [...selected.codes].reduce(
      (staged, code) => withChange(staged, { kind: 'update', record: { table, code }, ...change }),
      changes,
    );
    return Promise.resolve();
  };
  const save = async (assignment: Assignment) => {
    const changed = await updateRows(connection, place, selected, matching, assignment);
    toast(`Changed ${rowsInWords(changed)}`);
    onSaved();
  };
  const isDisabled = isBusy || !isTouched || name === '' || name === 'id';
  return (
    <Dialog title={`Edit ${rowsInWords(count)} of ${table}`} onClose={onClose}>
      <Stack
        component="form"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void perform(canStage ? stage : save);
        }}
      >
        {error !== '' && <Notice kind="error">{error}</Notice>}
        <SuggestionField
          label="Field to change"
          value={name}
          suggestions={known.map((field) => field.name)}
          onChange={choose}
        />
        {entry !== undefined && name !== '' && (
          <EntryField
            key={name}
            connection={connection}
            entry={entry}
            onChange={(changed) => {
              setEntry({ ...entry, ...changed });
              setTouched(true);
            }}
          />
        )}
        <Group>
          {canStage && (
            <Button type="submit" variant="filled" disabled={isDisabled}>
              Keep
            </Button>
          )}
          <Button
            {...(!canStage && { type: 'submit', variant: 'filled' })}
            disabled={isDisabled}
            onClick={(event) => {
              event.preventDefault();
              void perform(save);
            }}
          >
            {`Save ${rowsInWords(count)} now`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Group>
        <Text c="dimmed" size="sm">
          {canStage
            ? 'What you keep is saved with your other changes. Saved now, all rows are changed in one transaction, or none.'
            : 'All rows are changed in one transaction, or none. It can’t be undone.'}
        </Text>
      </Stack>
    </Dialog>
  );
}
