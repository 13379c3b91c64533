/** A folder of a bucket, a page at a time: what is in it is opened, put, and deleted, several at once. */
import { Button, Checkbox, Group } from '@mantine/core';
import { useState } from 'react';
import { formatBytes } from '../../base/format-bytes.js';
import { hrefOf } from '../../base/route.js';
import { Confirmation } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { Field } from '../../components/field.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { PageHeader } from '../../components/page-header.js';
import { Time } from '../../components/time.js';
import { toast } from '../../components/toast.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import type { UsableBucket } from './buckets.js';
import { FolderTrail } from './folder-trail.js';
import { deleteFiles, type Entry, loadEntries, nameOf } from './stored-files.js';
import { UploadArea } from './upload-area.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: string;
  /** Begins and ends with a slash. */
  readonly folder: string;
  /** The media types that the bucket takes, where they are known. */
  readonly types?: readonly string[];
  /** What may be allowed in the bucket, where that is known. */
  readonly may?: UsableBucket['may'];
}

export function FolderPage({ connection, bucket, folder, types = [], may }: Properties) {
  const [prefix, setPrefix] = useState('');
  /** Where the pages before this one have ended. */
  const [starts, setStarts] = useState<readonly string[]>([]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isDeleting, setDeleting] = useState(false);
  const start = starts.at(-1);
  const page = useLoaded(
    () => loadEntries(connection, { bucket, folder, prefix }, start),
    [connection, bucket, folder, prefix, start],
  );
  const turnTo = (changed: readonly string[]) => {
    setStarts(changed);
    setSelected(new Set());
  };
  const select = (key: string, isSelected: boolean) => {
    const others = [...selected].filter((other) => other !== key);
    setSelected(new Set(isSelected ? [...others, key] : others));
  };
  const keys = page.data?.entries.flatMap((entry) => (entry.kind === 'file' ? [entry.key] : [])) ?? [];
  const next = page.data?.next;
  return (
    <section aria-label={`Bucket ${bucket}`}>
      <PageHeader
        title={folder === '/' ? bucket : nameOf(folder).slice(0, -1)}
        {...(folder !== '/' && { description: <FolderTrail bucket={bucket} folder={folder} /> })}
      >
        <Button onClick={page.reload}>Read again</Button>
      </PageHeader>
      {connection.viewed === undefined && may?.put !== false && (
        <UploadArea connection={connection} bucket={bucket} folder={folder} types={types} onStored={page.reload} />
      )}
      <Group align="end" my="md">
        <Field
          label="Names that begin with"
          value={prefix}
          onChange={(typed) => {
            setPrefix(typed);
            turnTo([]);
          }}
        />
        <Button disabled={keys.length === 0} onClick={() => setSelected(new Set(keys))}>
          Select all of this page
        </Button>
        {selected.size > 0 && connection.viewed === undefined && may?.delete !== false && (
          <Button variant="outline" color="red" onClick={() => setDeleting(true)}>
            Delete {selected.size} selected
          </Button>
        )}
      </Group>
      <LoadedContent of={page}>
        {({ entries }) => (
          <DataTable
            caption="Files"
            rows={entries}
            keyOf={({ key }) => key}
            empty={prefix === '' ? 'There are no files here that you may list.' : 'No name begins so.'}
            columns={[
              { title: 'Select', cell: (entry) => <SelectBox entry={entry} selected={selected} onSelect={select} /> },
              { title: 'Name', cell: (entry) => <EntryLink bucket={bucket} entry={entry} /> },
              { title: 'Size', align: 'end', cell: (entry) => entry.kind === 'file' && formatBytes(entry.size) },
              { title: 'Type', cell: (entry) => entry.kind === 'file' && entry.type },
              { title: 'Updated', cell: (entry) => entry.kind === 'file' && <Time at={entry.updated} /> },
              {
                title: 'Owner',
                cell: (entry) => entry.kind === 'file' && entry.owner !== undefined && <Value value={entry.owner} />,
              },
            ]}
          />
        )}
      </LoadedContent>
      {(starts.length > 0 || next !== undefined) && (
        <Group my="md">
          <Button disabled={starts.length === 0} onClick={() => turnTo(starts.slice(0, -1))}>
            Previous page
          </Button>
          <Button disabled={next === undefined} onClick={() => next !== undefined && turnTo([...starts, next])}>
            Next page
          </Button>
        </Group>
      )}
      {isDeleting && (
        <Confirmation
          title={selected.size === 1 ? 'Delete the file?' : `Delete ${selected.size} files?`}
          action="Delete"
          act={async () => {
            await deleteFiles(connection, bucket, [...selected]);
            toast(selected.size === 1 ? 'The file is deleted' : `${selected.size} files are deleted`);
            setSelected(new Set());
            page.reload();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>All of them are deleted, or none if you may not delete one. This can’t be taken back.</p>
          <ul className="names">
            {[...selected].map((key) => (
              <li key={key}>{key}</li>
            ))}
          </ul>
        </Confirmation>
      )}
    </section>
  );
}

interface SelectProperties {
  readonly entry: Entry;
  readonly selected: ReadonlySet<string>;
  onSelect(key: string, isSelected: boolean): void;
}

function SelectBox({ entry: { kind, key }, selected, onSelect }: SelectProperties) {
  if (kind === 'folder') return null;
  return (
    <Checkbox
      aria-label={`Select ${nameOf(key)}`}
      checked={selected.has(key)}
      onChange={(event) => onSelect(key, event.currentTarget.checked)}
    />
  );
}

function EntryLink({ bucket, entry: { kind, key } }: { readonly bucket: string; readonly entry: Entry }) {
  return (
    <a className="entry-name" href={hrefOf('files', [kind === 'folder' ? 'bucket' : 'file', bucket, key])}>
      {nameOf(key)}
    </a>
  );
}
