/** Who is signed in on a connection that lasts, on all nodes, and ending it. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirmation } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Time } from '../../components/time.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { loadSessions, type SessionFacts } from './sessions.js';

export function SessionsTab({ connection }: { readonly connection: Connection }) {
  const sessions = useLoaded(() => loadSessions(connection), [connection]);
  const [ending, setEnding] = useState<SessionFacts>();
  const hasNodes = sessions.data?.some(({ node }) => node !== undefined) ?? false;
  return (
    <>
      <Group justify="space-between">
        <Text c="dimmed" size="sm">
          Sessions of WebSocket connections that you may end. Over HTTP a session ends with its request.
        </Text>
        <Button onClick={sessions.reload}>Load again</Button>
      </Group>
      <LoadedContent of={sessions} seenBy="users who are signed in">
        {(loaded) => (
          <DataTable
            caption="Sessions"
            rows={loaded}
            keyOf={({ id }) => id.toString()}
            columns={[
              {
                title: 'Who',
                cell: ({ user, current }) => (
                  <>
                    {typeof user === 'string' ? user : <Value value={user} />}
                    {current && <strong> (this one)</strong>}
                  </>
                ),
              },
              { title: 'As', cell: ({ level, access }) => (access === undefined ? level : `${level}, by ${access}`) },
              { title: 'In', cell: ({ namespace, database }) => [namespace, database].filter(Boolean).join('/') },
              { title: 'From', cell: ({ ip, origin }) => [ip, origin].filter(Boolean).join(', ') },
              { title: 'Since', cell: ({ since }) => <Time at={since} /> },
              { title: 'Last active', cell: ({ active }) => <Time at={active} /> },
              { title: 'Expires', cell: ({ expires }) => (expires === undefined ? 'never' : <Time at={expires} />) },
              { title: 'Live queries', align: 'end' as const, cell: liveQueries },
              ...(hasNodes ? [{ title: 'Node', cell: ({ node }: SessionFacts) => node ?? '' }] : []),
              {
                title: 'Actions',
                cell: (session) => (
                  <Button
                    variant="outline"
                    color="red"
                    aria-label={`End the session of ${String(session.user)}`}
                    onClick={() => setEnding(session)}
                  >
                    End
                  </Button>
                ),
              },
            ]}
          />
        )}
      </LoadedContent>
      {ending !== undefined && (
        <Confirmation
          title="End this session?"
          action="End the session"
          act={() => connection.query('KILL SESSION $id', { id: ending.id })}
          onClose={() => {
            setEnding(undefined);
            sessions.reload();
          }}
        >
          <p>
            The session of {String(ending.user)} ends with its live queries and transactions, and its token is revoked.
            {ending.current && ' It is your own: you will have to sign in again.'}
          </p>
        </Confirmation>
      )}
    </>
  );
}

/** How many there are, and by how much they are behind. */
function liveQueries({ live, behind }: SessionFacts): string {
  const late = behind.toString();
  return late === '0ns' ? String(live) : `${live}, ${late} behind`;
}
