/** Explore: the tables of a database, their rows, and each record with what it is connected with. */
import './explore.css';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { loadTables } from '../../connection/catalog.js';
import { useLoaded } from '../../connection/use-loaded.js';
import type { ViewProperties } from '../../frame/view-properties.js';
import { RecordPage } from './record-page.js';
import { TableList } from './table-list.js';
import { TablePage } from './table-page.js';
import { TransferDialog } from './transfer-dialog.js';

export function View({ connection, path }: ViewProperties) {
  const tables = useLoaded(() => loadTables(connection), [connection]);
  const [isTransferring, setTransferring] = useState(false);
  const [kind, name] = path;
  const table = kind === 'table' ? name : undefined;
  const record = kind === 'record' ? name : undefined;
  return (
    <div class="explore">
      <div class="side">
        <TableList connection={connection} tables={tables} chosen={table} shown={table ?? record} />
        <Button onClick={() => setTransferring(true)}>Import and export</Button>
      </div>
      <div class="shown">
        {table !== undefined && (
          <TablePage
            key={table}
            connection={connection}
            table={table}
            info={tables.data?.find((info) => info.name === table)}
            onSaved={tables.reload}
          />
        )}
        {record !== undefined && (
          <RecordPage key={record} connection={connection} id={record} onSaved={tables.reload} />
        )}
        {table === undefined && record === undefined && (
          <>
            <h1>Explore {connection.session.database}</h1>
            <p class="muted">Choose a table to see its rows.</p>
          </>
        )}
      </div>
      {isTransferring && (
        <TransferDialog connection={connection} onClose={() => setTransferring(false)} onImported={tables.reload} />
      )}
    </div>
  );
}
