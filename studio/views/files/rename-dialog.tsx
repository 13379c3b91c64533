/** Gives a file another key, and so, perhaps, another folder. */
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { go } from '../../base/route.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { renameFile } from './stored-files.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: string;
  /** The key of the file. */
  readonly name: string;
  onClose(): void;
}

export function RenameDialog({ connection, bucket, name, onClose }: Properties) {
  const [target, setTarget] = useState(name);
  const [error, setError] = useState<Error>();
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const key = target.startsWith('/') ? target : `/${target}`;
      await renameFile(connection, bucket, name, key);
      go('files', ['file', bucket, key]);
    } catch (thrown) {
      setError(asError(thrown));
    }
  };
  return (
    <Dialog title="Rename the file" onClose={onClose}>
      <Stack component="form" onSubmit={rename}>
        <Field label="Key" hint="With its folders" value={target} onChange={setTarget} required />
        {error !== undefined && <Notice kind="error">{error.message}</Notice>}
        <Group mt="md">
          <Button type="submit" variant="filled" disabled={target === name}>
            Rename
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
