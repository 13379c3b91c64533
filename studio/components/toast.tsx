/** A short message at the edge of the page about what was just done, with a button that takes it back where that can be. */
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

interface Options {
  /** Takes back what was done. */
  undo?(): void;
}

export function toast(message: string, { undo }: Options = {}): void {
  const id = notifications.show({
    role: 'status',
    closeButtonProps: { 'aria-label': 'Dismiss' },
    autoClose: undo === undefined ? 4000 : 8000,
    message:
      undo === undefined ? (
        message
      ) : (
        <Group justify="space-between" wrap="nowrap">
          {message}
          <Button
            variant="subtle"
            onClick={() => {
              notifications.hide(id);
              undo();
            }}
          >
            Undo
          </Button>
        </Group>
      ),
  });
}
