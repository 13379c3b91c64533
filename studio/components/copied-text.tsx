/** A text to take away, as code, with a button that copies it. */
import { Button, Group, Stack } from '@mantine/core';
import { asError } from '../connection/as-error.js';
import { toast } from './toast.js';

interface Properties {
  readonly title: string;
  readonly text: string;
}

export function CopiedText({ title, text }: Properties) {
  const copy = async () => {
    try {
      // Pages without TLS have no clipboard, but those of this machine.
      if (navigator.clipboard === undefined) throw new Error('The browser allows it with https:// alone');
      await navigator.clipboard.writeText(text);
      toast(`Copied: ${title}`);
    } catch (thrown) {
      toast(`Select the text and copy it. ${asError(thrown).message}`);
    }
  };
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Group justify="space-between">
        <h3>{title}</h3>
        <Button aria-label={`Copy: ${title}`} onClick={() => void copy()}>
          Copy
        </Button>
      </Group>
      <pre>{text}</pre>
    </Stack>
  );
}
