/** Loads the view that the address names, and shows it. An error in it leaves the rest of the page usable. */
import { useErrorBoundary } from 'preact/hooks';
import { route } from '../base/route.js';
import { Button } from '../components/button.js';
import { Loading, Notice } from '../components/notice.js';
import type { Connection } from '../connection/connection.js';
import { useLoaded } from '../connection/use-loaded.js';
import { FIRST_VIEW, VIEWS } from './views.js';

interface Properties {
  readonly connection: Connection;
}

export function ViewFrame({ connection }: Properties) {
  const { view, path } = route.value;
  const name = view || FIRST_VIEW;
  const entry = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  const { namespace, database } = connection.session;
  if (entry === undefined) return <Notice kind="error">There is no view of this name.</Notice>;
  if (entry.needsDatabase && (namespace === '' || database === '')) {
    return <Notice kind="information">Choose a namespace and a database above, or name new ones.</Notice>;
  }
  if (entry.usesToken === true && connection.viewed !== undefined) {
    return <Notice kind="information">This page asks as the user who is signed in. End the view to open it.</Notice>;
  }
  return <LoadedView key={name} name={name} path={path} connection={connection} />;
}

function LoadedView({
  name,
  path,
  connection,
}: Properties & { readonly name: string; readonly path: readonly string[] }) {
  const { data, error } = useLoaded(async () => VIEWS[name]?.load(), [name]);
  const [broken, reset] = useErrorBoundary();
  if (error !== undefined) return <Notice kind="error">The view can’t be loaded: {error.message}</Notice>;
  if (broken !== undefined) {
    return (
      <Notice kind="error">
        The view has failed: {String((broken as Error).message)} <Button onClick={reset}>Try again</Button>
      </Notice>
    );
  }
  return data === undefined ? <Loading /> : <data.View connection={connection} path={path} />;
}
