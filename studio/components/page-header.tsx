/** The head of a view's page: its heading, what is said about it, and its actions at the right. */
import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Properties {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  /** Buttons and links. */
  readonly children?: ReactNode;
}

export function PageHeader({ title, description, children }: Properties) {
  return (
    <Group component="header" justify="space-between" align="start" mb="md">
      <Stack gap={2} miw={0}>
        <h1>{title}</h1>
        {description !== undefined && (
          <Text c="dimmed" size="sm">
            {description}
          </Text>
        )}
      </Stack>
      {children !== undefined && (
        <Group className="page-actions" gap="xs" align="end">
          {children}
        </Group>
      )}
    </Group>
  );
}
