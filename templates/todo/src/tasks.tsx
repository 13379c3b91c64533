/** The tasks of a list, as they are and as anyone changes them. */
import type { FormEvent } from 'react';
import { newId, useLive } from 'tesseradb/react';
import type { Task } from './database';
import { takeText } from './form';

export function Tasks({ list }: { list: Task['list'] }) {
  const { rows, status, error, collection } = useLive<Task>('SELECT * FROM task WHERE list = $list', {
    bindings: { list },
  });
  const add = (event: FormEvent<HTMLFormElement>) => {
    const text = takeText(event, 'text');
    collection.insert({ id: newId('task'), text, done: false, list });
  };
  if (status === 'error') return <p role="alert">{String(error)}</p>;
  return (
    <>
      <ul>
        {rows.map(({ id, text, done }) => (
          <li key={String(id)}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={() =>
                  collection.update(String(id), (draft) => {
                    draft.done = !done;
                  })
                }
              />
              <span>{text}</span>
            </label>
            <button type="button" aria-label={`Remove ${text}`} onClick={() => collection.delete(String(id))}>
              ×
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={add}>
        <input name="text" placeholder="What is to be done?" aria-label="New task" maxLength={500} required />
      </form>
    </>
  );
}
