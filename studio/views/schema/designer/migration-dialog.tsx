/**
 * The staged edits as the next migration, to be copied or downloaded, since a page can't write into the folder, and to be run and noted
 * as applied.
 */
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { download } from '../../../base/download.js';
import { CopiedText } from '../../../components/copied-text.js';
import { Dialog } from '../../../components/dialog.js';
import { Failure } from '../../../components/failure.js';
import { Field } from '../../../components/field.js';
import { Notice } from '../../../components/notice.js';
import { toast } from '../../../components/toast.js';
import { asError } from '../../../connection/as-error.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import type { Staged } from './edit-statements.js';
import { applyMigration, loadNext, migrationFiles, titleOf } from './migration.js';

interface Properties {
  readonly connection: Connection;
  readonly staged: Staged;
  /** It was run. */
  onApplied(): void;
  onClose(): void;
}

export function MigrationDialog({ connection, staged, onApplied, onClose }: Properties) {
  const next = useLoaded(() => loadNext(connection), [connection]);
  const [typed, setTyped] = useState<string>();
  const [title, setTitle] = useState(() => titleOf(staged));
  const [failed, setFailed] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const number = typed ?? next.data?.number ?? '';
  const files = migrationFiles(number, title, staged);
  const isNext = files !== undefined && next.data !== undefined && files.up.name > next.data.last;
  const apply = async () => {
    if (files === undefined || next.data === undefined) return;
    setBusy(true);
    setFailed(undefined);
    try {
      await applyMigration(connection, staged, files.up, next.data.applied);
      toast(`Applied ${files.up.name}`);
      onApplied();
    } catch (thrown) {
      setFailed(asError(thrown));
      next.reload();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Save as migration" onClose={onClose}>
      <Stack>
        <p>
          Put the files into the folder of your migrations. Apply them with <code>tessera migrate</code>, here too, or
          press <em>Apply here</em>: it runs them now, and <code>tessera migrate</code> then knows that this database
          has had them.
        </p>
        <Group grow align="start">
          <Field label="Number" hint="Behind the last one that was applied here" value={number} onChange={setTyped} />
          <Field label="Name" hint="Letters, digits, _, - and ." value={title} onChange={setTitle} />
        </Group>
        {files === undefined ? (
          <Notice kind="warning">No file may have this name: a number, then letters such as add_email.</Notice>
        ) : (
          Object.values(files).map(({ name, text }) => (
            <Stack key={name} gap="xs">
              <CopiedText title={name} text={text} />
              <Group>
                <Button onClick={() => download(new Blob([text], { type: 'text/plain' }), name)}>
                  Download {name}
                </Button>
              </Group>
            </Stack>
          ))
        )}
        {failed !== undefined && <Failure error={failed} />}
        <Group justify="end">
          <Button variant="filled" loading={isBusy} disabled={!isNext} onClick={apply}>
            Apply here
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
