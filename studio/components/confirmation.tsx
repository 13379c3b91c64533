/** Asks before something that can't be taken back, does it, and shows why it failed. */
import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { asError } from '../connection/as-error.js';
import { Dialog } from './dialog.js';
import { Notice } from './notice.js';

interface Properties {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The title of the button that does it. */
  readonly action: string;
  act(): Promise<unknown>;
  /** Called when it is done, and when it is not to be done. */
  onClose(): void;
}

export function Confirmation({ title, children, action, act, onClose }: Properties) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const confirm = () => {
    setBusy(true);
    act().then(onClose, (thrown: unknown) => {
      setError(asError(thrown));
      setBusy(false);
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      <Stack>{children}</Stack>
      <Group mt="md">
        <Button variant="filled" color="red" disabled={isBusy} onClick={confirm}>
          {action}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Group>
    </Dialog>
  );
}
