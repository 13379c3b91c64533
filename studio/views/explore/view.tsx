/** Explore: the tables of a database, their rows, and each record with what it is connected with. */
import { Button } from '@mantine/core';
import './explore.css';
import { lazy, Suspense, useState } from 'react';
import type { ViewProperties } from '../../base/view-properties.js';
import { Loading } from '../../components/loading.js';
import { NoTables } from '../../components/no-tables.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import { loadTables } from '../../connection/catalog.js';
import { isSystemLevel } from '../../connection/levels.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { RecordCards } from './record-cards.js';
import { RecordPage } from './record-page.js';
import { TableList } from './table-list.js';
import { TablePage } from './table-page.js';
import { TransferDialog } from './transfer-dialog.js';

/** Loaded when it is opened: it brings a library. */
const ImportPage = lazy(async () => ({ default: (await import('./import/import-page.js')).ImportPage }));

export function View({ connection, path }: ViewProperties) {
  const tables = useLoaded(() => loadTables(connection), [connection]);
  const isSystemUser = isSystemLevel(connection.session.level);
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
        {isSystemUser && <Button onClick={() => setTransferring(true)}>Import and export</Button>}
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
            {isEmpty &&
              (isSystemUser ? (
                <NoTables onImport={() => setTransferring(true)} />
              ) : (
                <Notice kind="information">There is no table of which you may see records.</Notice>
              ))}
          </>
        )}
      </div>
      {isTransferring && (
        <TransferDialog connection={connection} onClose={() => setTransferring(false)} onImported={tables.reload} />
      )}
    </RecordCards>
  );
}
