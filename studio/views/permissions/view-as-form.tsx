/** Begins a view: from then on each page shows what the other user would see. */
import { Button, Group, Stack } from '@mantine/core';
import { useId, useState } from 'react';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { beginView } from '../../session/begin-view.js';
import { NO_ENTRIES, UserFields, userOf } from './user-fields.js';

interface Properties {
  readonly connection: Connection;
  /** The names of the database's access methods. */
  readonly accesses: readonly string[];
}

export function ViewAsForm({ connection, accesses }: Properties) {
  const [entries, setEntries] = useState(NO_ENTRIES);
  const [error, setError] = useState<Error>();
  const id = useId();
  const begin = () => {
    setError(undefined);
    beginView(connection, userOf(entries)).catch((thrown: unknown) => setError(asError(thrown)));
  };
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>See what another user sees</h2>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          begin();
        }}
      >
        <Group align="end">
          <UserFields label="View as" entries={entries} accesses={accesses} onChange={setEntries} />
          <Button type="submit" variant="filled">
            Begin the view
          </Button>
        </Group>
        {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      </Stack>
    </section>
  );
}
