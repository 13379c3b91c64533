/** Where files are dropped or chosen; they are sent one after the other, each with how far it is and why it was refused. */
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { formatBytes } from '../../base/format-bytes.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { fileAddress, send } from './upload.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: string;
  readonly folder: string;
  /** The media types that the bucket takes; none: all. */
  readonly types: readonly string[];
  /** The files with these keys are there now. */
  onStored(keys: readonly string[]): void;
}

interface Sent {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sentBytes: number;
  readonly state: 'waiting' | 'sending' | 'stored' | 'refused';
  readonly reason?: string;
}

let lastId = 0;

export function UploadArea({ connection, bucket, folder, types, onStored }: Properties) {
  const chooser = useRef<HTMLInputElement>(null);
  const [uploads, setUploads] = useState<readonly Sent[]>([]);
  const [replaces, setReplaces] = useState(false);
  const [isOver, setOver] = useState(false);
  const [running, setRunning] = useState<AbortController>();
  // What is being sent ends with the page that shows it.
  useEffect(() => () => running?.abort(), [running]);

  const note = (id: number, changed: Partial<Sent>) =>
    setUploads((last) => last.map((one) => (one.id === id ? { ...one, ...changed } : one)));

  const sendAll = async (files: readonly File[]) => {
    if (files.length === 0 || running !== undefined) return;
    const ending = new AbortController();
    const queue = files.map((content) => ({ id: ++lastId, content }));
    setRunning(ending);
    setUploads(
      queue.map(({ id, content: { name, size } }) => ({ id, name, size, sentBytes: 0, state: 'waiting' as const })),
    );
    const { namespace, database, token } = connection.session;
    const stored: string[] = [];
    for (const { id, content } of queue) {
      note(id, { state: 'sending' });
      try {
        ending.signal.throwIfAborted();
        await send({
          address: fileAddress(namespace, database, bucket, folder + content.name),
          content,
          replaces,
          signal: ending.signal,
          onProgress: (sentBytes) => note(id, { sentBytes }),
          ...(token !== undefined && { token }),
        });
        note(id, { state: 'stored', sentBytes: content.size });
        stored.push(folder + content.name);
      } catch (thrown) {
        note(id, { state: 'refused', reason: ending.signal.aborted ? 'Cancelled' : asError(thrown).message });
      }
    }
    setRunning(undefined);
    onStored(stored);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is what the button within does, too
    <div
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        void sendAll([...event.dataTransfer.files]);
      }}
    >
      <Group>
        <Button variant="filled" disabled={running !== undefined} onClick={() => chooser.current?.click()}>
          Upload files
        </Button>
        {running !== undefined && <Button onClick={() => running.abort()}>Cancel</Button>}
        <Text size="sm" c="dimmed">
          or drop them here
        </Text>
        <Checkbox
          label="Replace files of the same name"
          checked={replaces}
          onChange={(event) => setReplaces(event.currentTarget.checked)}
        />
      </Group>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={types.join(',')}
        aria-label="Files to upload"
        onChange={(event: ChangeEvent<HTMLInputElement>) => {
          const files = [...(event.currentTarget.files ?? [])];
          // So that the same file can be chosen again.
          event.currentTarget.value = '';
          void sendAll(files);
        }}
      />
      {uploads.length > 0 && (
        <ul className="uploads" aria-label="Uploads" aria-live="polite">
          {uploads.map((one) => (
            <li key={one.id}>
              <span className="name">{one.name}</span>
              <UploadState upload={one} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function UploadState({ upload: { name, size, sentBytes, state, reason } }: { readonly upload: Sent }) {
  if (state === 'sending') {
    return <progress aria-label={`Sending ${name}`} max={Math.max(1, size)} value={sentBytes} />;
  }
  if (state === 'refused') return <span className="refused">{reason}</span>;
  return <span>{state === 'stored' ? `Stored, ${formatBytes(size)}` : 'Waiting'}</span>;
}
