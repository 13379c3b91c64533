/** Short messages at the edge of the page about what was just done, with a button that takes it back where that can be. */
import { Affix, Button, Group, Notification, Stack } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { Store, useStore } from '../base/store.js';

interface Options {
  /** Takes back what was done. */
  undo?(): void;
}

interface Toast extends Options {
  readonly id: number;
  readonly message: string;
}

/** More than these at once hide the page. */
const MOST = 4;

const shown = new Store<readonly Toast[]>([]);
let last = 0;

export function toast(message: string, options: Options = {}): void {
  shown.value = [...shown.value, { ...options, id: ++last, message }].slice(-MOST);
}

function hide(id: number): void {
  shown.value = shown.value.filter((other) => other.id !== id);
}

/** Where they are shown, once on the page. */
export function Toasts() {
  const toasts = useStore(shown);
  return (
    <Affix position={{ bottom: 16, right: 16 }}>
      <Stack gap="sm">
        {toasts.map((one) => (
          <ToastCard key={one.id} {...one} />
        ))}
      </Stack>
    </Affix>
  );
}

/** It goes by itself, but not while someone points at it. */
function ToastCard({ id, message, undo }: Toast) {
  const close = () => hide(id);
  const { start, clear } = useTimeout(close, undo === undefined ? 4000 : 8000, { autoInvoke: true });
  return (
    <Notification
      role="status"
      withBorder
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
      onClose={close}
      onMouseEnter={clear}
      onMouseLeave={start}
    >
      <Group justify="space-between" wrap="nowrap">
        {message}
        {undo !== undefined && (
          <Button
            variant="subtle"
            onClick={() => {
              close();
              undo();
            }}
          >
            Undo
          </Button>
        )}
      </Group>
    </Notification>
  );
}
