/** A field for a file of a bucket: what it holds, and where another one is found or uploaded. */
import { Button, Group, Input, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FileRef } from 'surrealdb';
import './files.css';
import { Field, SelectField } from '../../components/field.js';
import { LoadedContent } from '../../components/loaded-content.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { loadUsableBuckets } from './buckets.js';
import { FileCard } from './file-card.js';
import { type Entry, folderOf, loadEntries, nameOf } from './stored-files.js';
import { UploadArea } from './upload-area.js';

interface Properties {
  readonly connection: Connection;
  readonly label: string;
  readonly hint: string;
  /** The names of the buckets that the field takes files of; none: of any. */
  readonly buckets: readonly string[];
  /** The code of its value; empty: none. */
  readonly code: string;
  onChange(code: string): void;
}

export function FilePicker({ connection, label, hint, buckets, code, onChange }: Properties) {
  const [isOpen, setOpen] = useState(false);
  const held = useLoaded(async () => {
    if (code === '') return undefined;
    const [file] = await connection.query<[FileRef]>(`RETURN ${code}`);
    return file;
  }, [connection, code]);
  const choose = async (bucket: string, key: string) => {
    const [chosen] = await connection.query<[string]>('RETURN value::quote(type::file($bucket, $key))', {
      bucket,
      key,
    });
    onChange(chosen);
    setOpen(false);
  };
  return (
    <Input.Wrapper label={label} description={hint} labelElement="div">
      <Stack gap="xs" component="section" aria-label={label}>
        {held.error !== undefined && <Text size="sm">{held.error.message}</Text>}
        {code !== '' && held.data !== undefined && (
          <FileCard connection={connection} bucket={held.data.bucket} name={held.data.key} />
        )}
        <Group gap="xs">
          <Button aria-label={`Choose a file for ${label}`} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {code === '' ? 'Choose a file' : 'Choose another file'}
          </Button>
          {code !== '' && (
            <Button aria-label={`No file for ${label}`} onClick={() => onChange('')}>
              None
            </Button>
          )}
        </Group>
        {isOpen && (
          <BucketFiles
            connection={connection}
            buckets={buckets}
            initial={held.data}
            onChoose={(bucket, key) => void choose(bucket, key)}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

interface BucketFilesProperties {
  readonly connection: Connection;
  readonly buckets: readonly string[];
  /** Where to look first. */
  readonly initial: FileRef | undefined;
  onChoose(bucket: string, key: string): void;
}

function BucketFiles({ connection, buckets, initial, onChoose }: BucketFilesProperties) {
  const known = useLoaded(
    async () => (buckets.length === 0 ? (await loadUsableBuckets(connection)).map(({ name }) => name) : buckets),
    [connection, buckets.join()],
  );
  const [chosen, setChosen] = useState(initial?.bucket);
  const names = known.data ?? [];
  const bucket = chosen ?? names[0] ?? '';
  return (
    <Stack gap="xs" className="file-choice">
      {names.length > 0 ? (
        <SelectField
          label="Bucket"
          value={bucket}
          options={Object.fromEntries(names.map((name) => [name, name]))}
          onChange={setChosen}
        />
      ) : (
        !known.isLoading && <Field label="Bucket" hint="As the app calls it" value={bucket} onChange={setChosen} />
      )}
      {bucket !== '' && (
        <FolderFiles
          key={bucket}
          connection={connection}
          bucket={bucket}
          initialFolder={initial?.bucket === bucket ? folderOf(initial.key) : '/'}
          onChoose={(key) => onChoose(bucket, key)}
        />
      )}
    </Stack>
  );
}

interface FolderFilesProperties {
  readonly connection: Connection;
  readonly bucket: string;
  readonly initialFolder: string;
  onChoose(key: string): void;
}

function FolderFiles({ connection, bucket, initialFolder, onChoose }: FolderFilesProperties) {
  const [folder, setFolder] = useState(initialFolder);
  const [prefix, setPrefix] = useState('');
  const [start, setStart] = useState<string>();
  const [pointed, setPointed] = useState<string>();
  const page = useLoaded(
    () => loadEntries(connection, { bucket, folder, prefix }, start),
    [connection, bucket, folder, prefix, start],
  );
  const open = (entry: Entry) => {
    if (entry.kind === 'file') return onChoose(entry.key);
    setFolder(entry.key);
    setPrefix('');
    setStart(undefined);
  };
  const next = page.data?.next;
  return (
    <>
      <Field
        label={`Names in ${folder} that begin with`}
        value={prefix}
        onChange={(typed) => {
          setPrefix(typed);
          setStart(undefined);
        }}
      />
      <LoadedContent of={page}>
        {({ entries }) => (
          <ul aria-label="Files to choose">
            {folder !== '/' && (
              <li>
                <button type="button" className="text-button" onClick={() => setFolder(folderOf(folder.slice(0, -1)))}>
                  ..
                </button>
              </li>
            )}
            {entries.map((entry) => (
              <li key={entry.key}>
                <button
                  type="button"
                  className="text-button"
                  onClick={() => open(entry)}
                  onFocus={() => setPointed(entry.kind === 'file' ? entry.key : undefined)}
                  onPointerEnter={() => setPointed(entry.kind === 'file' ? entry.key : undefined)}
                >
                  {nameOf(entry.key)}
                </button>
              </li>
            ))}
            {entries.length === 0 && <li className="none">There are no such files that you may list.</li>}
          </ul>
        )}
      </LoadedContent>
      {next !== undefined && <Button onClick={() => setStart(next)}>More files</Button>}
      {pointed !== undefined && <FileCard key={pointed} connection={connection} bucket={bucket} name={pointed} />}
      {connection.viewed === undefined && (
        <UploadArea
          connection={connection}
          bucket={bucket}
          folder={folder}
          types={[]}
          onStored={([first]) => {
            if (first === undefined) page.reload();
            else onChoose(first);
          }}
        />
      )}
    </>
  );
}
