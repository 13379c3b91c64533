/** The whole page: the form to sign in, or the frame with a view, whose code is loaded once somebody is signed in. */
import './appearance.js';
import { lazy, Suspense } from 'react';
import { useStore } from '../base/store.js';
import { Loading } from '../components/loading.js';
import { FirstUserForm, needsSetup } from '../session/first-user-form.js';
import { session } from '../session/session.js';
import { SignInForm } from '../session/sign-in-form.js';

const SignedInApp = lazy(async () => ({ default: (await import('./signed-in-app.js')).SignedInApp }));

export function App() {
  const current = useStore(session);
  const isFresh = useStore(needsSetup);
  if (current === undefined) return isFresh ? <FirstUserForm /> : <SignInForm />;
  return (
    <Suspense fallback={<Loading />}>
      <SignedInApp session={current} />
    </Suspense>
  );
}
