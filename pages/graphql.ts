/**
 * The page of `GET /graphql`: an editor for documents, the documentation of the schema, and answers. What it asks goes to the server that it
 * came from, for who signed in above it. It opens once there is a database to ask.
 */
import './page.css';
import './graphql.css';
import { Workbench } from './graphql/workbench.js';
import type { SignedIn } from './session.js';
import { SignIn } from './sign-in.js';

// The Studio says above its frame who is signed in, and where, and has the colours that were chosen there.
if (parent !== window) {
  document.documentElement.classList.add('framed');
  const outer = parent.document.documentElement;
  const follow = () => {
    document.documentElement.style.colorScheme = outer.dataset['mantineColorScheme'] ?? '';
  };
  follow();
  new MutationObserver(follow).observe(outer, { attributeFilter: ['data-mantine-color-scheme'] });
}

const host = document.querySelector('#workbench') as HTMLElement;
let shown: Workbench | undefined;
let place = '';

function show(session: SignedIn | undefined): void {
  const next = session === undefined || session.database === '' ? '' : JSON.stringify(session);
  if (next === place) return;
  place = next;
  shown?.close();
  shown = session === undefined || next === '' ? undefined : new Workbench(host, session, () => signIn.expire());
}

const signIn = new SignIn(document.querySelector('#sign-in') as HTMLElement, show);
