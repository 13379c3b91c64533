/** What has been loaded, or that it is being loaded, or why it can't be. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../connection/use-loaded.js';
import { Loading, Notice } from './notice.js';

interface Properties<Data> {
  readonly of: Loaded<Data>;
  children(data: Data): ComponentChildren;
}

export function LoadedContent<Data>({ of: { data, error }, children }: Properties<Data>) {
  return (
    <>
      {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      {data === undefined ? error === undefined && <Loading /> : children(data)}
    </>
  );
}
