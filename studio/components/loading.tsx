/** Shows that something is being loaded, in about the room that it will take. */
import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

interface Properties {
  readonly what?: string;
  /** Lines of text. */
  readonly lines?: number;
}

export function Loading({ what = 'Loading', lines = 3 }: Properties) {
  return (
    <Stack gap="xs" role="status" py="xs">
      <VisuallyHidden>{what}…</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height="1rem" width={`${[90, 70, 80][line % 3]}%`} />
      ))}
    </Stack>
  );
}
