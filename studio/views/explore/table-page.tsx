/** One table: its rows in a grid, with filter and order, new rows, and changes until they are saved. */
import { Button, Group } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { go, route } from '../../base/route.js';
import { useStore } from '../../base/store.js';
import { Field } from '../../components/field.js';
import { Grid } from '../../components/grid.js';
import { widthOf } from '../../components/grid-columns.js';
import type { Order } from '../../components/grid-order.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import { loadFields, type TableInfo } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { changeOf, withChange } from './changes.js';
import { ColumnMenu } from './column-menu.js';
import { columnsOf } from './columns.js';
import { hiddenColumns } from './hidden-columns.js';
import { NoRows } from './no-rows.js';
import { pendingChanges } from './pending-changes.js';
import { RowChanges } from './row-changes.js';
import { NewRow } from './row-editors.js';
import { countRows, RowPages, rowsInWords } from './rows.js';
import { ExportDialog } from './selection/export-dialog.js';
import { ALL_ROWS, NO_ROWS } from './selection/selected-rows.js';
import { SelectionBar } from './selection/selection-bar.js';
import { useRowSelection } from './selection/use-row-selection.js';
import { TableMenu } from './table-menu.js';

interface Properties {
  readonly connection: Connection;
  readonly table: string;
  readonly info: TableInfo | undefined;
  /** After rows were added or deleted. */
  onSaved(): void;
}

const SEEN_ROWS = 100;

/** Of a filter that can't be read, the place of the error is in the statement around it. */
function inWords({ message }: Error, filter: string): string {
  return filter === '' || !message.includes('-->') ? message : `The filter can’t be read. ${message.split('\n')[0]}`;
}

export function TablePage({ connection, table, info, onSaved }: Properties) {
  const isRelation = info?.isRelation ?? false;
  const { filter } = useStore(route);
  const [typed, setTyped] = useState(filter);
  const [order, setOrder] = useState<Order>();
  const [isAdding, setAdding] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const [error, setError] = useState<Error>();
  const [version, setVersion] = useState(0);
  const [, redraw] = useState(0);
  const pending = pendingChanges(connection);
  const changes = useStore(pending);
  const fields = useLoaded(() => loadFields(connection, table), [connection, table]);
  const count = useLoaded(() => countRows(connection, { table, filter }), [connection, table, filter, version]);
  const pages = useMemo(() => {
    const selection = { table, filter, ...(order !== undefined && { order }) };
    return new RowPages(connection, selection, (failed) => {
      setError(failed);
      redraw((turn) => turn + 1);
    });
  }, [connection, table, filter, order, version]);
  useEffect(() => setError(undefined), [filter, order]);
  useEffect(() => setTyped(filter), [filter]);
  const isReadOnly = connection.viewed !== undefined || info?.isCreatable === false;
  const problem = count.error ?? error;
  // What was counted before a filter that can't be read isn't there.
  const total = problem === undefined ? (count.data ?? 0) : 0;
  const seen = Array.from({ length: Math.min(total, SEEN_ROWS) }, (_, at) => pages.row(at) ?? []).flat();
  const selection = useRowSelection(pages, total, setError);
  useEffect(() => selection.select(NO_ROWS), [filter]);
  const hiding = hiddenColumns(connection.session, table);
  const hidden = useStore(hiding);
  const columns = columnsOf(fields.data ?? [], isRelation, seen);
  const shown = columns.filter((name) => name === 'id' || !hidden.includes(name));
  const reload = () => {
    setVersion((last) => last + 1);
    onSaved();
  };
  return (
    <section className="table-page" aria-label={`Table ${table}`}>
      <PageHeader
        title={table}
        description={
          <span role="status">{count.isLoading ? 'Counting…' : count.error === undefined && rowsInWords(total)}</span>
        }
      >
        <Group
          component="form"
          align="end"
          className="filter"
          onSubmit={(event) => {
            event.preventDefault();
            go('explore', ['table', table], typed);
          }}
        >
          <Field label="Filter" placeholder="age > 30 AND name != 'Ann'" value={typed} onChange={setTyped} />
          <Button type="submit">Apply</Button>
        </Group>
        <ColumnMenu
          columns={columns}
          hidden={hidden}
          onChange={(names) => {
            hiding.value = names;
          }}
        />
        <Button onClick={reload}>Reload</Button>
        <TableMenu table={table} onExport={() => setExporting(true)} />
        <Button variant="filled" disabled={isReadOnly} onClick={() => setAdding(true)}>
          New row
        </Button>
      </PageHeader>
      {problem !== undefined && <Notice kind="error">{inWords(problem, filter)}</Notice>}
      <RowChanges connection={connection} onSaved={reload} />
      <SelectionBar
        connection={connection}
        place={{ table, filter }}
        selected={selection.selected}
        matching={total}
        onSelect={selection.select}
        onSaved={reload}
      />
      {total === 0 && !count.isLoading && problem === undefined && (
        <NoRows table={table} filter={filter} {...(!isReadOnly && { onAdd: () => setAdding(true) })} />
      )}
      <Grid
        label={`Rows of ${table}`}
        columns={shown.map((name) => ({ name, width: widthOf(name, seen) }))}
        count={total}
        order={order}
        rowAt={(at) => pages.row(at)}
        idAt={(at) => pages.id(at)}
        stateOf={(at) => {
          const code = pages.code(at);
          const change = code === undefined ? undefined : changeOf(changes, { table, code });
          return change === undefined ? undefined : change.kind === 'delete' ? 'deleted' : 'changed';
        }}
        onOrder={setOrder}
        onOpen={(id) => go('explore', ['record', id])}
        selection={selection.grid}
      />
      {isExporting && (
        <ExportDialog
          connection={connection}
          place={{ table, filter }}
          selected={ALL_ROWS}
          matching={total}
          onClose={() => setExporting(false)}
        />
      )}
      {isAdding && (
        <NewRow
          connection={connection}
          creation={{ kind: 'create', table, isRelation, content: {} }}
          onDone={(creation) => {
            pending.value = withChange(pending.value, creation);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}
