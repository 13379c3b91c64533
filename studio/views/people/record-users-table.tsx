/** A page of record users, with what an owner does about each. */
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Confirmation } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import { toast } from '../../components/toast.js';
import { Value } from '../../components/value.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { beginView } from '../../session/begin-view.js';
import { loadRecordUsers, PAGE, type RecordUser } from './record-users.js';

interface Properties {
  readonly connection: Connection;
  /** By which they sign in. */
  readonly access: string;
  readonly table: string;
  readonly search: string;
  /** How many users are before the page. */
  readonly start: number;
  onPage(start: number): void;
}

export function RecordUsersTable({ connection, access, table, search, start, onPage }: Properties) {
  const users = useLoaded(() => loadRecordUsers(connection, table, search, start), [connection, table, search, start]);
  const [leaving, setLeaving] = useState<RecordUser>();
  const [error, setError] = useState('');
  const view = async ({ id }: RecordUser) => {
    setError('');
    try {
      await beginView(connection, { kind: 'record', record: id.toString(), access });
    } catch (thrown) {
      setError(asError(thrown).message);
    }
  };
  const actions = (user: RecordUser) => (
    <Group wrap="nowrap">
      {connection.viewed === undefined && (
        <Button aria-label={`View as ${user.id}`} onClick={() => void view(user)}>
          View as
        </Button>
      )}
      <Button variant="outline" color="red" aria-label={`Sign out ${user.id}`} onClick={() => setLeaving(user)}>
        Sign out everywhere
      </Button>
    </Group>
  );
  return (
    <>
      {error !== '' && <Notice kind="error">{error}</Notice>}
      <LoadedContent of={users}>
        {(loaded) => (
          <>
            <DataTable
              caption="Record users"
              rows={loaded.slice(0, PAGE)}
              keyOf={({ id }) => id.toString()}
              empty={search === '' ? 'There are no users yet' : 'No such users'}
              columns={[
                { title: 'Record', cell: ({ id }) => <Value value={id} /> },
                { title: 'E-mail', cell: ({ email }) => (typeof email === 'string' ? email : '') },
                { title: 'Sessions', align: 'end' as const, cell: ({ sessions }) => sessions },
                { title: 'Last active', cell: ({ active }) => (active === undefined ? '' : <Time at={active} />) },
                { title: 'Actions', cell: actions },
              ]}
            />
            <Group>
              {start > 0 && <Button onClick={() => onPage(Math.max(0, start - PAGE))}>Previous</Button>}
              {loaded.length > PAGE && <Button onClick={() => onPage(start + PAGE)}>Next</Button>}
              <Button onClick={users.reload}>Load again</Button>
            </Group>
          </>
        )}
      </LoadedContent>
      {leaving !== undefined && (
        <Confirmation
          title={`Sign out ${leaving.id} everywhere?`}
          action="Sign out everywhere"
          act={async () => {
            await connection.query('KILL SESSIONS FOR RECORD $record', { record: leaving.id });
            toast(`Signed out: ${leaving.id}`);
          }}
          onClose={() => {
            setLeaving(undefined);
            users.reload();
          }}
        >
          <p>The sessions of this user end, and their tokens are revoked. This runs:</p>
          <pre>{`KILL SESSIONS FOR RECORD ${leaving.id}`}</pre>
        </Confirmation>
      )}
    </>
  );
}
