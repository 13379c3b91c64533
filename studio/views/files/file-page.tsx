/** One file: what is known of it, what it shows, and what can be done with it. */
import { Anchor, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { formatBytes } from '../../base/format-bytes.js';
import { go } from '../../base/route.js';
import { Confirmation } from '../../components/confirmation.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import { Time } from '../../components/time.js';
import { toast } from '../../components/toast.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import type { UsableBucket } from './buckets.js';
import { FolderTrail } from './folder-trail.js';
import { LinkDialog } from './link-dialog.js';
import { pageAddress } from './page-address.js';
import { Preview } from './preview.js';
import { RenameDialog } from './rename-dialog.js';
import { deleteFiles, folderOf, loadFile, nameOf, type StoredFile } from './stored-files.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: string;
  /** The key of the file. */
  readonly name: string;
  /** What may be allowed in the bucket, where that is known. */
  readonly may?: UsableBucket['may'];
}

export function FilePage({ connection, bucket, name, may }: Properties) {
  const file = useLoaded(() => loadFile(connection, bucket, name), [connection, bucket, name]);
  return (
    <section aria-label={`File ${name}`}>
      <LoadedContent of={file}>
        {(loaded) =>
          loaded === undefined ? (
            <>
              <PageHeader title={nameOf(name)} description={<FolderTrail bucket={bucket} folder={folderOf(name)} />} />
              <Notice kind="information">There is no such file.</Notice>
            </>
          ) : (
            <KnownFile connection={connection} bucket={bucket} file={loaded} may={may} />
          )
        }
      </LoadedContent>
    </section>
  );
}

interface KnownProperties {
  readonly connection: Connection;
  readonly bucket: string;
  readonly file: StoredFile;
  readonly may: UsableBucket['may'] | undefined;
}

function KnownFile({ connection, bucket, file, may }: KnownProperties) {
  const { key, size, type, updated, owner } = file;
  const [doing, setDoing] = useState<'link' | 'rename' | 'delete'>();
  const close = () => setDoing(undefined);
  const address = useLoaded(() => pageAddress(connection, bucket, key), [connection, bucket, key]);
  return (
    <>
      <PageHeader title={nameOf(key)} description={<FolderTrail bucket={bucket} folder={folderOf(key)} />}>
        {address.data !== undefined && (
          <Anchor href={address.data} download={nameOf(key)}>
            Download
          </Anchor>
        )}
        <Button onClick={() => setDoing('link')}>Link</Button>
        {connection.viewed === undefined && may?.rename !== false && (
          <Button onClick={() => setDoing('rename')}>Rename</Button>
        )}
        {connection.viewed === undefined && may?.delete !== false && (
          <Button variant="outline" color="red" onClick={() => setDoing('delete')}>
            Delete
          </Button>
        )}
      </PageHeader>
      <Group gap="xs" mb="md">
        <span>{formatBytes(size)}</span>
        <span>{type}</span>
        <Time at={updated} />
        {owner !== undefined && <Value value={owner} />}
      </Group>
      <LoadedContent of={address}>
        {(shown) => <Preview name={nameOf(key)} type={type} address={shown} />}
      </LoadedContent>
      {doing === 'link' && <LinkDialog connection={connection} bucket={bucket} name={key} onClose={close} />}
      {doing === 'rename' && <RenameDialog connection={connection} bucket={bucket} name={key} onClose={close} />}
      {doing === 'delete' && (
        <Confirmation
          title="Delete the file?"
          action="Delete"
          act={async () => {
            await deleteFiles(connection, bucket, [key]);
            toast('The file is deleted');
            go('files', ['bucket', bucket, folderOf(key)]);
          }}
          onClose={close}
        >
          <p>{key} is deleted. This can’t be taken back.</p>
        </Confirmation>
      )}
    </>
  );
}
