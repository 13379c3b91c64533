/** The history and the saved queries to choose from. */
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Field } from '../../components/field.js';
import { clearHistory, history, isKeepable, removeQuery, savedQueries, saveQuery } from './stored-queries.js';

interface Properties {
  /** The text that is in the editor. */
  readonly text: string;
  onChoose(text: string): void;
}

export function StoredList({ text, onChoose }: Properties) {
  const [name, setName] = useState('');
  const [, redraw] = useState(0);
  const changed = () => redraw((turn) => turn + 1);
  return (
    <aside class="stored" aria-label="Saved queries and history">
      <details open>
        <summary>Saved queries</summary>
        <form
          class="row fields"
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
        </form>
        {text !== '' && !isKeepable(text) && <p class="hint">A query with a secret in it isn’t kept.</p>}
        <ul>
          {savedQueries().map((query) => (
            <li key={query.name} class="row">
              <Button kind="quiet" onClick={() => onChoose(query.text)}>
                {query.name}
              </Button>
              <Button
                kind="quiet"
                label={`Remove ${query.name}`}
                onClick={() => {
                  removeQuery(query.name);
                  changed();
                }}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      </details>
      <details>
        <summary>History</summary>
        <ul>
          {history().map((entry) => (
            <li key={entry}>
              <Button kind="quiet" onClick={() => onChoose(entry)}>
                <span class="mono">{entry.length > 60 ? `${entry.slice(0, 60)}…` : entry}</span>
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
