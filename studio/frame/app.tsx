/** The whole page: the form to sign in, or the navigation and a view. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { focusView } from '../components/focus-view.js';
import { Loading, Notice } from '../components/notice.js';
import { asError } from '../connection/as-error.js';
import { Connection } from '../connection/connection.js';
import type { ViewedUser } from '../connection/viewed-user.js';
import { FirstUserForm, needsSetup } from '../session/first-user-form.js';
import { leave, type SignedIn, session } from '../session/session.js';
import { SignInForm } from '../session/sign-in-form.js';
import { viewing } from '../session/viewing.js';
import { DatabaseChooser } from './database-chooser.js';
import { Navigation } from './navigation.js';
import { ViewFrame } from './view-frame.js';
import { ViewingBanner } from './viewing-banner.js';

const ENDED = 'Your sign-in has ended. Sign in again.';

export function App() {
  const current = session.value;
  if (current === undefined) return needsSetup.value ? <FirstUserForm /> : <SignInForm />;
  const viewed = viewing.value;
  return <SignedInApp key={JSON.stringify([current, viewed])} session={current} viewed={viewed} />;
}

interface Properties {
  readonly session: SignedIn;
  readonly viewed: ViewedUser | undefined;
}

function SignedInApp({ session: current, viewed }: Properties) {
  const [connection, setConnection] = useState<Connection>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let opened: Connection | undefined;
    let isShown = true;
    const ended = () => {
      if (isShown) leave(ENDED);
    };
    Connection.open(current, { ended, ...(viewed !== undefined && { viewed }) }).then(
      (made) => {
        opened = made;
        if (isShown) setConnection(made);
        else made.close();
      },
      (thrown: unknown) => {
        if (!isShown) return;
        // The server was reached, and didn't take the token.
        if (asError(thrown).name.startsWith('NotAllowed') || /auth|expired/i.test(asError(thrown).message))
          leave(ENDED);
        else setError(asError(thrown));
      },
    );
    return () => {
      isShown = false;
      opened?.close();
    };
  }, [current, viewed]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusView}>
        Skip to the view
      </button>
      <header class="bar">
        <strong class="brand">Tessera</strong>
        <Navigation />
        {connection !== undefined && viewed === undefined && <DatabaseChooser connection={connection} />}
        <div class="row user">
          <span>{current.level === 'guest' ? 'Guest' : current.name}</span>
          <Button onClick={() => leave()}>Sign out</Button>
        </div>
      </header>
      {viewed !== undefined && <ViewingBanner user={viewed} />}
      <main id="view" tabIndex={-1}>
        {error !== undefined && <Notice kind="error">The server can’t be reached: {error.message}</Notice>}
        {connection === undefined ? error === undefined && <Loading /> : <ViewFrame connection={connection} />}
      </main>
    </div>
  );
}
