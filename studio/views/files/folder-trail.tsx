/** The way to a folder: the bucket, and each folder on it as a link. */
import { Anchor, Breadcrumbs } from '@mantine/core';
import { hrefOf } from '../../base/route.js';
import { nameOf } from './stored-files.js';

interface Properties {
  readonly bucket: string;
  /** Begins and ends with a slash. */
  readonly folder: string;
}

export function FolderTrail({ bucket, folder }: Properties) {
  const slashes = [...folder.matchAll(/\//g)].map(({ index }) => index + 1);
  return (
    <Breadcrumbs component="nav" aria-label="Folders" separatorMargin={4}>
      {slashes.map((end) => {
        const key = folder.slice(0, end);
        const name = key === '/' ? bucket : nameOf(key).slice(0, -1);
        return (
          <Anchor key={key} size="sm" href={hrefOf('files', ['bucket', bucket, key])}>
            {name}
          </Anchor>
        );
      })}
    </Breadcrumbs>
  );
}
