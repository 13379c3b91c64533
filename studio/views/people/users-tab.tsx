/** System users of each level: added, changed and removed. */
import { useState } from 'preact/hooks';
import type { Duration } from 'surrealdb';
import { Button } from '../../components/button.js';
import { Confirmation } from '../../components/confirmation.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Table } from '../../components/table.js';
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
      <div class="row spread">
        <p class="muted">A user acts at their level and below.</p>
        <Button kind="primary" onClick={() => setDoing({ what: 'add' })}>
          Add a user
        </Button>
      </div>
      <LoadedContent of={users}>
        {(loaded) => (
          <Table
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
                  <div class="row">
                    <Button label={`Change ${user.name}`} onClick={() => setDoing({ what: 'change', user })}>
                      Change
                    </Button>
                    <Button
                      kind="danger"
                      label={`Remove ${user.name}`}
                      onClick={() => setDoing({ what: 'remove', user })}
                    >
                      Remove
                    </Button>
                  </div>
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
