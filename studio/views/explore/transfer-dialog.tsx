/** Import and export of the database, with their progress. */
import { Anchor, Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { download } from '../../base/download.js';
import { hrefOf } from '../../base/route.js';
import { Dialog } from '../../components/dialog.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { describeUser } from '../../connection/viewed-user.js';
import { exportDatabase, importFile, type Progress } from './transfer.js';

interface Properties {
  readonly connection: Connection;
  onImported(): void;
  onClose(): void;
}

type State =
  | { readonly kind: 'idle' | 'done'; readonly text: string }
  | { readonly kind: 'busy'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

export function TransferDialog({ connection, onImported, onClose }: Properties) {
  const { session, viewed } = connection;
  const [state, setState] = useState<State>({ kind: 'idle', text: '' });
  const running = useRef(new AbortController());
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => () => running.current.abort(), []);
  const run = async (doing: string, work: (progress: Progress, signal: AbortSignal) => Promise<string>) => {
    running.current = new AbortController();
    setState({ kind: 'busy', text: `${doing}…` });
    try {
      const done = await work(
        (bytes) => setState({ kind: 'busy', text: `${doing}: ${sizeOf(bytes)}` }),
        running.current.signal,
      );
      setState({ kind: 'done', text: done });
    } catch (error) {
      setState({ kind: 'failed', text: asError(error).message });
    }
  };
  const exportIt = () =>
    run('Exporting', async (progress, signal) => {
      const text = await exportDatabase(session, progress, signal);
      download(text, `${session.namespace}-${session.database}.surql`);
      return `Exported ${sizeOf(text.size)}.`;
    });
  const importIt = (chosen: File) =>
    run('Importing', async (progress, signal) => {
      await importFile(session, chosen, progress, signal);
      onImported();
      return `Imported ${sizeOf(chosen.size)}.`;
    });
  const isDisabled = state.kind === 'busy' || viewed !== undefined;
  return (
    <Dialog title="Import and export" onClose={onClose}>
      {viewed !== undefined && (
        <Notice kind="information">
          You have the view of {describeUser(viewed)}. A whole database is exported and imported with the owner's own
          rights alone: end the view first.
        </Notice>
      )}
      <p>
        The whole database {session.database}, with definitions and records, as a file of SurrealQL statements. An
        import runs the statements of such a file. Rows of CSV and JSON come in by{' '}
        <Anchor href={hrefOf('explore', ['import'])} onClick={onClose}>
          Import rows
        </Anchor>
        .
      </p>
      <Group>
        <Button disabled={isDisabled} onClick={() => void exportIt()}>
          Export
        </Button>
        <Group component="label">
          File to import
          <input ref={file} disabled={isDisabled} type="file" accept=".surql,.surrealql,text/plain" />
        </Group>
        <Button
          disabled={isDisabled}
          onClick={() => {
            const chosen = file.current?.files?.[0];
            if (chosen === undefined) setState({ kind: 'failed', text: 'Choose a file first.' });
            else void importIt(chosen);
          }}
        >
          Import
        </Button>
        {state.kind === 'busy' && <Button onClick={() => running.current.abort()}>Cancel</Button>}
      </Group>
      {state.text !== '' && <Notice kind={state.kind === 'failed' ? 'error' : 'information'}>{state.text}</Notice>}
    </Dialog>
  );
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
