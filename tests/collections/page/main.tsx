/** A page that uses each hook, for `tests/collections/react.test.ts`. */
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  newId,
  type Row,
  Session,
  SessionProvider,
  useLive,
  usePendingWrites,
  useQuery,
  useSession,
} from 'tesseradb/react';

interface Task extends Row {
  text: string;
  done: boolean;
}
const PASSWORD = 'correct horse battery';
const session = new Session({
  url: (import.meta as unknown as { env: { VITE_SERVER: string } }).env.VITE_SERVER,
  namespace: 'test',
  database: 'tasks',
  access: 'account',
});

function Count({ done }: { readonly done: boolean }) {
  const { status, data, error, refresh } = useQuery<number>('RETURN count(SELECT id FROM task WHERE done = $done)', {
    bindings: { done },
  });
  return (
    <p>
      Count: <b>{status === 'ready' ? data : error ? String(error) : status}</b>
      <button type="button" onClick={refresh}>
        Count again
      </button>
    </p>
  );
}

function Tasks({ name, done }: { readonly name: string; readonly done: boolean }) {
  const { rows, status, error, collection } = useLive<Task>('SELECT * FROM task WHERE done = $done', {
    bindings: { done },
    order: (a, b) => b.text.localeCompare(a.text),
  });
  const [refusal, setRefusal] = useState('');
  const add = (text: string) =>
    collection
      .insert({ id: newId('task'), text, done })
      .isPersisted.promise.catch((reason: unknown) => setRefusal(String(reason)));
  return (
    <section aria-label={name}>
      <b>{status === 'ready' ? rows.map(({ text }) => text).join(', ') : error ? String(error) : status}</b>
      <button type="button" onClick={() => add(`${rows.length}`)}>
        Add
      </button>
      <button type="button" onClick={() => add('x'.repeat(30))}>
        Add too much
      </button>
      <p role="alert">{refusal}</p>
    </section>
  );
}

function Work() {
  const [done, setDone] = useState(false);
  const [isSplit, setSplit] = useState(false);
  return (
    <>
      <label>
        <input type="checkbox" checked={done} onChange={() => setDone(!done)} /> done
      </label>
      <label>
        <input type="checkbox" checked={isSplit} onChange={() => setSplit(!isSplit)} /> twice
      </label>
      <Count done={done} />
      <Tasks name="first" done={done} />
      {isSplit && <Tasks name="second" done={done} />}
    </>
  );
}

function App() {
  const { status, user, isConnected, error, signUp, signIn, signOut } = useSession();
  const pending = usePendingWrites();
  const enter = (how: typeof signUp, password = PASSWORD) =>
    how({ email: 'ann@example.com', password }).catch(() => undefined);
  return (
    <>
      <p role="status">
        {status} {String(user?.id.table ?? '')} {isConnected ? 'connected' : 'cut'} {error?.code} {pending}
      </p>
      <button type="button" onClick={() => enter(signUp)}>
        Sign up
      </button>
      <button type="button" onClick={() => enter(signIn)}>
        Sign in
      </button>
      <button type="button" onClick={() => enter(signIn, 'wrong')}>
        Sign in wrongly
      </button>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
      {status === 'signed-in' && <Work />}
    </>
  );
}

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <SessionProvider session={session}>
      <App />
    </SessionProvider>
  </StrictMode>,
);
