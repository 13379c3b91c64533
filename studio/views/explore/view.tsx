/** Explore: the tables of a database, their rows, and each record with what it is connected with. */
import { Button } from '@mantine/core';
import './explore.css';
import { lazy, Suspense, useState } from 'react';
import type { ViewProperties } from '../../base/view-properties.js';
import { Loading } from '../../components/loading.js';
import { NoTables } from '../../components/no-tables.js';
import { PageHeader } from '../../components/page-header.js';
import { loadTables, type TableInfo } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { tablesBehindView } from '../../session/viewing.js';
import { RecordCards } from './record-cards.js';
import { RecordPage } from './record-page.js';
import { TableList } from './table-list.js';
import { TablePage } from './table-page.js';
import { TransferDialog } from './transfer-dialog.js';

/** Loaded when it is opened: it brings a library. */
const ImportPage = lazy(async () => ({ default: (await import('./import/import-page.js')).ImportPage }));

export function View({ connection, path }: ViewProperties) {
  const tables = useLoaded(() => tablesOf(connection), [connection]);
  const [isTransferring, setTransferring] = useState(false);
  const isEmpty = tables.data?.length === 0;
  const [kind, name] = path;
  const table = kind === 'table' ? name : undefined;
  const record = kind === 'record' ? name : undefined;
  const isImporting = kind === 'import';
  return (
    <RecordCards className="explore" connection={connection}>
      <div className="side">
        <TableList
          connection={connection}
          tables={tables}
          chosen={table}
          shown={table ?? record ?? (isImporting ? 'import' : undefined)}
        />
        <Button onClick={() => setTransferring(true)}>Import and export</Button>
      </div>
      <div className="shown">
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
        {isImporting && (
          <Suspense fallback={<Loading />}>
            <ImportPage
              key={name}
              connection={connection}
              tables={tables.data ?? []}
              initialTable={name ?? ''}
              onStored={tables.reload}
            />
          </Suspense>
        )}
        {table === undefined && record === undefined && !isImporting && (
          <>
            <PageHeader
              title={`Explore ${connection.session.database}`}
              description={isEmpty ? undefined : 'Choose a table to see its rows.'}
            />
            {isEmpty && <NoTables onImport={() => setTransferring(true)} />}
          </>
        )}
      </div>
      {isTransferring && (
        <TransferDialog connection={connection} onClose={() => setTransferring(false)} onImported={tables.reload} />
      )}
    </RecordCards>
  );
}

/** In a view whose user may not list them, those that its owner saw: of each the rows are those of the view. */
async function tablesOf(connection: Connection): Promise<readonly TableInfo[]> {
  try {
    return await loadTables(connection);
  } catch (error) {
    if (connection.viewed === undefined) throw error;
    return tablesBehindView.value;
  }
}
