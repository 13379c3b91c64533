/** Begins a view: from then on each page shows what the other user would see. */
import { Button, Group, Stack } from '@mantine/core';
import { useId, useState } from 'react';
import { Field, SelectField } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { SuggestionField } from '../../components/suggestion-field.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { loadDefinitions } from '../../connection/definitions.js';
import { useLoaded } from '../../connection/use-loaded.js';
import type { ViewedUser } from '../../connection/viewed-user.js';
import { beginView } from '../../session/begin-view.js';

const KINDS: Readonly<Record<ViewedUser['kind'], string>> = {
  record: 'A record user',
  guest: 'A guest',
  viewer: 'A viewer of the database',
  editor: 'An editor of the database',
};

export function ViewAsForm({ connection }: { readonly connection: Connection }) {
  const [kind, setKind] = useState<ViewedUser['kind']>('record');
  const [record, setRecord] = useState('');
  const [access, setAccess] = useState('');
  const [error, setError] = useState<Error>();
  const accesses = useLoaded(async () => (await loadDefinitions(connection)).ACCESS, [connection]);
  const id = useId();
  const begin = () => {
    const user: ViewedUser = kind === 'record' ? { kind, record, access } : { kind };
    setError(undefined);
    beginView(connection, user).catch((thrown: unknown) => setError(asError(thrown)));
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
          <SelectField label="View as" value={kind} options={KINDS} onChange={setKind} />
          {kind === 'record' && (
            <>
              <Field label="Record" placeholder="person:1" value={record} onChange={setRecord} required />
              <SuggestionField
                label="Signed in by access"
                value={access}
                onChange={setAccess}
                suggestions={(accesses.data ?? []).map(({ name }) => name)}
                required
              />
            </>
          )}
          <Button type="submit" variant="filled">
            Begin the view
          </Button>
        </Group>
        {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      </Stack>
    </section>
  );
}
