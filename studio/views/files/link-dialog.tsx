/** An address of a file that anyone can open, as long as one chooses, to take away. */
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { CopiedText } from '../../components/copied-text.js';
import { Dialog } from '../../components/dialog.js';
import { SelectField } from '../../components/field.js';
import { LoadedContent } from '../../components/loaded-content.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { LIFETIMES, type Lifetime, linkTo } from './stored-files.js';

interface Properties {
  readonly connection: Connection;
  readonly bucket: string;
  /** The key of the file. */
  readonly name: string;
  onClose(): void;
}

export function LinkDialog({ connection, bucket, name, onClose }: Properties) {
  const [lifetime, setLifetime] = useState<Lifetime>('1h');
  const link = useLoaded(() => linkTo(connection, bucket, name, lifetime), [connection, bucket, name, lifetime]);
  return (
    <Dialog title="A link to the file" onClose={onClose}>
      <Stack>
        <SelectField<Lifetime> label="Good for" value={lifetime} options={LIFETIMES} onChange={setLifetime} />
        <p>Anyone with the link gets the file, without signing in.</p>
        <LoadedContent of={link}>
          {(address) => <CopiedText title="Link" text={new URL(address, location.origin).href} />}
        </LoadedContent>
      </Stack>
    </Dialog>
  );
}
