/** GraphiQL's page in a frame. It is of the same server and tab, so that the same user is signed in there. */
import { Loading, Notice } from '../../components/notice.js';
import { useLoaded } from '../../connection/use-loaded.js';

export function View() {
  const { data } = useLoaded(hasGraphiql, []);
  if (data === undefined) return <Loading />;
  if (data) return <iframe class="whole" title="GraphiQL" src="/graphql" />;
  return (
    <Notice kind="information">
      GraphQL is switched off here; tessera start --allow-experimental graphql switches it on.
    </Notice>
  );
}

async function hasGraphiql(): Promise<boolean> {
  const { ok } = await fetch('/graphql', { headers: { accept: 'text/html' }, credentials: 'omit' });
  return ok;
}
