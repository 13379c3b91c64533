/**
 * The page of GraphQL in a frame. It is of the same server and tab, so that it reads who is signed in from the tab's sessionStorage; nothing is
 * handed over in an address. Who signs out or in there, does it here as well.
 */
import { useEffect } from 'react';
import { signedIn } from '../../../pages/session.js';
import { Loading } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { hasGraphqlPage } from '../../connection/graphql-page.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { enter, leave, session } from '../../session/session.js';

export function View() {
  const { data } = useLoaded(hasGraphqlPage, []);
  useEffect(() => {
    // The browser tells the other pages of a tab alone about changes of its sessionStorage.
    const follow = () => {
      const now = signedIn();
      if (now === undefined) leave();
      // Most changes are of what is written there.
      else if (JSON.stringify(now) !== JSON.stringify(session.value)) enter(now);
    };
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);
  if (data === undefined) return <Loading />;
  if (data) return <iframe className="whole" title="GraphQL" src="/graphql" />;
  return (
    <Notice kind="information">
      GraphQL is switched off here; tessera start --allow-experimental graphql switches it on.
    </Notice>
  );
}
