/** A dialog that ends in a statement: a form, or a question, always with the statement that will run. */
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Notice } from '../../components/notice.js';
import type { Connection } from '../../connection/connection.js';
import { useRun } from './use-run.js';

interface Properties {
  readonly title: string;
  readonly connection: Connection;
  /** What will run. */
  readonly statement: string;
  /** Whether something is missing in the form. */
  readonly isIncomplete?: boolean;
  /** What the button says that runs it. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The statement stands in the form itself. */
  readonly isEditor?: boolean;
  readonly children?: ReactNode;
  onClose(): void;
  /** It has run. */
  onDone(): void;
}

export function StatementDialog(properties: Properties) {
  const {
    title,
    connection,
    statement,
    isIncomplete = false,
    action,
    isDangerous = false,
    isEditor = false,
  } = properties;
  const { isRunning, error, run } = useRun(connection, properties.onDone);
  const id = useId();
  return (
    <Dialog title={title} onClose={properties.onClose}>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          run(statement);
        }}
      >
        {properties.children}
        {!isEditor && (
          <section aria-labelledby={id}>
            <h3 id={id}>Statement</h3>
            <pre>{isIncomplete ? '…' : statement}</pre>
          </section>
        )}
        {error !== undefined && <Notice kind="error">{error.message}</Notice>}
        <Group mt="md">
          <Button
            type="submit"
            variant="filled"
            {...(isDangerous && { color: 'red' })}
            disabled={isIncomplete || isRunning}
          >
            {action}
          </Button>
          <Button onClick={properties.onClose}>Cancel</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
