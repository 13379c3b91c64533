/** The history and the saved queries to choose from. */
import { Button, CloseButton, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Field } from '../../components/field.js';
import { toast } from '../../components/toast.js';
import { isKeepable } from './keepable.js';
import { clearHistory, history, removeQuery, savedQueries, saveQuery } from './stored-queries.js';

interface Properties {
  /** The text that is in the editor. */
  readonly text: string;
  onChoose(text: string): void;
}

export function StoredList({ text, onChoose }: Properties) {
  const [name, setName] = useState('');
  const [search, setSearch] = useState('');
  const [, redraw] = useState(0);
  const changed = () => redraw((turn) => turn + 1);
  const found = history().filter((entry) => entry.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <aside className="stored" aria-label="Saved queries and history">
      <details open>
        <summary>Saved queries</summary>
        <Group
          component="form"
          align="end"
          onSubmit={(event) => {
            event.preventDefault();
            saveQuery({ name, text });
            setName('');
          }}
        >
          <Field label="Name" value={name} onChange={setName} />
          <Button type="submit" disabled={name === '' || !isKeepable(text)}>
            Save
          </Button>
        </Group>
        {text !== '' && !isKeepable(text) && (
          <Text c="dimmed" size="sm">
            A query with a secret in it isn’t kept.
          </Text>
        )}
        <ul>
          {savedQueries().map((query) => (
            <Group component="li" key={query.name}>
              <Button variant="subtle" onClick={() => onChoose(query.text)}>
                {query.name}
              </Button>
              <CloseButton
                aria-label={`Remove ${query.name}`}
                onClick={() => {
                  removeQuery(query.name);
                  changed();
                  toast(`Removed ${query.name}`, {
                    undo() {
                      saveQuery(query);
                      changed();
                    },
                  });
                }}
              />
            </Group>
          ))}
        </ul>
      </details>
      <details>
        <summary>History</summary>
        <Field label="Find in the history" value={search} onChange={setSearch} />
        <ul>
          {found.map((entry) => (
            <li key={entry}>
              <Button variant="subtle" onClick={() => onChoose(entry)}>
                <span className="mono">{entry.length > 60 ? `${entry.slice(0, 60)}…` : entry}</span>
              </Button>
            </li>
          ))}
        </ul>
        <Button
          onClick={() => {
            clearHistory();
            changed();
          }}
        >
          Clear the history
        </Button>
      </details>
    </aside>
  );
}
