/** The nodes that use the store. */
import { Button, Group } from '@mantine/core';
import type { DateTime, Duration } from 'surrealdb';
import { DataTable } from '../../components/data-table.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Time } from '../../components/time.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';

interface NodeFacts {
  readonly id: string;
  readonly address?: string;
  readonly current: boolean;
  readonly since: DateTime;
  /** How far it is behind the commits of all. */
  readonly staleness: Duration;
  readonly version: string;
  /** The work in the background that it does. */
  readonly work: readonly string[];
}

export function Nodes({ connection }: { readonly connection: Connection }) {
  const nodes = useLoaded(async () => {
    const [list] = await connection.query<[readonly NodeFacts[]]>('INFO FOR NODES');
    return list;
  }, [connection]);
  return (
    <section>
      <Group justify="space-between">
        <h2>Nodes</h2>
        <Button aria-label="Load again: nodes" onClick={nodes.reload}>
          Load again
        </Button>
      </Group>
      <LoadedContent of={nodes}>
        {(loaded) => (
          <DataTable
            caption="Nodes"
            rows={loaded}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Node',
                cell: ({ id, current }) => (
                  <>
                    <code>{id}</code>
                    {current && <strong> (this one)</strong>}
                  </>
                ),
              },
              { title: 'Address', cell: ({ address }) => address ?? '' },
              { title: 'Version', cell: ({ version }) => version },
              { title: 'Since', cell: ({ since }) => <Time at={since} /> },
              { title: 'Behind by', align: 'end', cell: ({ staleness }) => staleness.toString() },
              { title: 'Work in the background', cell: ({ work }) => work.join(', ') },
            ]}
          />
        )}
      </LoadedContent>
    </section>
  );
}
