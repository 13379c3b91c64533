/** Files: the buckets of a database, the folders and files in each, and each file with what it shows. */
import { EmptyState } from '@mantine/core';
import { FileDirectoryIcon } from '@primer/octicons-react';
import { useState } from 'react';
import './files.css';
import { go } from '../../base/route.js';
import type { ViewProperties } from '../../base/view-properties.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { PageHeader } from '../../components/page-header.js';
import { isSystemLevel } from '../../connection/levels.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { BucketForm } from './bucket-form.js';
import { BucketList } from './bucket-list.js';
import { BucketRules } from './bucket-rules.js';
import { loadBuckets, loadUsableBuckets } from './buckets.js';
import { FilePage } from './file-page.js';
import { FolderPage } from './folder-page.js';
import { folderOf } from './stored-files.js';

/** `files/bucket/covers/%2Falbums%2F` is a folder, `files/file/covers/%2Falbums%2F1.png` a file. */
export function View({ connection, path: [kind, bucket, key = '/'] }: ViewProperties) {
  const isSystemUser = isSystemLevel(connection.session.level);
  const buckets = useLoaded(() => loadUsableBuckets(connection), [connection]);
  const definitions = useLoaded(async () => (isSystemUser ? loadBuckets(connection) : []), [connection]);
  const [isDefining, setDefining] = useState(false);
  const isChosen = bucket !== undefined && (kind === 'bucket' || kind === 'file');
  const shown = buckets.data?.find(({ name }) => name === bucket);
  const definition = definitions.data?.find(({ name }) => name === bucket);
  const define = () => setDefining(true);
  return (
    <div className="files">
      <BucketList buckets={buckets} chosen={bucket} {...(isSystemUser && { onDefine: define })} />
      <div className="shown">
        {isChosen && kind === 'bucket' && (
          <FolderPage
            key={`${bucket} ${key}`}
            connection={connection}
            bucket={bucket}
            folder={folderOf(key)}
            {...(shown !== undefined && { types: shown.types, may: shown.may })}
          />
        )}
        {isChosen && kind === 'file' && (
          <FilePage
            key={`${bucket} ${key}`}
            connection={connection}
            bucket={bucket}
            name={key}
            {...(shown !== undefined && { may: shown.may })}
          />
        )}
        {isChosen && kind === 'bucket' && definition !== undefined && (
          <BucketRules
            key={definition.name}
            connection={connection}
            bucket={definition}
            onChange={() => {
              buckets.reload();
              definitions.reload();
            }}
          />
        )}
        {!isChosen && (
          <>
            <PageHeader title={`Files of ${connection.session.database}`} />
            <LoadedContent of={buckets}>
              {({ length }) => (length > 0 ? <p>Choose a bucket to see its files.</p> : isSystemUser && <NoBuckets />)}
            </LoadedContent>
          </>
        )}
      </div>
      {isDefining && (
        <BucketForm
          connection={connection}
          onClose={() => setDefining(false)}
          onDone={(name) => {
            setDefining(false);
            buckets.reload();
            definitions.reload();
            go('files', ['bucket', name]);
          }}
        />
      )}
    </div>
  );
}

function NoBuckets() {
  return (
    <EmptyState
      icon={<FileDirectoryIcon size={40} />}
      title="There are no buckets yet"
      description="A bucket keeps pictures, documents and recordings next to the records that they belong to, with rules of who may put and get them."
    />
  );
}
