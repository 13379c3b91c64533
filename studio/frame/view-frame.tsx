/** Loads the view that the address names, and shows it. An error in it leaves the rest of the page usable. */
import { EmptyState } from '@mantine/core';
import { DatabaseIcon } from '@primer/octicons-react';
import { route } from '../base/route.js';
import { useStore } from '../base/store.js';
import { Loading } from '../components/loading.js';
import { Notice } from '../components/notice.js';
import type { Connection } from '../connection/connection.js';
import { useLoaded } from '../connection/use-loaded.js';
import { ErrorBoundary } from './error-boundary.js';
import { FIRST_VIEW, isOfferedTo, viewNamed } from './views.js';

interface Properties {
  readonly connection: Connection;
}

export function ViewFrame({ connection }: Properties) {
  const { view, path } = useStore(route);
  const name = view || FIRST_VIEW;
  const entry = viewNamed(name);
  const { level, namespace, database } = connection.session;
  if (entry === undefined) return <Notice kind="error">There is no view of this name.</Notice>;
  if (!isOfferedTo(level, entry)) {
    return <Notice kind="information">System users see this page.</Notice>;
  }
  if (entry.needsDatabase && (namespace === '' || database === '')) {
    return (
      <EmptyState
        icon={<DatabaseIcon size={40} />}
        title="Choose a database"
        description="Choose a namespace and a database above, or name new ones: type shop / music, for instance."
      />
    );
  }
  if (entry.usesToken === true && connection.viewed !== undefined) {
    return <Notice kind="information">This page asks as the user who is signed in. End the view to open it.</Notice>;
  }
  return (
    <ErrorBoundary key={name}>
      <LoadedView name={name} path={path} connection={connection} />
    </ErrorBoundary>
  );
}

function LoadedView({
  name,
  path,
  connection,
}: Properties & { readonly name: string; readonly path: readonly string[] }) {
  const { data, error } = useLoaded(async () => viewNamed(name)?.load(), [name]);
  if (error !== undefined) return <Notice kind="error">The view can’t be loaded: {error.message}</Notice>;
  return data === undefined ? <Loading /> : <data.View connection={connection} path={path} />;
}
