/** What an access method has granted: keys of bearers, refresh tokens. A new key is shown once. */
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Confirmation } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Time } from '../../components/time.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { type AccessMethod, type Grant, loadGrants, revokeGrant } from './accesses.js';
import { GrantForm } from './grant-form.js';

interface Properties {
  readonly connection: Connection;
  readonly access: AccessMethod;
}

export function Grants({ connection, access }: Properties) {
  const grants = useLoaded(() => loadGrants(connection, access), [connection, access]);
  const [isGranting, setGranting] = useState(false);
  const [revoking, setRevoking] = useState<Grant>();
  return (
    <>
      <Group justify="space-between">
        <h3>Grants</h3>
        {access.kind.kind === 'BEARER' && (
          <Button aria-label={`Grant a key of ${access.name}`} onClick={() => setGranting(true)}>
            Grant a key
          </Button>
        )}
      </Group>
      <LoadedContent of={grants}>
        {(loaded) => (
          <DataTable
            caption={`Grants of ${access.name}`}
            rows={loaded}
            keyOf={({ id }) => id}
            empty="Nothing has been granted"
            columns={[
              { title: 'Grant', cell: ({ id }) => <code>{id}</code> },
              { title: 'For', cell: ({ subject }) => subject.user ?? <Value value={subject.record} /> },
              { title: 'Granted', cell: ({ creation }) => <Time at={creation} /> },
              { title: 'Ends', cell: ({ expiration }) => (expiration ? <Time at={expiration} /> : 'never') },
              { title: 'Revoked', cell: ({ revocation }) => (revocation ? <Time at={revocation} /> : 'no') },
              {
                title: 'Actions',
                cell: (grant) =>
                  !grant.revocation && (
                    <Button
                      variant="outline"
                      color="red"
                      aria-label={`Revoke ${grant.id}`}
                      onClick={() => setRevoking(grant)}
                    >
                      Revoke
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </LoadedContent>
      {isGranting && (
        <GrantForm
          connection={connection}
          access={access}
          onClose={() => {
            setGranting(false);
            grants.reload();
          }}
        />
      )}
      {revoking !== undefined && (
        <Confirmation
          title={`Revoke ${revoking.id}?`}
          action="Revoke the grant"
          act={() => connection.query(revokeGrant(access, revoking))}
          onClose={() => {
            setRevoking(undefined);
            grants.reload();
          }}
        >
          <p>It signs in no more, and the sessions that it has opened end. This runs:</p>
          <pre>{revokeGrant(access, revoking)}</pre>
        </Confirmation>
      )}
    </>
  );
}
