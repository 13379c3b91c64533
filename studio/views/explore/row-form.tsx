/**
 * A form for the fields of a row, new or there already. Values are entered in the editor of their kind, as text, or as SurrealQL, which the
 * server evaluates.
 */
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { FieldInfo } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { topLevel } from './columns.js';
import { type Entry, entryOf, isChanged, typedValueOf } from './entries.js';
import { EntryField } from './entry-field.js';
import type { Content } from './typed-values.js';

interface Properties {
  readonly connection: Connection;
  readonly title: string;
  readonly fields: readonly FieldInfo[];
  /** The row as it is; empty for a new one. */
  readonly content: Content;
  /** Whether the id may be typed. */
  readonly isNew?: boolean;
  /** Further fields that it shall have. */
  readonly names?: readonly string[];
  /** Fields that stay as they are. */
  readonly tooLarge?: readonly string[];
  /** What was changed: values, and the fields that are to have none. */
  onDone(set: Content, unset: readonly string[]): void;
  onClose(): void;
}

export function RowForm(properties: Properties) {
  const { connection, title, fields, content, isNew = false, names = [], tooLarge = [], onDone, onClose } = properties;
  const [initial] = useState(() =>
    entriesOf(fields, content, isNew, names).filter(({ name }) => !tooLarge.includes(name)),
  );
  const [entries, setEntries] = useState(initial);
  const [newName, setNewName] = useState('');
  const [error, setError] = useState('');
  const change = (at: number, changed: Partial<Entry>) =>
    setEntries(entries.map((entry, index) => (index === at ? { ...entry, ...changed } : entry)));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const changed = entries.filter((entry) =>
      isChanged(
        initial.find(({ name }) => name === entry.name),
        entry,
      ),
    );
    try {
      const set = await Promise.all(
        changed
          .filter(({ manner }) => manner !== 'none')
          .map(async (entry) => [entry.name, await typedValueOf(connection, entry)] as const),
      );
      const unset = changed.flatMap(({ manner, name }) => (manner === 'none' ? [name] : []));
      if (changed.length > 0) onDone(Object.fromEntries(set), unset);
      onClose();
    } catch (thrown) {
      setError(asError(thrown).message);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack component="form" onSubmit={submit}>
        {error !== '' && <Notice kind="error">{error}</Notice>}
        {tooLarge.length > 0 && <Notice kind="information">Too large to be edited here: {tooLarge.join(', ')}</Notice>}
        {entries.map((entry, at) => (
          <EntryField
            key={entry.name}
            connection={connection}
            entry={entry}
            onChange={(changed) => change(at, changed)}
          />
        ))}
        <Group align="end">
          <Field label="Another field" value={newName} onChange={setNewName} />
          <Button
            disabled={newName === '' || tooLarge.includes(newName) || entries.some(({ name }) => name === newName)}
            onClick={() => {
              setEntries([...entries, { name: newName, kind: 'any', manner: 'text', text: '', editor: undefined }]);
              setNewName('');
            }}
          >
            Add it
          </Button>
        </Group>
        <Group>
          <Button type="submit" variant="filled">
            Keep
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Text span c="dimmed" size="sm">
            Nothing is saved until you save the changes.
          </Text>
        </Group>
      </Stack>
    </Dialog>
  );
}

function entriesOf(
  fields: readonly FieldInfo[],
  content: Content,
  isNew: boolean,
  others: readonly string[],
): readonly Entry[] {
  const kinds = new Map(topLevel(fields).map(({ name, kind }) => [name, kind]));
  const names = new Set([...(isNew ? ['id'] : []), ...kinds.keys(), ...others, ...Object.keys(content)]);
  if (!isNew) names.delete('id');
  return [...names].map((name) => {
    const kind = kinds.get(name) ?? (name === 'id' ? 'made by the server if there is none' : 'any');
    return { name, kind, ...entryOf(kind, content[name]) };
  });
}
