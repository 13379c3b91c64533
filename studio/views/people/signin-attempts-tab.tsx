/** Which accounts and addresses have failed to sign in, and which are delayed. */
import { Button, Group, Text } from '@mantine/core';
import type { DateTime } from 'surrealdb';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Time } from '../../components/time.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';

interface FailureCount {
  readonly of: string;
  /** As it was tried, whether or not there is such a user. */
  readonly user?: string;
  readonly access?: string;
  readonly level?: string;
  readonly namespace?: string;
  readonly database?: string;
  readonly address?: string;
  readonly failures: number;
  readonly since: DateTime;
  readonly last: DateTime;
  readonly delayed_until?: DateTime;
  /** Where several servers use the store. */
  readonly node?: string;
}

export function SigninAttemptsTab({ connection }: { readonly connection: Connection }) {
  const attempts = useLoaded(async () => {
    const [list] = await connection.query<[readonly FailureCount[]]>('INFO FOR SIGNIN ATTEMPTS');
    return list;
  }, [connection]);
  const node = attempts.data?.find((each) => each.node !== undefined)?.node;
  return (
    <>
      <Group justify="space-between">
        <Text c="dimmed" size="sm">
          Failed sign-ins that still count, as they were tried: there may be no such user. Further attempts are delayed,
          and no account is locked.
          {node !== undefined && ` Counted by node ${node}, with failures at the others.`}
        </Text>
        <Button onClick={attempts.reload}>Load again</Button>
      </Group>
      <LoadedContent seenBy="owners" of={attempts}>
        {(loaded) => (
          <DataTable
            caption="Sign-in attempts"
            rows={loaded}
            keyOf={(_, at) => at}
            empty="No sign-in has failed lately"
            columns={[
              { title: 'User', cell: ({ user }) => user ?? '' },
              { title: 'By', cell: ({ access }) => access ?? '' },
              {
                title: 'Level',
                cell: ({ level, namespace, database }) =>
                  [level, [namespace, database].filter(Boolean).join('/')].filter(Boolean).join(' '),
              },
              { title: 'Address', cell: ({ address }) => address ?? '' },
              { title: 'Counted by', cell: ({ of }) => of },
              { title: 'Failures', align: 'end' as const, cell: ({ failures }) => failures },
              { title: 'Since', cell: ({ since }) => <Time at={since} /> },
              { title: 'Last', cell: ({ last }) => <Time at={last} /> },
              {
                title: 'Delayed until',
                cell: ({ delayed_until }) => (delayed_until === undefined ? 'no' : <Time at={delayed_until} />),
              },
            ]}
          />
        )}
      </LoadedContent>
    </>
  );
}
