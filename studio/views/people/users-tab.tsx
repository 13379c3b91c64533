/** System users of each level: added, changed and removed. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Duration } from 'surrealdb';
import { Confirmation } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { nameOfLevel } from './levels.js';
import { UserForm } from './user-form.js';
import { loadUsers, ROLES, removeUser, type SystemUser } from './users.js';

type Doing = { readonly what: 'add' } | { readonly what: 'change' | 'remove'; readonly user: SystemUser };

export function UsersTab({ connection }: { readonly connection: Connection }) {
  const users = useLoaded(() => loadUsers(connection), [connection]);
  const [doing, setDoing] = useState<Doing>();
  const close = () => {
    setDoing(undefined);
    users.reload();
  };
  return (
    <>
      <Group justify="space-between">
        <Text c="dimmed" size="sm">
          A user acts at their level and below.
        </Text>
        <Button variant="filled" onClick={() => setDoing({ what: 'add' })}>
          Add a user
        </Button>
      </Group>
      <LoadedContent of={users}>
        {(loaded) => (
          <DataTable
            caption="System users"
            rows={loaded}
            keyOf={({ level, name }) => `${level} ${name}`}
            empty="There are no system users at these levels"
            columns={[
              { title: 'Name', cell: ({ name }) => name },
              { title: 'Level', cell: ({ level }) => nameOfLevel(level, connection.session) },
              { title: 'Roles', cell: ({ roles }) => roles.map((role) => ROLES[role] ?? role).join(', ') },
              { title: 'Tokens last', cell: ({ duration }) => lasting(duration.token) },
              { title: 'Sessions last', cell: ({ duration }) => lasting(duration.session) },
              { title: 'Comment', cell: ({ comment }) => comment ?? '' },
              {
                title: 'Actions',
                cell: (user) => (
                  <Group>
                    <Button aria-label={`Change ${user.name}`} onClick={() => setDoing({ what: 'change', user })}>
                      Change
                    </Button>
                    <Button
                      variant="outline"
                      color="red"
                      aria-label={`Remove ${user.name}`}
                      onClick={() => setDoing({ what: 'remove', user })}
                    >
                      Remove
                    </Button>
                  </Group>
                ),
              },
            ]}
          />
        )}
      </LoadedContent>
      {(doing?.what === 'add' || doing?.what === 'change') && (
        <UserForm connection={connection} user={doing.what === 'change' ? doing.user : undefined} onClose={close} />
      )}
      {doing?.what === 'remove' && (
        <Confirmation
          title={`Remove ${doing.user.name}?`}
          action="Remove the user"
          act={() => connection.query(removeUser(doing.user))}
          onClose={close}
        >
          <p>The user can no longer sign in, and their sessions end. This runs:</p>
          <pre>{removeUser(doing.user)}</pre>
        </Confirmation>
      )}
    </>
  );
}

function lasting(duration: Duration | null | undefined): string {
  return duration?.toString() ?? 'without end';
}
