/** The staged edits as the next migration, to be copied or downloaded: a page can't write into the folder. */
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { download } from '../../../base/download.js';
import { CopiedText } from '../../../components/copied-text.js';
import { Dialog } from '../../../components/dialog.js';
import { Field } from '../../../components/field.js';
import { Notice } from '../../../components/notice.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import type { Staged } from './edit-statements.js';
import { loadNextNumber, migrationFiles, titleOf } from './migration.js';

interface Properties {
  readonly connection: Connection;
  readonly staged: Staged;
  onClose(): void;
}

export function MigrationDialog({ connection, staged, onClose }: Properties) {
  const next = useLoaded(() => loadNextNumber(connection), [connection]);
  const [typed, setTyped] = useState<string>();
  const [title, setTitle] = useState(() => titleOf(staged));
  const files = migrationFiles(typed ?? next.data ?? '', title, staged);
  return (
    <Dialog title="Save as migration" onClose={onClose}>
      <Stack>
        <p>
          Put the files into the folder of your migrations and apply them with <code>tessera migrate</code>, here too:
          what is saved in the Studio first, a migration would define a second time.
        </p>
        <Group grow align="start">
          <Field
            label="Number"
            hint="Behind the last one that was applied here"
            value={typed ?? next.data ?? ''}
            onChange={setTyped}
          />
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
      </Stack>
    </Dialog>
  );
}
