/** The tables that link to a record, by fields or as edges, with how many of their rows do. */
import { Anchor, Text } from '@mantine/core';
import { hrefOf } from '../../../base/route.js';
import { DataTable } from '../../../components/data-table.js';
import { Loading } from '../../../components/loading.js';
import { Notice } from '../../../components/notice.js';
import type { Connection } from '../../../connection/connection.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import type { RecordName } from '../changes.js';
import { rowsInWords } from '../rows.js';
import { type IncomingLinks, loadIncomingLinks } from './incoming-links.js';

interface Properties {
  readonly connection: Connection;
  readonly record: RecordName;
}

export function LinkedFrom({ connection, record: { table, code } }: Properties) {
  const links = useLoaded(() => loadIncomingLinks(connection, table, code), [connection, table, code]);
  return (
    <section aria-label="Linked from">
      <h2>Linked from</h2>
      {links.error !== undefined && <Unknown error={links.error} />}
      {links.error === undefined && links.data === undefined && <Loading what="Looking for links" />}
      {links.data !== undefined && (
        <DataTable
          caption="Tables that may link to this record"
          rows={links.data}
          empty="No field that is defined links to this table, and no relation leads from or to it."
          keyOf={({ table: from, by }) => `${from} ${by}`}
          columns={[
            { title: 'Table', cell: ({ table: from }) => from },
            { title: 'By', cell: ({ by }) => by },
            {
              title: 'Rows',
              cell: (of) => <Count connection={connection} of={of} />,
            },
          ]}
        />
      )}
    </section>
  );
}

function Unknown({ error }: { readonly error: Error }) {
  if (!/not enough permissions/i.test(error.message)) return <Notice kind="error">{error.message}</Notice>;
  return (
    <Text c="dimmed" size="sm">
      Which tables link to this one is for system users of the database to see.
    </Text>
  );
}

function Count({ connection, of }: { readonly connection: Connection; readonly of: IncomingLinks }) {
  const { table, filter, count } = of;
  const counted = useLoaded(async () => {
    const [rows] = await connection.query<[number]>(`RETURN ${count}`);
    return rows;
  }, [connection, count]);
  const there = hrefOf('explore', ['table', table], filter);
  if (counted.error !== undefined)
    return (
      <Anchor size="sm" href={there}>
        Show them: they take long to count
      </Anchor>
    );
  if (counted.data === undefined) return '…';
  if (counted.data === 0)
    return (
      <Text span size="sm" c="dimmed">
        None
      </Text>
    );
  return (
    <Anchor size="sm" href={there}>
      {rowsInWords(counted.data)}
    </Anchor>
  );
}
