/**
 * GraphiQL's page in a frame. It is of the same server and tab, so that it reads who is signed in from the tab's sessionStorage; nothing is
 * handed over in an address. Who signs out or in there, does it here as well.
 */
import { useEffect } from 'preact/hooks';
import { signedIn } from '../../../pages/session.js';
import { enter, leave, session } from '../../session/session.js';

export function View() {
  useEffect(() => {
    // The browser tells the other pages of a tab alone about changes of its sessionStorage.
    const follow = () => {
      const now = signedIn();
      if (now === undefined) leave();
      // Most changes are of GraphiQL's own.
      else if (JSON.stringify(now) !== JSON.stringify(session.value)) enter(now);
    };
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);
  return <iframe class="whole" title="GraphiQL" src="/graphql" />;
}
