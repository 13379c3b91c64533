/** How the build of an index stands: asked again until it is over. */
import { useEffect } from 'react';
import type { Connection } from '../../connection/connection.js';
import type { Definition } from '../../connection/definitions.js';
import { identifier } from '../../connection/surrealql.js';
import { useLoaded } from '../../connection/use-loaded.js';

/** The `building` of INFO FOR INDEX. */
interface Build {
  readonly status: string;
  /** Records that were read. */
  readonly initial?: number;
  readonly error?: string;
}

const AGAIN_AFTER = 1000;

export function IndexBuild({ connection, index }: { readonly connection: Connection; readonly index: Definition }) {
  const statement = `INFO FOR INDEX ${identifier(index.name)} ON TABLE ${identifier(index.table ?? '')}`;
  const { data, error, reload } = useLoaded(
    async () => (await connection.query<[{ readonly building: Build }]>(statement))[0].building,
    [connection, index],
  );
  useEffect(() => {
    if (data === undefined || !isGoingOn(data)) return;
    const timer = setTimeout(reload, AGAIN_AFTER);
    return () => clearTimeout(timer);
  }, [data, reload]);
  if (error !== undefined) return <span className="failed">{error.message}</span>;
  return data === undefined ? <span>…</span> : <span role="status">{describe(data)}</span>;
}

function isGoingOn({ status }: Build): boolean {
  return status === 'started' || status === 'indexing';
}

function describe({ status, initial, error }: Build): string {
  if (error !== undefined) return `Failed: ${error}`;
  if (status === 'indexing') return `Building: ${initial ?? 0} records read`;
  return status === 'ready' ? 'Ready' : 'Building';
}
