/** What has been loaded, or that it is being loaded, or why it can't be. */
import type { ReactNode } from 'react';
import type { Loaded } from '../connection/use-loaded.js';
import { Failure } from './failure.js';
import { Loading } from './loading.js';

interface Properties<Data> {
  readonly of: Loaded<Data>;
  /** Who may see it, where not every user may. */
  readonly seenBy?: string;
  children(data: Data): ReactNode;
}

export function LoadedContent<Data>({ of: { data, error }, seenBy, children }: Properties<Data>) {
  return (
    <>
      {error !== undefined && <Failure error={error} {...(seenBy !== undefined && { seenBy })} />}
      {data === undefined ? error === undefined && <Loading /> : children(data)}
    </>
  );
}
