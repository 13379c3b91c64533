/**
 * The tables of which the user may see records, with the number of their rows. Where the page is narrow the list folds up once something is
 * chosen from it, so that the rows come first.
 */
import { Button, Group, Text } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import { hrefOf } from '../../base/route.js';
import { Failure } from '../../components/failure.js';
import { Loading } from '../../components/loading.js';
import type { TableInfo } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { type Loaded, useLoaded } from '../../connection/use-loaded.js';
import { countRows } from './rows.js';

interface Properties {
  readonly connection: Connection;
  readonly tables: Loaded<readonly TableInfo[]>;
  /** The table that is shown. */
  readonly chosen: string | undefined;
  /** What is shown beside the list, a table or a record; `undefined` if nothing is. */
  readonly shown: string | undefined;
}

/** As in explore.css. */
const NARROW = '(max-width: 48rem)';

export function TableList({ connection, tables, chosen, shown }: Properties) {
  const folding = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    const narrow = matchMedia(NARROW);
    const fold = () => {
      if (folding.current !== null) folding.current.open = shown === undefined || !narrow.matches;
    };
    fold();
    narrow.addEventListener('change', fold);
    return () => narrow.removeEventListener('change', fold);
  }, [shown]);
  return (
    <aside className="tables">
      <div className="again">
        <Button variant="subtle" aria-label="Read the tables again" onClick={tables.reload}>
          ↻
        </Button>
      </div>
      <details ref={folding} open>
        <summary>
          <h2>Tables</h2>
        </summary>
        {tables.data === undefined && tables.isLoading && <Loading />}
        {tables.error !== undefined && <Failure error={tables.error} seenBy="users who sign in" />}
        {tables.data?.length === 0 && <Text c="dimmed">There are no tables yet.</Text>}
        <ul>
          {tables.data?.map((table) => (
            <Group component="li" key={table.name} justify="space-between" wrap="nowrap">
              <a
                href={hrefOf('explore', ['table', table.name])}
                aria-current={table.name === chosen ? 'page' : undefined}
              >
                {table.name}
              </a>
              <Count connection={connection} table={table.name} of={tables} />
            </Group>
          ))}
        </ul>
      </details>
    </aside>
  );
}

interface CountProperties {
  readonly connection: Connection;
  readonly table: string;
  /** Counted again when these were read again. */
  readonly of: Loaded<readonly TableInfo[]>;
}

function Count({ connection, table, of }: CountProperties) {
  const { data } = useLoaded(() => countRows(connection, { table, filter: '' }), [connection, table, of.data]);
  return <span className="count">{data?.toLocaleString('en') ?? '…'}</span>;
}
