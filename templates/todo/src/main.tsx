/** The page: who is signed in, their lists, and the tasks of one of them. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Session, SessionProvider, usePendingWrites, useSession } from 'tesseradb/react';
import type { Person } from './database';
import { Lists } from './lists';
import { SignIn } from './sign-in';

const session = new Session<Person>({
  url: import.meta.env.VITE_SERVER ?? 'http://127.0.0.1:8000',
  namespace: 'main',
  database: 'main',
  access: 'account',
  offline: { receipts: 'receipt' },
});

function App() {
  const { status, user, isConnected, signOut } = useSession<Person>();
  const pending = usePendingWrites();
  if (status === 'loading') return <p className="quiet">One moment …</p>;
  if (user === undefined) return <SignIn />;
  const saved = pending === 0 ? 'Saved' : 'Saving …';
  const unsent = pending === 0 ? 'No connection' : `No connection, ${pending} to save`;
  return (
    <>
      <header>
        <h1>Tasks</h1>
        <p role="status">{isConnected ? saved : unsent}</p>
        <span>{user.email}</span>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      <Lists user={user} />
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
