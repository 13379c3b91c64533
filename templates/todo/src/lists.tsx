/** The lists of a user and those that are shared with them, and whom one is shared with. */
import { type FormEvent, useState } from 'react';
import { newId, useLive } from 'tesseradb/react';
import type { List, Person } from './database';
import { takeText } from './form';
import { Tasks } from './tasks';

export function Lists({ user }: { user: Person }) {
  const { rows, status, collection } = useLive<List>('SELECT * FROM list');
  const [chosen, choose] = useState<string>();
  const list = rows.find(({ id }) => String(id) === chosen) ?? rows[0];
  const add = (event: FormEvent<HTMLFormElement>) => {
    const name = takeText(event, 'name');
    const id = newId('list');
    collection.insert({ id, name, members: [], owner: user.id });
    choose(String(id));
  };
  const share = (event: FormEvent<HTMLFormElement>) => {
    const email = takeText(event, 'email').toLowerCase();
    collection.update(String(list?.id), (draft) => {
      draft.members = [...draft.members, email];
    });
  };
  return (
    <main>
      <nav aria-label="Lists">
        {rows.map(({ id, name, owner }) => (
          <button type="button" key={String(id)} aria-current={id === list?.id} onClick={() => choose(String(id))}>
            {name}
            {String(owner) !== String(user.id) && <small> shared with you</small>}
          </button>
        ))}
        <form onSubmit={add}>
          <input name="name" placeholder="New list" aria-label="New list" maxLength={100} required />
        </form>
      </nav>
      {status === 'ready' && list === undefined && <p className="quiet">Name your first list.</p>}
      {list && (
        <section aria-label={list.name}>
          <Tasks list={list.id} />
          <footer>
            {list.members.length > 0 && <p>Shared with {list.members.join(', ')}</p>}
            {String(list.owner) === String(user.id) && (
              <form onSubmit={share}>
                <input name="email" type="email" placeholder="Share with …" aria-label="Share with" required />
              </form>
            )}
          </footer>
        </section>
      )}
    </main>
  );
}
