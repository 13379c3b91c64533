/** The users of an app: the records that sign in by an access method, found, viewed as, and signed out. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Field, SelectField } from '../../components/field.js';
import { LoadedContent } from '../../components/loaded-content.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { type AccessMethod, loadAccesses } from './accesses.js';
import { RecordUsersTable } from './record-users-table.js';
import { usersTableOf } from './users-table.js';

export function RecordUsersTab({ connection }: { readonly connection: Connection }) {
  const accesses = useLoaded(
    async () => (await loadAccesses(connection)).filter(({ kind }) => kind.kind === 'RECORD'),
    [connection],
  );
  return (
    <LoadedContent of={accesses}>
      {(loaded) =>
        loaded.length === 0 ? (
          <Text c="dimmed">There is no access method for records in this database. Set up sign-up makes one.</Text>
        ) : (
          <Users connection={connection} accesses={loaded} />
        )
      }
    </LoadedContent>
  );
}

interface Properties {
  readonly connection: Connection;
  readonly accesses: readonly AccessMethod[];
}

function Users({ connection, accesses }: Properties) {
  const [access, setAccess] = useState(accesses[0]?.name ?? '');
  const [table, setTable] = useState(() => tableOf(accesses, access));
  const [typed, setTyped] = useState('');
  const [shown, setShown] = useState({ table, search: '', start: 0 });
  const choose = (name: string) => {
    const found = tableOf(accesses, name);
    setAccess(name);
    setTable(found);
    setShown({ table: found, search: typed, start: 0 });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShown({ table, search: typed, start: 0 });
  };
  return (
    <Stack>
      <Group component="form" align="end" aria-label="Search" onSubmit={submit}>
        <SelectField
          label="Access method"
          value={access}
          options={Object.fromEntries(accesses.map(({ name }) => [name, name]))}
          onChange={choose}
        />
        <Field label="Table of users" value={table} onChange={setTable} required />
        <Field label="Id or e-mail" value={typed} onChange={setTyped} />
        <Button type="submit" variant="filled">
          Search
        </Button>
      </Group>
      {shown.table === '' ? (
        <Text c="dimmed">Its clauses don’t name a table. Write its name above.</Text>
      ) : (
        <RecordUsersTable
          connection={connection}
          access={access}
          {...shown}
          onPage={(start) => setShown({ ...shown, start })}
        />
      )}
    </Stack>
  );
}

function tableOf(accesses: readonly AccessMethod[], access: string): string {
  const kind = accesses.find(({ name }) => name === access)?.kind;
  return kind?.kind === 'RECORD' ? usersTableOf(kind) : '';
}
