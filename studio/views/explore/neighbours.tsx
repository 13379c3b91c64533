/** What a record is connected with, by edges in both directions and by links in its fields: a picture, and the same as a table. */

import { DataTable } from '../../components/data-table.js';
import { Loading } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { Value } from '../../components/value.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { NeighbourPicture } from './neighbour-picture.js';
import { loadNeighbours } from './neighbourhood.js';
import type { Row } from './rows.js';

export function Neighbours({ connection, row }: { readonly connection: Connection; readonly row: Row }) {
  const { data, error } = useLoaded(() => loadNeighbours(connection, row), [connection, row]);
  if (error !== undefined) return <Notice kind="error">{error.message}</Notice>;
  if (data === undefined) return <Loading what="Looking for neighbours" />;
  return (
    <section aria-label="Neighbours">
      <h2>Neighbours</h2>
      {data.length > 0 && <NeighbourPicture centre={row.id} neighbours={data} />}
      <DataTable
        caption="Records that this one is connected with"
        rows={data}
        empty="It is connected with no other record."
        keyOf={(_neighbour, at) => at}
        columns={[
          { title: 'Direction', cell: ({ direction }) => ({ out: '→', in: '←', link: 'links to' })[direction] },
          { title: 'By', cell: ({ by, edge }) => (edge === undefined ? by : <Value value={edge} />) },
          { title: 'Record', cell: ({ record }) => <Value value={record} /> },
        ]}
      />
    </section>
  );
}
